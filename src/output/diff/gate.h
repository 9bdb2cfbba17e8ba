// When a comparison fails: the words of `diff --fail-on`.
#pragma once
#include "diff/model.h"

namespace warplens::diff {

struct Condition {
  enum class What : u8 {
    never,
    worse, // the whole, or a kernel that both sides have, costs more; of baselines: a finding is new or worse
    worse_line // that, or a line that both sides have
  };
  What what{};
  double tolerance = 0; // 0.05: only what grows by more than 5 %
};

// "worse", "worse-line", "worse>5%", "never"; several with commas. Errors: bad-condition.
Result<std::vector<Condition>> parse_conditions(std::string_view text);

// Why the comparison fails, worst first, each once; empty where it does not.
std::vector<std::string> failures(const Model&, const std::vector<Condition>&);

} // namespace warplens::diff
