// Which rule of findings/rules.def an access breaks.
#pragma once
#include "findings/rules.h"
#include "summary/model.h"

namespace warplens::summary {

struct Broken {
  std::optional<findings::Rule> rule;     // none: it breaks none
  const advise::Advice* advice = nullptr; // what to change, where that is known
};

// By the advice that is given for it, whose rules say why; else by what its lanes look like.
Broken rule_of(const AccessRow&);

} // namespace warplens::summary
