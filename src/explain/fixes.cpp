#include "explain/fixes.h"

namespace warplens::explain {

std::vector<advise::Advice> fixes(Situation) { return {}; }

} // namespace warplens::explain
