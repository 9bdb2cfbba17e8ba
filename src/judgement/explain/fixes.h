// What would make the asked access cheaper. Each fix is tried: the changed access is evaluated for every
// thread of the block and counted by the same rules, and only what really lowers a count is returned, best
// first.
#pragma once
#include "explain/model/explanation.h"
#include "explain/model/form.h"

namespace warplens::explain {

struct Situation {
  const arch::Architecture& arch;
  const Question& question;
  const Tree& tree;
  const Target& target;
  const Footprint& footprint;
  const Mode& manner;
  const arch::Counts& block; // the counts as asked
  const Form& form;
  SymbolicAccess& symbolic;
};

std::vector<advise::Advice> fixes(Situation situation);

} // namespace warplens::explain
