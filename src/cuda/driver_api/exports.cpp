// exports.def once more, as addresses.
#include "driver_api/entry_points.h"
#include "runtime/failed_calls.h"
#include <cstddef>

namespace warplens::runtime {
extern "C" {

// The table needs addresses only: every function is declared here without its parameters.
#define IMPLEMENTED(name, since) void name();
#define ALIAS(name, of, since)
#define STUB(name, since) void name();
#include "driver_api/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef STUB

[[gnu::visibility("default")]] extern DriverExport warplens_cuda[];

#define IMPLEMENTED(name, since) {#name, &name, since},
#define ALIAS(name, of, since) {#name, &of, since},
#define STUB(name, since) {#name, &name, since},
DriverExport warplens_cuda[] = {
#include "driver_api/exports.def"
};
#undef IMPLEMENTED
#undef ALIAS
#undef STUB

} // extern "C"

static_assert(sizeof(DriverExport) == 24 && offsetof(DriverExport, function) == 8,
              "preload/CMakeLists.txt counts on it");

namespace {

// As for the Runtime API (preload/exports.cpp).
void watch_failed_calls() {
  DriverExport* row = warplens_cuda;
#define ALIAS(called, of, since)                                                                             \
  {                                                                                                          \
    struct Row {                                                                                             \
      static const char* name() { return #called; }                                                          \
      static const char* name_of(int error) { return driver_error_name(error); }                             \
    };                                                                                                       \
    if (!returns_no_error(#called))                                                                          \
      row->function = reinterpret_cast<DriverExport::Function>(&watched<&of, Row>);                          \
    ++row;                                                                                                   \
  }
#define IMPLEMENTED(name, since) ALIAS(name, name, since)
#define STUB(name, since) ++row;
#include "driver_api/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef STUB
}

} // namespace

std::span<const DriverExport> driver_exports() {
  static const bool watched [[maybe_unused]] = watches_failed_calls() && (watch_failed_calls(), true);
  return warplens_cuda;
}

[[gnu::constructor]] static void make_ready() { (void)driver_exports(); }

} // namespace warplens::runtime
