// Elements of matrices whose type is a number of the call (cudaDataType): the real ones, by way of double.
#pragma once
#include "libraries/blas.h"
#include "sem/convert.h"
#include <algorithm>
#include <cmath>

namespace warplens::runtime {

// What is too large for 8 bits becomes the largest number that they have.
inline u8 byte_float(const sem::Format& format, double value) {
  return static_cast<u8>(sem::ToFormat(format, sem::Round::nearest, true).apply(value));
}

// An element of any real type as a double, and back, rounded once.
inline double read_element(const void* base, int type, u64 i) {
  switch (type) {
  case real_32: return double{static_cast<const float*>(base)[i]};
  case real_64: return static_cast<const double*>(base)[i];
  case real_16: return double{sem::to_float(static_cast<const sem::F16*>(base)[i])};
  case real_bf16: return double{sem::to_float(static_cast<const sem::BF16*>(base)[i])};
  case real_e4m3: return double{sem::to_float(sem::byte_to_half<false>(static_cast<const u8*>(base)[i]))};
  case real_e5m2: return double{sem::to_float(sem::byte_to_half<true>(static_cast<const u8*>(base)[i]))};
  case integer_8: return double{static_cast<double>(static_cast<const i8*>(base)[i])};
  default: return double{static_cast<double>(static_cast<const i32*>(base)[i])};
  }
}
inline void write_element(void* base, int type, u64 i, double value) {
  switch (type) {
  case real_32: static_cast<float*>(base)[i] = static_cast<float>(value); break;
  case real_64: static_cast<double*>(base)[i] = value; break;
  case real_16: static_cast<sem::F16*>(base)[i] = sem::to_half<sem::F16>(static_cast<float>(value)); break;
  case real_bf16:
    static_cast<sem::BF16*>(base)[i] = sem::to_half<sem::BF16>(static_cast<float>(value));
    break;
  case real_e4m3: static_cast<u8*>(base)[i] = byte_float(sem::format_e4m3, value); break;
  case real_e5m2: static_cast<u8*>(base)[i] = byte_float(sem::format_e5m2, value); break;
  case integer_8: // saturated
    static_cast<i8*>(base)[i] = static_cast<i8>(std::clamp(std::nearbyint(value), -128.0, 127.0));
    break;
  default: static_cast<i32*>(base)[i] = static_cast<i32>(value); break;
  }
}
// 0: no type of these products.
inline u64 element_bytes(int type) {
  switch (type) {
  case real_32:
  case integer_32: return 4;
  case real_64: return 8;
  case real_16:
  case real_bf16: return 2;
  case integer_8:
  case real_e4m3:
  case real_e5m2: return 1;
  default: return 0;
  }
}

enum Compute : int {
  compute_16 = 64,
  compute_16_pedantic,
  compute_32 = 68,
  compute_64 = 70,
  compute_64_pedantic,
  compute_integer = 72,
  compute_integer_pedantic
};
// The type of alpha and beta.
inline int scalar_type(int compute) {
  switch (compute) {
  case compute_16:
  case compute_16_pedantic: return real_16;
  case compute_64:
  case compute_64_pedantic: return real_64;
  case compute_integer:
  case compute_integer_pedantic: return integer_32;
  default: return real_32;
  }
}

} // namespace warplens::runtime
