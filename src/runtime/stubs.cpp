// Functions of exports.def that are not implemented: each returns cudaErrorNotSupported and is named in the
// report. And other names of implemented ones: with per-thread default streams, names end in _ptds or _ptsz,
// and as work runs at once and in order, they mean the same.
#include "runtime/state.h"

namespace warplens::runtime {

static cudaError_t unsupported(const char* function) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.note_unsupported(function);
  return remember(cudaErrorNotSupported);
}

#pragma GCC visibility push(default)
extern "C" {
#define IMPLEMENTED(name)
#define ALIAS(name, of)
#define STUB(name)                                                                                           \
  cudaError_t name() { return unsupported(#name); }
#include "runtime/exports.def"
#undef ALIAS
#undef STUB
}
#pragma GCC visibility pop

// A jump keeps the arguments as they are, whatever their types.
#define STUB(name)
#define ALIAS(name, of)                                                                                      \
  __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ": jmp " #of "@PLT\n.size " #name     \
          ", .-" #name);
#include "runtime/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef STUB

} // namespace warplens::runtime
