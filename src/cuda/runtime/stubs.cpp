// Functions of exports.def that are not implemented: each returns cudaErrorNotSupported and is named in the
// report.
#include "runtime/state.h"

namespace warplens::runtime {

static cudaError_t unsupported(const char* function) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.note_unsupported(function);
  return remember(cudaErrorNotSupported);
}

extern "C" {
#define IMPLEMENTED(name)
#define ALIAS(name, of)
#define VARIANTS(name, in_11, in_12, in_13)
#define STUB(name)                                                                                           \
  cudaError_t name() { return unsupported(#name); }
#include "runtime/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef VARIANTS
#undef STUB
}

} // namespace warplens::runtime
