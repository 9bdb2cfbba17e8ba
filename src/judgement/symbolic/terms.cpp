// What a term's value is, operation by operation. What C leaves undefined is 0 here.
#include "symbolic/quasi_polynomial.h"

namespace warplens::symbolic {
namespace {

__extension__ using UnsignedWide = unsigned __int128;

Wide wrapped(Wide value, u32 bits, bool is_signed) {
  if (bits == 0 || bits > 64) return value;
  UnsignedWide modulus = UnsignedWide{1} << bits;
  UnsignedWide low = static_cast<UnsignedWide>(value) & (modulus - 1);
  if (is_signed && low >= modulus / 2) return static_cast<Wide>(low) - static_cast<Wide>(modulus);
  return static_cast<Wide>(low);
}

Wide shifted(Wide value, Wide count, bool left) {
  if (count < 0 || count > 63) return 0;
  if (left) return static_cast<Wide>(static_cast<UnsignedWide>(value) << static_cast<u32>(count));
  return value >> static_cast<u32>(count);
}

} // namespace

Wide value_of(Op op, std::span<const Wide> v) {
  switch (op) {
  case Op::quotient: return v[1] == 0 ? 0 : v[0] / v[1];
  case Op::remainder: return v[1] == 0 ? 0 : v[0] % v[1];
  case Op::bit_and: return v[0] & v[1];
  case Op::bit_or: return v[0] | v[1];
  case Op::bit_xor: return v[0] ^ v[1];
  case Op::shift_left: return shifted(v[0], v[1], true);
  case Op::shift_right: return shifted(v[0], v[1], false);
  case Op::less: return v[0] < v[1];
  case Op::less_equal: return v[0] <= v[1];
  case Op::equal: return v[0] == v[1];
  case Op::not_equal: return v[0] != v[1];
  case Op::minimum: return std::min(v[0], v[1]);
  case Op::maximum: return std::max(v[0], v[1]);
  case Op::select: return v[0] != 0 ? v[1] : v[2];
  case Op::product:
    return static_cast<Wide>(static_cast<UnsignedWide>(v[0]) * static_cast<UnsignedWide>(v[1]));
  case Op::wrap_signed: return wrapped(v[0], static_cast<u32>(v[1]), true);
  case Op::wrap_unsigned: return wrapped(v[0], static_cast<u32>(v[1]), false);
  }
  return 0;
}

} // namespace warplens::symbolic
