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

void cudnnCreate();
static const LibraryExport warplens_cudnn[] = {{"cudnnCreate", &cudnnCreate}};

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

std::span<const LibraryExport> stand_ins_for(std::string_view soname) {
  struct Library {
    std::string_view prefix;
    std::span<const LibraryExport> functions;
  };
  static const Library all[] = {
      {"libcublas.so.", warplens_cublas},     {"libcublasLt.so.", warplens_cublaslt},
      {"libcufft.so.", warplens_cufft},       {"libcurand.so.", warplens_curand},
      {"libcusparse.so.", warplens_cusparse}, {"libcusolver.so.", warplens_cusolver},
      {"libnccl.so.", warplens_nccl},         {"libcudnn.so.", warplens_cudnn}};
  for (const Library& library : all)
    if (soname.starts_with(library.prefix)) return library.functions;
  return {};
}

static_assert(sizeof(LibraryExport) == 16 && offsetof(LibraryExport, function) == 8,
              "shim/library.S counts on it");

} // namespace warplens::runtime
