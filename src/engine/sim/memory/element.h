// Elements of memory as registers hold them: 1, 2, 4 or 8 bytes, zero- or sign-extended into 16, 32 or 64 bits.
#pragma once
#include "base/types.h"
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace warplens::sim {

inline u64 host_address(const void* at) { return reinterpret_cast<u64>(at); }
// Only of what is read or written: a number may be any address, a pointer may not.
inline std::byte* host_pointer(u64 address) { return reinterpret_cast<std::byte*>(address); }

template <class M> M read_element(const std::byte* at) {
  M value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class M> M read_element(u64 host) { return read_element<M>(host_pointer(host)); }
template <class M> void write_element(u64 host, M value) {
  std::memcpy(host_pointer(host), &value, sizeof value);
}

// One whose width is known at run time.
inline u64 read_one(const std::byte* at, u32 bytes, bool sign) {
  auto wide = [](auto value) { return static_cast<u64>(static_cast<i64>(value)); };
  switch (bytes) {
  case 1: return sign ? wide(read_element<i8>(at)) : read_element<u8>(at);
  case 2: return sign ? wide(read_element<i16>(at)) : read_element<u16>(at);
  case 4: return sign ? wide(read_element<i32>(at)) : read_element<u32>(at);
  default: return read_element<u64>(at);
  }
}

// Calls f.template operator()<M, C>() for the memory width, sign and register width at hand.
template <class F> void with_types(u32 memory_bytes, bool sign, u32 register_bits, F&& f) {
  auto with_register = [&]<class M>() {
    if (register_bits == 16)
      f.template operator()<M, u16>();
    else if (register_bits == 32)
      f.template operator()<M, u32>();
    else
      f.template operator()<M, u64>();
  };
  switch (memory_bytes) {
  case 1: return sign ? with_register.template operator()<i8>() : with_register.template operator()<u8>();
  case 2: return sign ? with_register.template operator()<i16>() : with_register.template operator()<u16>();
  case 4: return sign ? with_register.template operator()<i32>() : with_register.template operator()<u32>();
  default: return with_register.template operator()<u64>();
  }
}

} // namespace warplens::sim
