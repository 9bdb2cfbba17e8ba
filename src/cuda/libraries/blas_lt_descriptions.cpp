// See blas_lt.h: handles; descriptions are made, and their attributes set and asked for. A table says where in the structure
// an attribute is; those that are not in it are none.
#include "libraries/blas_lt.h"
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace warplens::runtime {
namespace {

struct Attribute {
  int id;
  std::size_t at, size;
};

// By CUBLASLT_MATRIX_LAYOUT_…, CUBLASLT_MATMUL_DESC_… and so on.
constexpr Attribute of_layout[] = {
    {0, offsetof(LtLayout, type), sizeof(std::declval<LtLayout>().type)},
    {1, offsetof(LtLayout, order), sizeof(std::declval<LtLayout>().order)},
    {2, offsetof(LtLayout, rows), sizeof(std::declval<LtLayout>().rows)},
    {3, offsetof(LtLayout, columns), sizeof(std::declval<LtLayout>().columns)},
    {4, offsetof(LtLayout, leading), sizeof(std::declval<LtLayout>().leading)},
    {5, offsetof(LtLayout, batch), sizeof(std::declval<LtLayout>().batch)},
    {6, offsetof(LtLayout, step), sizeof(std::declval<LtLayout>().step)},
    {7, offsetof(LtLayout, plane), sizeof(std::declval<LtLayout>().plane)},
    {8, offsetof(LtLayout, batch_mode), sizeof(std::declval<LtLayout>().batch_mode)},
};
constexpr Attribute of_product[] = {
    {0, offsetof(LtProduct, compute), sizeof(std::declval<LtProduct>().compute)},
    {1, offsetof(LtProduct, scale_type), sizeof(std::declval<LtProduct>().scale_type)},
    {2, offsetof(LtProduct, pointer_mode), sizeof(std::declval<LtProduct>().pointer_mode)},
    {3, offsetof(LtProduct, op_a), sizeof(std::declval<LtProduct>().op_a)},
    {4, offsetof(LtProduct, op_b), sizeof(std::declval<LtProduct>().op_b)},
    {5, offsetof(LtProduct, op_c), sizeof(std::declval<LtProduct>().op_c)},
    {6, offsetof(LtProduct, fill), sizeof(std::declval<LtProduct>().fill)},
    {7, offsetof(LtProduct, epilogue), sizeof(std::declval<LtProduct>().epilogue)},
    {8, offsetof(LtProduct, bias), sizeof(std::declval<LtProduct>().bias)},
    {10, offsetof(LtProduct, bias_step), sizeof(std::declval<LtProduct>().bias_step)},
    {11, offsetof(LtProduct, aux), sizeof(std::declval<LtProduct>().aux)},
    {12, offsetof(LtProduct, aux_leading), sizeof(std::declval<LtProduct>().aux_leading)},
    {13, offsetof(LtProduct, aux_step), sizeof(std::declval<LtProduct>().aux_step)},
    {14, offsetof(LtProduct, alpha_step), sizeof(std::declval<LtProduct>().alpha_step)},
    {15, offsetof(LtProduct, sms), sizeof(std::declval<LtProduct>().sms)},
    {17, offsetof(LtProduct, scale_a), sizeof(std::declval<LtProduct>().scale_a)},
    {18, offsetof(LtProduct, scale_b), sizeof(std::declval<LtProduct>().scale_b)},
    {19, offsetof(LtProduct, scale_c), sizeof(std::declval<LtProduct>().scale_c)},
    {20, offsetof(LtProduct, scale_d), sizeof(std::declval<LtProduct>().scale_d)},
    {21, offsetof(LtProduct, largest_d), sizeof(std::declval<LtProduct>().largest_d)},
    {22, offsetof(LtProduct, aux_type), sizeof(std::declval<LtProduct>().aux_type)},
    {23, offsetof(LtProduct, scale_aux), sizeof(std::declval<LtProduct>().scale_aux)},
    {24, offsetof(LtProduct, largest_aux), sizeof(std::declval<LtProduct>().largest_aux)},
    {25, offsetof(LtProduct, fast), sizeof(std::declval<LtProduct>().fast)},
    {26, offsetof(LtProduct, bias_type), sizeof(std::declval<LtProduct>().bias_type)},
    {31, offsetof(LtProduct, modes[0]), sizeof(std::declval<LtProduct>().modes[0])},
    {32, offsetof(LtProduct, modes[1]), sizeof(std::declval<LtProduct>().modes[1])},
    {33, offsetof(LtProduct, modes[2]), sizeof(std::declval<LtProduct>().modes[2])},
    {34, offsetof(LtProduct, modes[3]), sizeof(std::declval<LtProduct>().modes[3])},
    {35, offsetof(LtProduct, modes[4]), sizeof(std::declval<LtProduct>().modes[4])},
    {36, offsetof(LtProduct, scale_out), sizeof(std::declval<LtProduct>().scale_out)},
    {37, offsetof(LtProduct, modes[5]), sizeof(std::declval<LtProduct>().modes[5])},
    {38, offsetof(LtProduct, emulation), sizeof(std::declval<LtProduct>().emulation)},
};
constexpr Attribute of_transform[] = {
    {0, offsetof(LtTransform, scale_type), sizeof(std::declval<LtTransform>().scale_type)},
    {1, offsetof(LtTransform, pointer_mode), sizeof(std::declval<LtTransform>().pointer_mode)},
    {2, offsetof(LtTransform, op_a), sizeof(std::declval<LtTransform>().op_a)},
    {3, offsetof(LtTransform, op_b), sizeof(std::declval<LtTransform>().op_b)},
};
constexpr Attribute of_preference[] = {
    {0, offsetof(LtPreference, search), sizeof(std::declval<LtPreference>().search)},
    {1, offsetof(LtPreference, workspace), sizeof(std::declval<LtPreference>().workspace)},
    {3, offsetof(LtPreference, reductions), sizeof(std::declval<LtPreference>().reductions)},
    {5, offsetof(LtPreference, alignment[0]), sizeof(std::declval<LtPreference>().alignment[0])},
    {6, offsetof(LtPreference, alignment[1]), sizeof(std::declval<LtPreference>().alignment[1])},
    {7, offsetof(LtPreference, alignment[2]), sizeof(std::declval<LtPreference>().alignment[2])},
    {8, offsetof(LtPreference, alignment[3]), sizeof(std::declval<LtPreference>().alignment[3])},
    {9, offsetof(LtPreference, waves), sizeof(std::declval<LtPreference>().waves)},
    {12, offsetof(LtPreference, implementations), sizeof(std::declval<LtPreference>().implementations)},
};
constexpr Attribute of_algorithm[] = {
    {0, offsetof(LtAlgorithm, configuration[0]), sizeof(std::declval<LtAlgorithm>().configuration[0])},
    {1, offsetof(LtAlgorithm, configuration[1]), sizeof(std::declval<LtAlgorithm>().configuration[1])},
    {2, offsetof(LtAlgorithm, configuration[2]), sizeof(std::declval<LtAlgorithm>().configuration[2])},
    {3, offsetof(LtAlgorithm, configuration[3]), sizeof(std::declval<LtAlgorithm>().configuration[3])},
    {4, offsetof(LtAlgorithm, configuration[4]), sizeof(std::declval<LtAlgorithm>().configuration[4])},
    {5, offsetof(LtAlgorithm, configuration[5]), sizeof(std::declval<LtAlgorithm>().configuration[5])},
    {6, offsetof(LtAlgorithm, configuration[6]), sizeof(std::declval<LtAlgorithm>().configuration[6])},
    {7, offsetof(LtAlgorithm, configuration[7]), sizeof(std::declval<LtAlgorithm>().configuration[7])},
    {8, offsetof(LtAlgorithm, configuration[8]), sizeof(std::declval<LtAlgorithm>().configuration[8])},
};

const Attribute* find(std::span<const Attribute> table, int id) {
  for (const Attribute& row : table)
    if (row.id == id) return &row;
  return nullptr;
}

int set(void* object, std::span<const Attribute> table, int id, const void* from, std::size_t size) {
  const Attribute* row = find(table, id);
  if (!object || !row || !from || size != row->size) return blas_invalid_value;
  std::memcpy(static_cast<std::byte*>(object) + row->at, from, size);
  return blas_success;
}

// With no room asked for, only the size is told.
int get(const void* object, std::span<const Attribute> table, int id, void* to, std::size_t size,
        std::size_t* written) {
  const Attribute* row = find(table, id);
  if (!object || !row || (size == 0 && !written)) return blas_invalid_value;
  if (written) *written = row->size;
  if (size == 0) return blas_success;
  if (!to || size < row->size) return blas_invalid_value;
  std::memcpy(to, static_cast<const std::byte*>(object) + row->at, row->size);
  return blas_success;
}

template <class T> int start(T* object, std::size_t size, const T& value) {
  if (!object || size < sizeof(T)) return blas_invalid_value;
  *object = value;
  return blas_success;
}
template <class T> int create(T** out, const T& value) {
  if (!out) return blas_invalid_value;
  *out = new T(value);
  return blas_success;
}
template <class T> int destroy(const T* object) {
  delete object;
  return blas_success;
}

LtLayout layout(int type, u64 rows, u64 columns, i64 leading) {
  return {type, by_columns, rows, columns, leading, 1, 0, 0, 0};
}
LtProduct product(int compute, int scale_type) {
  constexpr int full = 2, as_result = -1;
  LtProduct out{};
  out.compute = compute, out.scale_type = scale_type, out.fill = full, out.epilogue = lt_plain;
  out.bias_type = out.aux_type = as_result;
  return out;
}

} // namespace

extern "C" {

// Of a kind: where its attributes are, what a new one is, and from which parameters.
#define WARPLENS_LT_DESCRIPTION(Kind, T, attributes, value, ...)                                             \
  int cublasLt##Kind##Init_internal(T* out, std::size_t size __VA_OPT__(, ) __VA_ARGS__) {                   \
    return start<T>(out, size, value);                                                                       \
  }                                                                                                          \
  int cublasLt##Kind##Create(T** out __VA_OPT__(, ) __VA_ARGS__) { return create<T>(out, value); }           \
  int cublasLt##Kind##Destroy(T* object) { return destroy(object); }                                         \
  int cublasLt##Kind##SetAttribute(T* object, int id, const void* from, std::size_t size) {                  \
    return set(object, attributes, id, from, size);                                                          \
  }                                                                                                          \
  int cublasLt##Kind##GetAttribute(const T* object, int id, void* to, std::size_t size,                      \
                                   std::size_t* written) {                                                   \
    return get(object, attributes, id, to, size, written);                                                   \
  }
