#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
const Kernel* find_video(const Request&) { return nullptr; }
} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
