// cuBLAS's routines with sizes of ints.
#include "libraries/blas_matrices.h"

namespace warplens::runtime {
extern "C" {

#define I int
#define N(name) cublas##name##_v2
#include "libraries/blas_named.def"
#undef N

#define T float
#define V1(name) cublasS##name
#define V2(name) cublasS##name##_v2
#define NAME(name) "cublasS" #name
#include "libraries/blas_routines.def"
#undef T
#undef V1
#undef V2
#undef NAME

#define T double
#define V1(name) cublasD##name
#define V2(name) cublasD##name##_v2
#define NAME(name) "cublasD" #name
#include "libraries/blas_routines.def"
#undef T
#undef V1
#undef V2
#undef NAME

#define T cfloat
#define V1(name) cublasC##name
#define V2(name) cublasC##name##_v2
#define NAME(name) "cublasC" #name
#include "libraries/blas_routines.def"
#undef T
#undef V1
#undef V2
#undef NAME

#define T cdouble
#define V1(name) cublasZ##name
#define V2(name) cublasZ##name##_v2
#define NAME(name) "cublasZ" #name
#include "libraries/blas_routines.def"
#undef T
#undef V1
#undef V2
#undef NAME
#undef I

} // extern "C"
} // namespace warplens::runtime
