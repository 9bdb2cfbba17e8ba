// exports.def once more, as addresses.
#include "runtime/exports.h"
#include <cstddef>

namespace warplens::runtime {
extern "C" {

// The table needs addresses only: every function is declared here without its parameters.
#define IMPLEMENTED(name) void name();
#define ALIAS(name, of)
#define VARIANTS(name, in_11, in_12, in_13)                                                                  \
  void in_11();                                                                                              \
  void in_12();                                                                                              \
  void in_13();
#define STUB(name) void name();
#include "runtime/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef VARIANTS
#undef STUB

[[gnu::visibility("default")]] extern const Export warplens_cudart[];

#define IMPLEMENTED(name) {#name, {&name, &name, &name}},
#define ALIAS(name, of) {#name, {&of, &of, &of}},
#define VARIANTS(name, in_11, in_12, in_13) {#name, {&in_11, &in_12, &in_13}},
#define STUB(name) {#name, {&name, &name, &name}},
const Export warplens_cudart[] = {
#include "runtime/exports.def"
};
#undef IMPLEMENTED
#undef ALIAS
#undef VARIANTS
#undef STUB

} // extern "C"

static_assert(sizeof(Export) == 32 && offsetof(Export, in_major) == 8, "shim/cudart.S counts on it");

std::span<const Export> exports() { return warplens_cudart; }

} // namespace warplens::runtime
