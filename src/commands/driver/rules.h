// `rules`: what findings are about.
#pragma once
#include "base/types.h"
#include <string>

namespace warplens::driver {

struct RulesOptions {
  std::string rule; // empty: all, a line each
  bool json = false;
  u32 width = 80;
};

struct RulesOutput {
  std::string out, err;
  int exit_code = 0; // 2: there is no such rule
};

RulesOutput rules(const RulesOptions&);

} // namespace warplens::driver
