// cuBLASLt's products and transformations of matrices in either order, with what comes behind a product (bias, ReLU, GELU,
// their gradients). As in blas_extended.cpp elements are widened to float or double, multiplied by the host's BLAS and
// narrowed once.
//
// Matrices may have scales, one number each; D's is applied after its largest element was told. Not covered, and refused by
// name: complex and 4-bit matrices, the orders for tensor cores of before 8.0, scales by blocks, alpha as a vector, batches by
// arrays of pointers.
#include "libraries/blas_lt_epilogue.h"
#include "libraries/blas_matrices.h"
#include <cstring>
#include <fmt/format.h>

namespace warplens::runtime {

namespace {

// A matrix where it lies: element (i, j) of its b-th one.
struct Stored {
  void* data;
  int type;
  i64 rows, columns, down, right, step;
  u64 index(i64 i, i64 j, i64 batch) const {
    return static_cast<u64>(batch) * static_cast<u64>(step) + static_cast<u64>(i * down + j * right);
  }
  double at(i64 i, i64 j, i64 batch) const { return read_element(data, type, index(i, j, batch)); }
};
Stored stored(const LtLayout& layout, const void* data) {
  const bool columns = layout.order == by_columns;
  return {const_cast<void*>(data),
          layout.type,
          static_cast<i64>(layout.rows),
          static_cast<i64>(layout.columns),
          columns ? 1 : layout.leading,
          columns ? layout.leading : 1,
          layout.step};
}
Stored turned(Stored m, int op) {
  if (op == 0) return m;
  std::swap(m.rows, m.columns), std::swap(m.down, m.right);
  return m;
}
Operand operand_of(const LtLayout& layout, const void* data, i64 batch) {
  const bool columns = layout.order == by_columns;
  const i64 high = static_cast<i64>(columns ? layout.rows : layout.columns),
            wide = static_cast<i64>(columns ? layout.columns : layout.rows);
  const u64 element = element_bytes(layout.type);
  const auto first = static_cast<const std::byte*>(data);
  return matrix_of(nth(first, batch * static_cast<i64>(element), layout.step), high, wide, layout.leading,
                   element);
}

int gap(const char* function, const char* what) {
  library_gap(fmt::format("{} {}", function, what));
  return blas_not_supported;
}

int check(const char* function, const LtLayout& m) {
  if (element_bytes(m.type) == 0) return gap(function, "of complex or 4-bit matrices");
  if (m.order != by_columns && m.order != by_rows) return gap(function, "of matrices in tiles");
  if (m.batch_mode != 0) return gap(function, "of a batch by pointers");
  const bool columns = m.order == by_columns;
  return m.batch > 0 && leads(m.leading, static_cast<i64>(columns ? m.rows : m.columns)) &&
                 fit_int({static_cast<i64>(m.rows), static_cast<i64>(m.columns)})
             ? blas_success
             : blas_invalid_value;
}

constexpr int known_epilogues[] = {lt_plain,
                                   lt_relu,
                                   lt_relu | lt_aux,
                                   lt_bias,
                                   lt_relu | lt_bias,
                                   lt_relu | lt_aux | lt_bias,
                                   lt_relu_gradient | lt_aux,
                                   lt_relu_gradient | lt_aux | lt_bias_gradient,
                                   lt_gelu,
                                   lt_gelu | lt_aux,
                                   lt_gelu | lt_bias,
                                   lt_gelu | lt_aux | lt_bias,
                                   lt_gelu_gradient | lt_aux,
                                   lt_gelu_gradient | lt_aux | lt_bias_gradient,
                                   lt_bias_gradient_a,
                                   lt_bias_gradient_b};

struct Matrices {
  const LtLayout *a, *b, *c, *d;
};

// What is wrong with the description, or not covered.
int check(const LtProduct& p, const Matrices& m) {
  constexpr const char* function = "cublasLtMatmul";
  for (const LtLayout* one : {m.a, m.b, m.c, m.d})
    if (int bad = check(function, *one); bad != blas_success) return bad;
  constexpr int full = 2;
  if (p.pointer_mode < 0 || p.pointer_mode > 4) return blas_invalid_value;
  if (p.pointer_mode > 1) return gap(function, "with alpha as a vector");
  if (p.op_c != 0 || p.fill != full) return gap(function, "of C transposed, or of a triangle");
  if (std::any_of(std::begin(p.modes), std::end(p.modes), [](int mode) { return mode != 0; }) || p.scale_out)
    return gap(function, "with scales by blocks");
  if (p.scale_aux || p.largest_aux) return gap(function, "with a scale of what an epilogue keeps");
  if (!std::count(std::begin(known_epilogues), std::end(known_epilogues), p.epilogue))
    return blas_invalid_value;
  const bool has_aux = (p.epilogue & lt_aux) != 0;
  if (has_aux && !p.aux) return blas_invalid_value;
  auto is_other = [](int type) { return type >= 0 && element_bytes(type) == 0; };
  if (element_bytes(p.scale_type) == 0 || is_other(p.bias_type) || is_other(p.aux_type))
    return gap(function, "with complex numbers");
  auto high = [](const LtLayout& l, int op) { return op == 0 ? l.rows : l.columns; };
  auto wide = [](const LtLayout& l, int op) { return op == 0 ? l.columns : l.rows; };
  const bool fits = high(*m.a, p.op_a) == m.d->rows && wide(*m.b, p.op_b) == m.d->columns &&
                    wide(*m.a, p.op_a) == high(*m.b, p.op_b) && m.c->rows == m.d->rows &&
                    m.c->columns == m.d->columns && m.a->batch == m.d->batch && m.b->batch == m.d->batch &&
                    m.c->batch == m.d->batch;
  return fits ? blas_success : blas_invalid_value;
}

template <class T> std::vector<T> widened(const Stored& m, i64 batch) { // column by column
  std::vector<T> out(static_cast<std::size_t>(m.rows * m.columns));
  for (i64 j = 0; j < m.columns; ++j)
    for (i64 i = 0; i < m.rows; ++i)
      out[static_cast<std::size_t>(j * m.rows + i)] = static_cast<T>(m.at(i, j, batch));
  return out;
}

struct LtCall {
  LtProduct p;
  LtLayout layout_a, layout_b, layout_c, layout_d;
  const void *a, *b, *c;
  void* d;
  Scalar<std::byte> alpha_at, beta_at; // where they will be read, if later
  double alpha, beta;
};

double scale(const void* at) { return at ? read_element(at, real_32, 0) : 1; }

template <class T> cudaError_t multiply(const LtCall& call, double alpha, double beta, i64 batch) {
  const LtProduct& p = call.p;
  alpha *= scale(p.scale_a) * scale(p.scale_b), beta *= scale(p.scale_c);
  const Stored a = turned(stored(call.layout_a, call.a), p.op_a),
               b = turned(stored(call.layout_b, call.b), p.op_b), c = stored(call.layout_c, call.c),
               d = stored(call.layout_d, call.d);
  if (d.rows == 0 || d.columns == 0) return cudaSuccess;
  const std::vector<T> x = widened<T>(a, batch), y = widened<T>(b, batch);
  std::vector<T> z(static_cast<std::size_t>(d.rows * d.columns));
  const auto m = static_cast<int>(d.rows), n = static_cast<int>(d.columns), k = static_cast<int>(a.columns);
  const Gemm<T> gemm{'N', 'N', m, n, k, std::max(m, 1), std::max(k, 1), std::max(m, 1)};
  if (cudaError_t error = gemm(T(1), x.data(), y.data(), T(0), z.data()); error != cudaSuccess) return error;
  const LtEpilogueOf epilogue{p, call.layout_d, batch};
  auto result = [&](i64 i, i64 j) -> T& { return z[static_cast<std::size_t>(j * d.rows + i)]; };
  const double scale_d = scale(p.scale_d);
  double largest = 0;
  for (i64 j = 0; j < d.columns; ++j)
    for (i64 i = 0; i < d.rows; ++i) {
      double value = alpha * double{result(i, j)};
      if (beta != 0) value += beta * c.at(i, j, batch); // what is multiplied by zero is not read
      result(i, j) = static_cast<T>(epilogue(value, i, j));
      largest = std::max(largest, std::abs(double{result(i, j)}));
      write_element(d.data, d.type, d.index(i, j, batch), scale_d * double{result(i, j)});
    }
  if (p.largest_d)
    write_element(p.largest_d, real_32, 0,
                  std::max(largest, batch == 0 ? 0 : read_element(p.largest_d, real_32, 0)));
  if (!p.bias) return cudaSuccess;
  if ((p.epilogue & lt_bias_gradient) != 0) sum_to_bias(epilogue, d.rows, d.columns, result);
  if ((p.epilogue & lt_bias_gradient_a) != 0)
    sum_to_bias(epilogue, a.rows, a.columns, [&](i64 i, i64 l) { return a.at(i, l, batch); });
  if ((p.epilogue & lt_bias_gradient_b) != 0)
    sum_to_bias(epilogue, b.columns, b.rows, [&](i64 j, i64 l) { return b.at(l, j, batch); });
  return cudaSuccess;
}

Operand bias_operand(const LtProduct& p, const LtLayout& d, i64 batch) {
  constexpr int uses = lt_bias | lt_bias_gradient | lt_bias_gradient_a | lt_bias_gradient_b;
  if ((p.epilogue & uses) == 0 || !p.bias) return {p.bias, 0};
  const u64 count = (p.epilogue & lt_bias_gradient_b) != 0 ? d.columns : d.rows,
            element = element_bytes(p.bias_type < 0 ? d.type : p.bias_type);
  return {nth(static_cast<const std::byte*>(p.bias), batch * static_cast<i64>(element), p.bias_step),
          extent_bytes(count, 1, 0, element)};
}
Operand aux_operand(const LtProduct& p, const LtLayout& d, i64 batch) {
  if ((p.epilogue & lt_aux) == 0) return {p.aux, 0};
  const bool is_mask = (p.epilogue & (lt_relu | lt_relu_gradient)) != 0;
  const u64 element = is_mask ? 1 : element_bytes(p.aux_type < 0 ? d.type : p.aux_type);
  const Operand whole =
      matrix_of(p.aux, static_cast<i64>(d.rows), static_cast<i64>(d.columns), p.aux_leading, element);
  const auto first = static_cast<const std::byte*>(p.aux);
  if (!is_mask) return {nth(first, batch * static_cast<i64>(element), p.aux_step), whole.bytes};
  const u64 before = static_cast<u64>(batch) * static_cast<u64>(p.aux_step); // bits
  return {nth(first, 1, static_cast<i64>(before / 8)), whole.bytes / 8 + 2};
}

std::vector<Operand> operands_of(const LtCall& call, bool reads_c, i64 batch) {
  const LtProduct& p = call.p;
  auto number = [](const void* at) { return Operand{at, at ? sizeof(float) : 0}; };
  return {number(p.scale_a),
          number(p.scale_b),
          number(p.scale_c),
          number(p.scale_d),
          number(p.largest_d),
          operand_of(call.layout_a, call.a, batch),
          operand_of(call.layout_b, call.b, batch),
          operand_of(call.layout_d, call.d, batch),
          reads_c ? operand_of(call.layout_c, call.c, batch) : Operand{call.c, 0},
          bias_operand(call.p, call.layout_d, batch),
          aux_operand(call.p, call.layout_d, batch)};
}

cudaError_t multiply(const LtCall& call) {
  const int type = call.p.scale_type;
  const double alpha = call.alpha_at.later ? read_element(call.alpha_at.later, type, 0) : call.alpha,
               beta = call.beta_at.later ? read_element(call.beta_at.later, type, 0) : call.beta;
  const bool in_double = type == real_64 || type == integer_32 || call.layout_a.type == integer_8;
  return each_of_batch(call.layout_d.batch, [&](i64 i) {
    return with_operands("cublasLtMatmul", operands_of(call, beta != 0, i), [&] {
      return in_double ? multiply<double>(call, alpha, beta, i) : multiply<float>(call, alpha, beta, i);
    });
  });
}

struct LtResult { // cublasLtMatmulHeuristicResult_t
  LtAlgorithm algorithm;
  std::byte rest[64 - sizeof(LtAlgorithm)];
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(LtResult) == 96);

} // namespace

extern "C" {

int cublasLtMatmul(LtContext* context, const LtProduct* product, const void* alpha, const void* a,
                   const LtLayout* of_a, const void* b, const LtLayout* of_b, const void* beta, const void* c,
                   const LtLayout* of_c, void* d, const LtLayout* of_d, const LtAlgorithm*, void*,
                   std::size_t, cudaStream_t stream) {
  if (!context) return blas_not_initialized;
  if (!product || !alpha || !beta || !of_a || !of_b || !of_c || !of_d) return blas_invalid_value;
  if (int bad = check(*product, {of_a, of_b, of_c, of_d}); bad != blas_success) return bad;
  BlasHandle mode;
  mode.pointer_mode = product->pointer_mode;
  const auto p = static_cast<const std::byte*>(alpha), q = static_cast<const std::byte*>(beta);
  LtCall call{*product, *of_a, *of_b, *of_c, *of_d, a, b, c, d, {&mode, p}, {&mode, q}, 0, 0};
  if (!call.alpha_at.later) {
    call.alpha = read_element(alpha, product->scale_type, 0);
    call.beta = read_element(beta, product->scale_type, 0);
  }
  auto later = [&](const std::byte* at) { return Operand{at, at ? element_bytes(product->scale_type) : 0}; };
  return status_of(library_call("cublasLtMatmul", stream,
                                {later(call.alpha_at.later), later(call.beta_at.later)},
                                [call] { return multiply(call); }));
}

int cublasLtMatrixTransform(LtContext* context, const LtTransform* t, const void* alpha, const void* a,
                            const LtLayout* of_a, const void* beta, const void* b, const LtLayout* of_b,
                            void* c, const LtLayout* of_c, cudaStream_t stream) {
  constexpr const char* function = "cublasLtMatrixTransform";
  if (!context) return blas_not_initialized;
  if (!t || !alpha || !beta || !of_a || !of_c || (b && !of_b)) return blas_invalid_value;
  for (const LtLayout* one : {of_a, b ? of_b : of_a, of_c})
    if (int bad = check(function, *one); bad != blas_success) return bad;
  if (t->pointer_mode != 0) return gap(function, "with scalars in device memory");
  const Stored x = turned(stored(*of_a, a), t->op_a), z = stored(*of_c, c),
               y = b ? turned(stored(*of_b, b), t->op_b) : x;
  if (x.rows != z.rows || x.columns != z.columns || y.rows != z.rows || y.columns != z.columns)
    return blas_invalid_value;
  const double p = read_element(alpha, t->scale_type, 0), q = b ? read_element(beta, t->scale_type, 0) : 0;
  return status_of(library_call(function, stream, {}, [=, m_a = *of_a, m_b = b ? *of_b : *of_a, m_c = *of_c] {
    return each_of_batch(m_c.batch, [&](i64 batch) {
      const Operand last = b ? operand_of(m_b, b, batch) : Operand{b, 0};
      return with_operands(function, {operand_of(m_a, a, batch), operand_of(m_c, c, batch), last}, [&] {
        for (i64 j = 0; j < z.columns; ++j)
          for (i64 i = 0; i < z.rows; ++i) {
            const double sum = p * x.at(i, j, batch) + (q != 0 ? q * y.at(i, j, batch) : 0);
            write_element(z.data, z.type, z.index(i, j, batch), sum);
          }
        return cudaSuccess;
      });
    });
  }));
}

int cublasLtMatmulAlgoCheck(LtContext* context, const LtProduct* product, const LtLayout* of_a,
                            const LtLayout* of_b, const LtLayout* of_c, const LtLayout* of_d,
                            const LtAlgorithm* algorithm, LtResult* out) {
  if (!context) return blas_not_initialized;
  if (!product || !of_a || !of_b || !of_c || !of_d || !algorithm || !out) return blas_invalid_value;
  *out = {};
  out->algorithm = *algorithm;
  out->waves = 1;
  out->state = algorithm->mark == lt_algorithm_mark ? check(*product, {of_a, of_b, of_c, of_d})
                                                    : static_cast<int>(blas_invalid_value);
  return out->state;
}

// There is one way to compute each product, which needs no workspace.
int cublasLtMatmulAlgoGetHeuristic(LtContext* context, const LtProduct* product, const LtLayout* of_a,
                                   const LtLayout* of_b, const LtLayout* of_c, const LtLayout* of_d,
                                   const LtPreference*, int wanted, LtResult* results, int* found) {
  if (!context) return blas_not_initialized;
  if (wanted < 1 || !results || !found) return blas_invalid_value;
  *found = 0;
  const LtAlgorithm only{lt_algorithm_mark, {}};
  const int state = cublasLtMatmulAlgoCheck(context, product, of_a, of_b, of_c, of_d, &only, results);
  *found = state == blas_success;
  return state;
}
int cublasLtMatmulAlgoGetIds(LtContext* context, int, int, int, int, int, int, int wanted, int* ids,
                             int* found) {
  if (!context) return blas_not_initialized;
  if (wanted < 1 || !ids) return blas_invalid_value;
  ids[0] = 0;
  if (found) *found = 1;
  return blas_success;
}
int cublasLtMatmulAlgoInit(LtContext* context, int, int, int, int, int, int, int id, LtAlgorithm* out) {
  if (!context) return blas_not_initialized;
  if (id != 0 || !out) return blas_invalid_value;
  *out = {lt_algorithm_mark, {}};
  return blas_success;
}
// It has no tiles, no stages and no other choices: lists are empty, numbers 0.
int cublasLtMatmulAlgoCapGetAttribute(const LtAlgorithm* algorithm, int id, void* to, std::size_t size,
                                      std::size_t* written) {
  constexpr int last = 22, tiles = 6, stages = 13;
  if (!algorithm || id < 0 || id > last) return blas_invalid_value;
  const bool is_list = id == tiles || id == stages;
  if (written) *written = is_list ? 0 : std::max<std::size_t>(size, sizeof(int));
  if (to && !is_list) std::memset(to, 0, size);
  return blas_success;
}

} // extern "C"
} // namespace warplens::runtime
