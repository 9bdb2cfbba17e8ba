// See nccl.h: the elements of NCCL's types as numbers that are computed with.
#include "libraries/nccl.h"
#include "sem/convert.h"
#include <cmath>
#include <cstring>

namespace warplens::runtime::nccl {
namespace {

template <class T> struct Plain {
  using Value = T;
  static T read(const std::byte* at) {
    T out;
    std::memcpy(&out, at, sizeof out);
    return out;
  }
  static void write(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }
};
template <class H> struct Small {
  using Value = float;
  static float read(const std::byte* at) { return sem::to_float(Plain<H>::read(at)); }
  static void write(std::byte* at, float value) { Plain<H>::write(at, sem::to_half<H>(value)); }
};
template <bool Wide> struct Byte {
  using Value = float;
  static float read(const std::byte* at) {
    return sem::to_float(sem::byte_to_half<Wide>(Plain<u8>::read(at)));
  }
  static void write(std::byte* at, float value) {
    Plain<u8>::write(at, static_cast<u8>(sem::ToFormat(Wide ? sem::format_e5m2 : sem::format_e4m3,
                                                       sem::Round::nearest, true)
                                             .apply(double{value})));
  }
};

// Calls f with the elements of a type that there is.
template <class F> void with_type(int type, F&& f) {
  switch (type) {
  case int8: return f(Plain<i8>());
  case uint8: return f(Plain<u8>());
  case int32: return f(Plain<i32>());
  case uint32: return f(Plain<u32>());
  case int64: return f(Plain<i64>());
  case uint64: return f(Plain<u64>());
  case float16: return f(Small<sem::F16>());
  case float32: return f(Plain<float>());
  case float64: return f(Plain<double>());
  case bfloat16: return f(Small<sem::BF16>());
  case e4m3: return f(Byte<false>());
  default: return f(Byte<true>());
  }
}

// Integers wrap around.
template <class V> V combine(int op, V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    using U = std::make_unsigned_t<V>;
    if (op == product)
      return static_cast<V>(static_cast<U>(static_cast<u64>(static_cast<U>(a)) * static_cast<U>(b)));
    if (op == maximum || op == minimum) return (op == maximum) == (a < b) ? b : a;
    return static_cast<V>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    if (op == product) return a * b;
    if (op == maximum || op == minimum) return op == maximum ? std::fmax(a, b) : std::fmin(a, b);
    return a + b;
  }
}

// A factor as numbers of a type.
template <class V> V as(const Factor& factor) {
  if constexpr (std::is_integral_v<V>)
    return static_cast<V>(factor.integer);
  else
    return static_cast<V>(factor.real);
}

} // namespace

u64 bytes_of(int type) {
  constexpr u8 bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type < 0 || static_cast<std::size_t>(type) >= std::size(bytes) ? 0 : bytes[type];
}

Factor factor_of(int type, const void* scalar) {
  Factor out;
  with_type(type, [&]<class Element>(Element) {
    const auto value = Element::read(static_cast<const std::byte*>(scalar));
    out = {static_cast<double>(value), static_cast<i64>(value)};
  });
  return out;
}

void reduce(const Reduction& how, const Inbox& inbox, u64 from, u64 count, void* out) {
  with_type(how.type, [&]<class Element>(Element) {
    using V = typename Element::Value;
    const u64 size = bytes_of(how.type);
    for (u64 i = 0; i < count; ++i) {
      V value{};
      for (std::size_t rank = 0; rank < inbox.size(); ++rank) {
        const V one = Element::read(inbox[rank].data() + (from + i) * size);
        value = rank == 0 ? one : combine(how.op, value, one);
      }
      if (how.op == average) value = static_cast<V>(value / static_cast<V>(inbox.size()));
      Element::write(static_cast<std::byte*>(out) + i * size, value);
    }
  });
}

std::vector<std::byte> multiplied(const Reduction& how, const void* data, u64 bytes) {
  std::vector<std::byte> out(bytes);
  with_type(how.type, [&]<class Element>(Element) {
    const auto factor = as<typename Element::Value>(how.factor);
    for (u64 at = 0; at < bytes; at += bytes_of(how.type))
      Element::write(out.data() + at,
                     combine(product, Element::read(static_cast<const std::byte*>(data) + at), factor));
  });
  return out;
}

} // namespace warplens::runtime::nccl
