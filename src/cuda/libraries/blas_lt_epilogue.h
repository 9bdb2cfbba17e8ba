// What comes behind a product of cuBLASLt: a bias, ReLU and GELU, what these keep for later, and their gradients. GELU is x/2
// (1 + tanh(√(2/π) (x + 0.044715 x³))). The mask that ReLU keeps has a bit per element, column by column, the lowest bit of a
// byte first; a GPU's was not compared.
#pragma once
#include "libraries/blas_elements.h"
#include "libraries/blas_lt.h"

namespace warplens::runtime {

inline double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
inline double gelu_slope(double x) {
  const double c = std::sqrt(2 / M_PI), t = std::tanh(c * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
}

// What comes behind a product, element by element, for one matrix of a batch.
struct LtEpilogueOf {
  const LtProduct& p;
  const LtLayout& d;
  i64 batch;
  int bias_type() const { return p.bias_type < 0 ? d.type : p.bias_type; }
  int aux_type() const { return p.aux_type < 0 ? d.type : p.aux_type; }
  u64 from(i64 step) const { return static_cast<u64>(batch) * static_cast<u64>(step); }
  u64 bias_at(i64 i) const { return from(p.bias_step) + static_cast<u64>(i); }
  u64 aux_at(i64 i, i64 j) const { return from(p.aux_step) + static_cast<u64>(j * p.aux_leading + i); }

  double operator()(double x, i64 i, i64 j) const {
    if ((p.epilogue & lt_bias) != 0 && p.bias) x += read_element(p.bias, bias_type(), bias_at(i));
    const bool keeps = (p.epilogue & lt_aux) != 0;
    if ((p.epilogue & lt_relu) != 0) {
      if (keeps) mask(i, j, x > 0);
      return std::max(x, 0.0);
    }
    if ((p.epilogue & lt_gelu) != 0) {
      if (keeps) write_element(p.aux, aux_type(), aux_at(i, j), x);
      return gelu(x);
    }
    if ((p.epilogue & lt_relu_gradient) != 0) return is_masked(i, j) ? x : 0;
    if ((p.epilogue & lt_gelu_gradient) != 0)
      return x * gelu_slope(read_element(p.aux, aux_type(), aux_at(i, j)));
    return x;
  }

private:
  void mask(i64 i, i64 j, bool on) const {
    std::byte& byte = static_cast<std::byte*>(p.aux)[aux_at(i, j) / 8];
    const auto bit = std::byte{1} << static_cast<int>(aux_at(i, j) % 8);
    byte = on ? byte | bit : byte & ~bit;
  }
  bool is_masked(i64 i, i64 j) const {
    const std::byte byte = static_cast<const std::byte*>(p.aux)[aux_at(i, j) / 8];
    return (byte >> static_cast<int>(aux_at(i, j) % 8) & std::byte{1}) != std::byte{0};
  }
};

// Sums over the rows or the columns of what the gradient of a bias is made of, to the bias.
template <class Element> void sum_to_bias(const LtEpilogueOf& e, i64 count, i64 terms, Element&& element) {
  for (i64 i = 0; i < count; ++i) {
    double sum = 0;
    for (i64 j = 0; j < terms; ++j) sum += element(i, j);
    write_element(e.p.bias, e.bias_type(), e.bias_at(i), sum);
  }
}

} // namespace warplens::runtime
