// exports.def once more, as addresses.
#include "runtime/driver_api/entry_points.h"
#include <cstddef>

namespace warplens::runtime {
extern "C" {

// The table needs addresses only: every function is declared here without its parameters.
#define IMPLEMENTED(name, since) void name();
#define ALIAS(name, of, since)
#define STUB(name, since) void name();
#include "runtime/driver_api/exports.def"
#undef IMPLEMENTED
#undef ALIAS
#undef STUB

[[gnu::visibility("default")]] extern const DriverExport warplens_cuda[];

#define IMPLEMENTED(name, since) {#name, &name, since},
#define ALIAS(name, of, since) {#name, &of, since},
#define STUB(name, since) {#name, &name, since},
const DriverExport warplens_cuda[] = {
#include "runtime/driver_api/exports.def"
};
#undef IMPLEMENTED
#undef ALIAS
#undef STUB

} // extern "C"

static_assert(sizeof(DriverExport) == 24 && offsetof(DriverExport, function) == 8,
              "shim/libcuda.S counts on it");

std::span<const DriverExport> driver_exports() { return warplens_cuda; }

} // namespace warplens::runtime
