// runtime/exports.def once more, as addresses.
#include "preload/exports.h"
#include "runtime/failed_calls.h"
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

[[gnu::visibility("default")]] extern Export warplens_cudart[];

#define IMPLEMENTED(name) {#name, {&name, &name, &name}},
#define ALIAS(name, of) {#name, {&of, &of, &of}},
#define VARIANTS(name, in_11, in_12, in_13) {#name, {&in_11, &in_12, &in_13}},
#define STUB(name) {#name, {&name, &name, &name}},
Export warplens_cudart[] = {
#include "runtime/exports.def"
};
#undef IMPLEMENTED
#undef ALIAS
#undef VARIANTS
#undef STUB

} // extern "C"

static_assert(sizeof(Export) == 32 && offsetof(Export, in_major) == 8, "preload/CMakeLists.txt counts on it");

namespace {

// Gives each row that is watched the function that looks at what it returns (failed_calls.h).
void watch_failed_calls() {
  Export* row = warplens_cudart;
#define WATCHED(of) reinterpret_cast<Export::Function>(&watched<&of, Row>)
#define VARIANTS(called, in_11, in_12, in_13)                                                                \
  {                                                                                                          \
    struct Row {                                                                                             \
      static const char* name() { return #called; }                                                          \
      static const char* name_of(int error) { return runtime_error_name(error); }                            \
    };                                                                                                       \
    if (is_watched(#called)) *row = {#called, {WATCHED(in_11), WATCHED(in_12), WATCHED(in_13)}};             \
    ++row;                                                                                                   \
  }
#define IMPLEMENTED(name) VARIANTS(name, name, name, name)
#define ALIAS(name, of) VARIANTS(name, of, of, of)
#define STUB(name) ++row; // told of as not implemented
#include "runtime/exports.def"
#undef WATCHED
#undef IMPLEMENTED
#undef ALIAS
#undef VARIANTS
#undef STUB
}

} // namespace

std::span<const Export> exports() {
  static const bool watched [[maybe_unused]] = (watch_failed_calls(), true);
  return warplens_cudart;
}

// The libraries libcudart.so.* read the table by themselves.
[[gnu::constructor]] static void make_ready() { (void)exports(); }

} // namespace warplens::runtime