WARPLENS_LT_DESCRIPTION(MatrixLayout, LtLayout, of_layout, layout(type, rows, columns, leading), int type,
                        u64 rows, u64 columns, i64 leading)
WARPLENS_LT_DESCRIPTION(MatmulDesc, LtProduct, of_product, product(compute, scale_type), int compute,
                        int scale_type)
WARPLENS_LT_DESCRIPTION(MatrixTransformDesc, LtTransform, of_transform, LtTransform{scale_type},
                        int scale_type)
WARPLENS_LT_DESCRIPTION(MatmulPreference, LtPreference, of_preference, LtPreference{})
#undef WARPLENS_LT_DESCRIPTION

// Some of an algorithm's settings have 16 bits.
int cublasLtMatmulAlgoConfigSetAttribute(LtAlgorithm* object, int id, const void* from, std::size_t size) {
  int value = 0;
  if (!from || size > sizeof value) return blas_invalid_value;
  std::memcpy(&value, from, size);
  return set(object, of_algorithm, id, &value, sizeof value);
}
int cublasLtMatmulAlgoConfigGetAttribute(const LtAlgorithm* object, int id, void* to, std::size_t size,
                                         std::size_t* written) {
  return get(object, of_algorithm, id, to, size, written);
}

int cublasLtCreate(LtContext** context) {
  if (!context) return blas_invalid_value;
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  if (runtime.start() != cudaSuccess) return blas_not_initialized;
  *context = new LtContext; // a handle of cuBLAS serves as well
  return blas_success;
}
int cublasLtDestroy(LtContext* context) {
  if (!context) return blas_not_initialized;
  delete context;
  return blas_success;
}

std::size_t cublasLtGetVersion() { return 130000; }
std::size_t cublasLtGetCudartVersion() { return 13000; }

int cublasLtHeuristicsCacheSetCapacity(std::size_t) { return blas_success; }
int cublasLtHeuristicsCacheGetCapacity(std::size_t* capacity) {
  return answer(capacity, 0, blas_invalid_value);
}

// Nothing is logged, whatever is set.
int cublasLtLoggerForceDisable() { return blas_success; }

} // extern "C"
} // namespace warplens::runtime
