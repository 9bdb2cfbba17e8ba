// Which rule of findings/rules.def an access breaks.
#pragma once
#include "report/model.h"
#include <string_view>

namespace warplens::judge {

struct Broken {
  std::string_view rule;                  // empty: none
  const advise::Advice* advice = nullptr; // what to change, where that is known
};

// By the advice that is given for it, whose rules say why; else by what its lanes look like.
Broken rule_of(const report::Row&);

} // namespace warplens::judge
