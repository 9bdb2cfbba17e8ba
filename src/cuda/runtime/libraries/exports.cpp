// The tables cublas.def, … as addresses, one after the other for each library.
#include "runtime/libraries/exports.h"
#include <cstddef>

namespace warplens::runtime {
extern "C" {

// The tables need addresses only: every function is declared there without its parameters.
#define LIBRARY warplens_cublas
#define FUNCTIONS "runtime/libraries/cublas.def"
#include "runtime/libraries/exports_of.inc"

#define LIBRARY warplens_cufft
#define FUNCTIONS "runtime/libraries/cufft.def"
#include "runtime/libraries/exports_of.inc"

#define LIBRARY warplens_curand
#define FUNCTIONS "runtime/libraries/curand.def"
#include "runtime/libraries/exports_of.inc"

#define LIBRARY warplens_cusparse
#define FUNCTIONS "runtime/libraries/cusparse.def"
#include "runtime/libraries/exports_of.inc"

#define LIBRARY warplens_cublaslt
#define FUNCTIONS "runtime/libraries/cublaslt.def"
#include "runtime/libraries/exports_of.inc"

#define LIBRARY warplens_cusolver
#define FUNCTIONS "runtime/libraries/cusolver.def"
#include "runtime/libraries/exports_of.inc"

#define LIBRARY warplens_nccl
#define FUNCTIONS "runtime/libraries/nccl.def"
#include "runtime/libraries/exports_of.inc"

#define NVRTC(result, name, parameters, arguments) void name();
#include "runtime/libraries/nvrtc.def"
#undef NVRTC

[[gnu::visibility("default")]] extern const LibraryExport warplens_nvrtc[];

#define NVRTC(result, name, parameters, arguments) {#name, &name},
const LibraryExport warplens_nvrtc[] = {
#include "runtime/libraries/nvrtc.def"
};
#undef NVRTC

} // extern "C"

static_assert(sizeof(LibraryExport) == 16 && offsetof(LibraryExport, function) == 8,
              "shim/library.S counts on it");

} // namespace warplens::runtime
