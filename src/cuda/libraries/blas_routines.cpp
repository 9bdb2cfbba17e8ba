// cuBLAS's routines of the four types, as exported: with sizes of ints, and of 64-bit integers. The routines themselves count
// with 64 bits.
#include "libraries/blas_matrices.h"

namespace warplens::runtime {
extern "C" {

#define I int
#define EXPORTED(name) name
#include "libraries/blas_types.def"

#define I long long
#define EXPORTED(name) name##_64
#include "libraries/blas_types.def"

} // extern "C"
} // namespace warplens::runtime
