// The tables cublas.def, … as addresses, one after the other for each library.
#include "runtime/libraries/exports.h"
#include <cstddef>

namespace warplens::runtime {
extern "C" {

// The tables need addresses only: every function is declared here without its parameters.
#define IMPLEMENTED(name) void name();
#define STUB(name) void name();
#include "runtime/libraries/cublas.def"
#undef IMPLEMENTED
#undef STUB

[[gnu::visibility("default")]] extern const LibraryExport warplens_cublas[];

#define IMPLEMENTED(name) {#name, &name},
#define STUB(name) {#name, &name},
const LibraryExport warplens_cublas[] = {
#include "runtime/libraries/cublas.def"
};
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name) void name();
#define STUB(name) void name();
#include "runtime/libraries/cufft.def"
#undef IMPLEMENTED
#undef STUB

[[gnu::visibility("default")]] extern const LibraryExport warplens_cufft[];

#define IMPLEMENTED(name) {#name, &name},
#define STUB(name) {#name, &name},
const LibraryExport warplens_cufft[] = {
#include "runtime/libraries/cufft.def"
};
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name) void name();
#define STUB(name) void name();
#include "runtime/libraries/curand.def"
#undef IMPLEMENTED
#undef STUB

[[gnu::visibility("default")]] extern const LibraryExport warplens_curand[];

#define IMPLEMENTED(name) {#name, &name},
#define STUB(name) {#name, &name},
const LibraryExport warplens_curand[] = {
#include "runtime/libraries/curand.def"
};
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name) void name();
#define STUB(name) void name();
#include "runtime/libraries/cusparse.def"
#undef IMPLEMENTED
#undef STUB

[[gnu::visibility("default")]] extern const LibraryExport warplens_cusparse[];

#define IMPLEMENTED(name) {#name, &name},
#define STUB(name) {#name, &name},
const LibraryExport warplens_cusparse[] = {
#include "runtime/libraries/cusparse.def"
};
#undef IMPLEMENTED
#undef STUB

} // extern "C"

static_assert(sizeof(LibraryExport) == 16 && offsetof(LibraryExport, function) == 8,
              "shim/library.S counts on it");

} // namespace warplens::runtime
