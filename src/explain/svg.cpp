#include "explain/render.h"

namespace warplens::explain {

std::string svg(const Explanation&, const std::string&) { return {}; }

} // namespace warplens::explain
