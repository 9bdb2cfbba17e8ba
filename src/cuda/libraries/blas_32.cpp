// cuBLAS's routines with sizes of ints.
#include "libraries/blas_matrices.h"

namespace warplens::runtime {
extern "C" {

#define I int
#define EXPORTED(name) name
#include "libraries/blas_types.def"

} // extern "C"
} // namespace warplens::runtime
