// cuBLAS's routines with sizes of 64-bit integers.
#include "libraries/blas_matrices.h"

namespace warplens::runtime {
extern "C" {

#define I long long
#define EXPORTED(name) name##_64
#include "libraries/blas_types.def"

} // extern "C"
} // namespace warplens::runtime
