// cuBLASLt's descriptions of matrices and products. Programs may keep them in memory of their own, as large as the header of
// cuBLASLt makes them; attributes are set and asked for by number and size.
#pragma once
#include "libraries/blas.h"

namespace warplens::runtime {

struct LtContext {}; // cublasLtHandle_t

struct LtLayout { // cublasLtMatrixLayout_t
  int type, order;
  u64 rows, columns;
  i64 leading;
  int batch, batch_mode;
  i64 step; // from one matrix of a batch to the next, in elements
  i64 plane;
};
static_assert(sizeof(LtLayout) <= 64);
enum LtOrder : int { by_columns = 0, by_rows = 1 };

struct LtProduct { // cublasLtMatmulDesc_t
  int compute, scale_type, pointer_mode;
  int op_a, op_b, op_c;
  int fill; // full: 2
  int epilogue;
  void* bias;
  i64 bias_step;
  void* aux;
  i64 aux_leading, aux_step, alpha_step;
  int sms, aux_type;
  const void *scale_a, *scale_b, *scale_c, *scale_d, *scale_aux;
  void *largest_d, *largest_aux;
  i8 fast;
  int bias_type; // -1: that of D
  int modes[6];  // of scales: a, b, c, d, aux, out
  const void *scale_out, *emulation;
};
static_assert(sizeof(LtProduct) <= 256);
// What an epilogue does, as bits.
enum LtEpilogue : int {
  lt_plain = 1,
  lt_relu = 2,
  lt_bias = 4,
  lt_relu_gradient = 8,
  lt_bias_gradient = 16,
  lt_gelu = 32,
  lt_gelu_gradient = 64,
  lt_aux = 128,
  lt_bias_gradient_a = 256,
  lt_bias_gradient_b = 512
};

struct LtTransform { // cublasLtMatrixTransformDesc_t
  int scale_type, pointer_mode, op_a, op_b;
};
struct LtPreference { // cublasLtMatmulPreference_t: kept, and without effect
  int search, reductions;
  u64 workspace;
  u32 alignment[4];
  float waves;
  u64 implementations;
};
static_assert(sizeof(LtPreference) <= 64);
struct LtAlgorithm { // cublasLtMatmulAlgo_t: there is one, whatever is configured
  u64 mark;
  int configuration[9];
};
static_assert(sizeof(LtAlgorithm) <= 64);
inline constexpr u64 lt_algorithm_mark = 0x57617270'4c656e73;

} // namespace warplens::runtime
