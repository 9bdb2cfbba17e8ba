// cuBLAS's routines on vectors with types of their own for each (AxpyEx, DotEx, Nrm2Ex, ScalEx): real ones; sums are made in
// double and rounded once.
#include "libraries/blas_elements.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

struct Row { // a vector of a type
  const void* first;
  int type;
  i64 stride;
};

// A negative stride goes through the vector from its end, as in BLAS.
u64 place(const Row& row, i64 n, i64 i) {
  return static_cast<u64>(row.stride < 0 ? (i - n + 1) * row.stride : i * row.stride);
}
double at(const Row& row, i64 n, i64 i) { return read_element(row.first, row.type, place(row, n, i)); }
void put(const Row& row, i64 n, i64 i, double value) {
  write_element(const_cast<void*>(row.first), row.type, place(row, n, i), value);
}

Operand operand(const Row& row, i64 n) {
  if (n <= 0) return {row.first, 0};
  const u64 step = static_cast<u64>(row.stride < 0 ? -row.stride : row.stride);
  return {row.first, extent_bytes(static_cast<u64>(n) - 1, step, 1, element_bytes(row.type))};
}

// Calls body() when the stream comes to it. `scalar`: a factor, or where the result goes.
template <class Body>
int call(const char* name, BlasHandle* h, i64 n, std::initializer_list<Row> rows, const Row& scalar,
         int execution, Body body) {
  if (!is_handle(h)) return blas_not_initialized;
  if (!scalar.first) return blas_invalid_value;
  bool covered = element_bytes(scalar.type) != 0 && element_bytes(execution) != 0;
  std::vector<Operand> operands;
  for (const Row& row : rows) {
    covered = covered && element_bytes(row.type) > 1;
    operands.push_back(operand(row, n));
  }
  if (!covered) {
    library_gap(fmt::format("{} of complex numbers", name));
    return blas_not_supported;
  }
  operands.push_back({scalar.first, h->pointer_mode != 0 ? element_bytes(scalar.type) : 0});
  return status_of(
      library_call(name, h->stream, std::move(operands), [body] { return body(), cudaSuccess; }));
}

// A factor's value now, or read when the work is done.
auto scalar_of(const BlasHandle* h, const Row& scalar) {
  const bool later =
      !is_handle(h) || h->pointer_mode != 0 || !scalar.first || element_bytes(scalar.type) == 0;
  return [=, now = later ? 0 : read_element(scalar.first, scalar.type, 0)] {
    return later ? read_element(scalar.first, scalar.type, 0) : now;
  };
}

int dot(const char* name, BlasHandle* h, i64 n, const Row& x, const Row& y, const Row& result,
        int execution) {
  return call(name, h, n, {x, y}, result, execution, [=] {
    double sum = 0;
    for (i64 i = 0; i < n; ++i) sum += at(x, n, i) * at(y, n, i);
    write_element(const_cast<void*>(result.first), result.type, 0, sum);
  });
}

} // namespace

extern "C" {

int cublasDotEx(BlasHandle* h, int n, const void* x, int type_x, int step_x, const void* y, int type_y,
                int step_y, void* result, int type, int execution) {
  return dot("cublasDotEx", h, n, {x, type_x, step_x}, {y, type_y, step_y}, {result, type, 1}, execution);
}
int cublasDotcEx(BlasHandle* h, int n, const void* x, int type_x, int step_x, const void* y, int type_y,
                 int step_y, void* result, int type, int execution) { // real numbers are their own conjugates
  return dot("cublasDotcEx", h, n, {x, type_x, step_x}, {y, type_y, step_y}, {result, type, 1}, execution);
}
int cublasNrm2Ex(BlasHandle* h, int n, const void* x, int type_x, int step, void* result, int type,
                 int execution) {
  const Row row{x, type_x, step};
  return call("cublasNrm2Ex", h, n, {row}, {result, type, 1}, execution, [=, count = i64{n}] {
    double sum = 0;
    for (i64 i = 0; i < count; ++i) sum += at(row, count, i) * at(row, count, i);
    write_element(result, type, 0, std::sqrt(sum));
  });
}
int cublasAxpyEx(BlasHandle* h, int n, const void* alpha, int type, const void* x, int type_x, int step_x,
                 void* y, int type_y, int step_y, int execution) {
  const Row from{x, type_x, step_x}, to{y, type_y, step_y}, scalar{alpha, type, 1};
  return call("cublasAxpyEx", h, n, {from, to}, scalar, execution,
              [=, count = i64{n}, a = scalar_of(h, scalar)] {
                for (i64 i = 0; i < count; ++i)
                  put(to, count, i, a() * at(from, count, i) + at(to, count, i));
              });
}
int cublasScalEx(BlasHandle* h, int n, const void* alpha, int type, void* x, int type_x, int step,
                 int execution) {
  const Row row{x, type_x, step}, scalar{alpha, type, 1};
  return call("cublasScalEx", h, n, {row}, scalar, execution, [=, count = i64{n}, a = scalar_of(h, scalar)] {
    for (i64 i = 0; i < count; ++i) put(row, count, i, a() * at(row, count, i));
  });
}

} // extern "C"
} // namespace warplens::runtime
