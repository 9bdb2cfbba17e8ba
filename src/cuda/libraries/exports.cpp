// The tables cublas.def, … as addresses, one after the other for each library.
#include "libraries/exports.h"
#include <cstddef>

namespace warplens::runtime {
extern "C" {

// The tables need addresses only: every function is declared there without its parameters.
#define LIBRARY warplens_cublas
#define FUNCTIONS "libraries/cublas.def"
#include "libraries/exports_of.inc"

#define LIBRARY warplens_cufft
#define FUNCTIONS "libraries/cufft.def"
#include "libraries/exports_of.inc"

#define LIBRARY warplens_curand
#define FUNCTIONS "libraries/curand.def"
#include "libraries/exports_of.inc"

#define LIBRARY warplens_cusparse
#define FUNCTIONS "libraries/cusparse.def"
#include "libraries/exports_of.inc"

#define LIBRARY warplens_cublaslt
#define FUNCTIONS "libraries/cublaslt.def"
#include "libraries/exports_of.inc"

#define LIBRARY warplens_cusolver
#define FUNCTIONS "libraries/cusolver.def"
#include "libraries/exports_of.inc"

#define LIBRARY warplens_nccl
#define FUNCTIONS "libraries/nccl.def"
#include "libraries/exports_of.inc"

void cudnnCreate();
static const LibraryExport warplens_cudnn[] = {{"cudnnCreate", &cudnnCreate}};

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
              "preload/CMakeLists.txt counts on it");

} // namespace warplens::runtime
