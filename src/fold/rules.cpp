// The idea. A register that holds v in the representative holds v + k·t modulo 2^bits in the CTA that is t
// steps away. Sums, differences, products with factors that do not move and shifts to the left keep that form
// whatever wraps. Every other operation looks at the number itself, so the number must not wrap on the way
// (keep_in_range), and then
//   comparison   the outcome of each lane is kept while the difference keeps its sign: one condition for the
//                lanes where it holds, one for those where it does not;
//   x / c, x >> s, mul.hi, x & (2^s - 1), x % c
//                write k = q·c + e with e small: the quotient moves by q and the remainder by e as long as
//                the remainder stays in [0, c). For a compiler's multiplication by a reciprocal this is what
//                makes the quotient exact. When e does not stay small, an axis of the set is split so that
//                m·k has a small e (NeedsSplit);
//   minimum, maximum, selection
//                lanes are split off by what they choose, and the choice is kept.
// What has no rule gives an unknown result, unless nothing moves: then the result does not move either.
//
// Specification: PTX ISA, "Integer Arithmetic Instructions" to "Data Movement and Conversion Instructions".
#include "fold/rules.h"
#include <algorithm>
#include <optional>

namespace warplens::fold {
namespace {

using ir::Comparison;
using ir::Modifier;
using ir::Opcode;
using Wide = std::array<i128, most_axes>;

u32 bits_of(const Followed& f, u32 source) { return f.x.values[f.op.source(source)].bits; }
u32 result_bits(const Followed& f) { return f.x.values[f.op.destination(0)].bits; }

i128 as_number(u64 value, u32 bits, bool sign) {
  if (!sign) return i128{value};
  return static_cast<i64>(value << (64 - bits)) >> (64 - bits);
}
i128 number(const Followed& f, u32 source, u32 thread, bool sign) {
  return as_number(f.x.lane_value(f.op.source(source), thread), bits_of(f, source), sign);
}

void give(Followed& f, const Delta& delta) { f.result.push_back({f.lanes, delta}); }
void give_unknown(Followed& f) { give(f, unknown(Cause::arithmetic, f.at)); }

// A change that is a number modulo 2^bits, as the least one in magnitude.
void give_moved(Followed& f, const Wide& k, u32 bits) {
  Delta out;
  for (u32 a = 0; a < most_axes; ++a) {
    u64 low = static_cast<u64>(k[a]);
    out.k[a] = static_cast<i64>(low << (64 - bits)) >> (64 - bits);
    if (out.k[a] == INT64_MIN) return give_unknown(f); // has no negative
  }
  give(f, out);
}

Wide widened(const PerStep& k) {
  Wide out;
  std::copy(k.begin(), k.end(), out.begin());
  return out;
}
Wide sum(const Wide& a, const Wide& b, i128 factor = 1) {
  Wide out;
  for (u32 i = 0; i < most_axes; ++i) out[i] = a[i] + factor * b[i];
  return out;
}
Wide times(const Wide& a, i128 factor) { return sum(Wide{}, a, factor); }
bool is_zero(const Wide& k) {
  return std::all_of(k.begin(), k.end(), [](i128 v) { return v == 0; });
}

bool still(const Followed& f, u32 source) { return f.source[source]->invariant(); }
Wide delta(const Followed& f, u32 source) { return widened(f.source[source]->k); }

// Calls g(value) with f.lanes narrowed to the lanes that share the value of a source that does not move;
// false when there are too many different ones.
template <class G> bool each_value(Followed& f, u32 source, bool sign, G&& g) {
  constexpr std::size_t most_values = Track::most_parts;
  const Mask lanes = f.lanes;
  if (const Value& v = f.x.values[f.op.source(source)]; v.uniform()) {
    u64 value = v.bits < 64 ? v.base & ((u64{1} << v.bits) - 1) : v.base;
    g(as_number(value, v.bits, sign));
    return true;
  }
  std::vector<std::pair<i128, Mask>> values;
  each_thread(lanes, [&](u32 thread) {
    if (values.size() > most_values) return;
    i128 value = number(f, source, thread, sign);
    auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == value; });
    if (at == values.end()) at = values.insert(values.end(), {value, Mask{}});
    at->second.word[thread / warp_size] |= 1u << thread % warp_size;
  });
  if (values.size() > most_values) return false;
  for (const auto& [value, mask] : values) {
    f.lanes = mask;
    g(value);
  }
  f.lanes = lanes;
  return true;
}

struct Division {
  bool possible = false;
  Wide quotient{};  // how floor(x / c) moves
  Wide remainder{}; // how x mod c moves
};

// An axis whose split makes m steps come to a multiple of c, or close to one (a reciprocal).
void look_for_split(Followed& f, const PerStep& drift, i128 c) {
  const CtaSet& set = f.conditions.set();
  if (!has_free_axis(set) || f.unsplittable.contains(&f.op)) return;
  for (u32 a = 0; a < most_axes; ++a) {
    if (drift[a] == 0) continue;
    i128 exact = c,
         left = drift[a] < 0 ? -i128{drift[a]} : i128{drift[a]}; // c and the drift's common divisor
    while (left != 0) {
      exact %= left;
      std::swap(exact, left);
    }
    if (c / exact < set.axis[a].count) throw NeedsSplit{a, static_cast<u32>(c / exact)};
  }
  constexpr u32 most_tried = 1 << 16;
  for (u32 a = 0; a < most_axes; ++a) {
    if (drift[a] == 0) continue;
    u32 count = set.axis[a].count;
    i128 at = drift[a];
    for (u32 m = 2; m < count && m <= most_tried; ++m) {
      at += drift[a];
      if (at >= c || -at >= c) at %= c;
      i128 distance = at < 0 ? -at : at;
      distance = std::min(distance, c - distance);
      if (distance * (count / m) * 64 <= c) throw NeedsSplit{a, m};
    }
  }
  f.unsplittable.insert(&f.op);
}

// floor(x / c) and x mod c of numbers that do not wrap, x = value(thread), moving by k.
template <class V> Division divide(Followed& f, const Wide& k, i128 c, V&& value) {
  Division out;
  PerStep drift{};
  for (u32 a = 0; a < most_axes; ++a) {
    if (f.conditions.set().axis[a].count == 1) continue;
    i128 e = k[a] % c; // the least in magnitude
    if (e < 0) e += c;
    if (e >= c - e) e -= c;
    if (e < INT64_MIN + i128{1} || e > INT64_MAX) return out;
    drift[a] = static_cast<i64>(e);
    out.quotient[a] = (k[a] - e) / c;
    out.remainder[a] = e;
  }
  out.possible = true;
  if (fold::is_zero(drift)) return out;
  i128 low = c, high = -1;
  each_thread(f.lanes, [&](u32 thread) {
    i128 r = value(thread) % c;
    if (r < 0) r += c;
    low = std::min(low, r);
    high = std::max(high, r);
  });
  PerStep back = negated(drift);
  if (f.conditions.reach(drift) > c - 1 - high || f.conditions.reach(back) > low) look_for_split(f, drift, c);
  f.conditions.at_most(drift, c - 1 - high);
  f.conditions.at_most(back, low);
  return out;
}

// Whether a comparison of two numbers holds, by their difference.
bool is_true(Comparison how, i128 difference) {
  switch (how) {
  case Comparison::eq: return difference == 0;
  case Comparison::ne: return difference != 0;
  case Comparison::lt: return difference < 0;
  case Comparison::gt: return difference > 0;
  case Comparison::ge:
  case Comparison::hs_: return difference >= 0;
  default: return difference <= 0;
  }
}

// Which lanes a comparison of two sources holds for; it will for the whole class. None when that cannot be
// said.
std::optional<Mask> outcome(Followed& f, Comparison how, u32 a, u32 b, bool sign) {
  PerStep k;
  for (u32 i = 0; i < most_axes; ++i)
    if (__builtin_sub_overflow(f.source[a]->k[i], f.source[b]->k[i], &k[i]) || k[i] == INT64_MIN) return {};
  keep_in_range(f, a, sign);
  keep_in_range(f, b, sign);
  // The differences nearest to zero, on either side.
  bool zero = false;
  std::optional<i128> below, above;
  Mask holds;
  each_thread(f.lanes, [&](u32 thread) {
    i128 d = number(f, a, thread, sign) - number(f, b, thread, sign);
    zero |= d == 0;
    if (d < 0) below = below ? std::max(*below, d) : d;
    if (d > 0) above = above ? std::min(*above, d) : d;
    holds.word[thread / warp_size] |= u32{is_true(how, d)} << thread % warp_size;
  });
  PerStep back = negated(k);
  bool zero_is_below = how == Comparison::le || how == Comparison::ls_ || how == Comparison::gt,
       zero_is_above = how == Comparison::lt || how == Comparison::ge || how == Comparison::hs_;
  if (zero && !zero_is_above) f.conditions.at_most(k, 0);
  if (zero && !zero_is_below) f.conditions.at_most(back, 0);
  if (below) f.conditions.at_most(k, -*below - (zero_is_below ? 0 : 1));
  if (above) f.conditions.at_most(back, *above - (zero_is_above ? 0 : 1));
  return holds;
}

bool comparable(Comparison how) {
  switch (how) {
  case Comparison::eq:
  case Comparison::ne:
  case Comparison::lt:
  case Comparison::le:
  case Comparison::gt:
  case Comparison::ge:
  case Comparison::ls_:
  case Comparison::hs_: return true;
  default: return false;
  }
}

bool is_plain_integer(ir::Type type) {
  return !ir::is_float(type) && ir::bits(type) >= 16 && type != ir::Type::u16x2 && type != ir::Type::s16x2;
}

void compare(Followed& f) {
  const ir::Form& form = *f.op.form;
  ir::Type type = form.type(form.opcode == Opcode::set ? 1 : 0);
  Comparison how = form.comparison();
  if (!is_plain_integer(type) || !comparable(how)) return give_unknown(f);
  bool sign = ir::is_signed(type) && how != Comparison::ls_ && how != Comparison::hs_;
  if (!outcome(f, how, 0, 1, sign)) return give_unknown(f);
  give(f, Delta{});
}

// Lanes where `first` holds move like source 0, the others like source 1.
void choose(Followed& f, const Mask& first) {
  Mask one, other;
  for (u32 w = 0; w < f.lanes.word.size(); ++w) {
    one.word[w] = f.lanes.word[w] & first.word[w];
    other.word[w] = f.lanes.word[w] & ~first.word[w];
  }
  if (one != Mask{}) f.result.push_back({one, *f.source[0]});
  if (other != Mask{}) f.result.push_back({other, *f.source[1]});
}

void minimum_or_maximum(Followed& f) {
  if (f.op.sources != 2) return give_unknown(f);
  bool least = f.op.form->opcode == Opcode::min;
  std::optional<Mask> first =
      outcome(f, least ? Comparison::le : Comparison::ge, 0, 1, ir::is_signed(f.op.form->type()));
  if (!first) return give_unknown(f);
  choose(f, *first);
}

void select(Followed& f) {
  Mask first;
  each_thread(f.lanes, [&](u32 thread) {
    first.word[thread / warp_size] |= static_cast<u32>(f.x.lane_value(f.op.source(2), thread) & 1)
                                      << thread % warp_size;
  });
  choose(f, first);
}

// Source `of` times the factor in source `by`, which does not move, plus source 2 of a mad.
void multiply(Followed& f) {
  const ir::Form& form = *f.op.form;
  bool sign = ir::is_signed(form.type()), wide = form.has(Modifier::wide), high = form.has(Modifier::hi);
  bool mad = form.opcode == Opcode::mad;
  u32 of = still(f, 1) ? 0 : 1, by = 1 - of, bits = bits_of(f, of);
  if (!still(f, by)) return give_unknown(f);
  if (still(f, of)) return give(f, *f.source[2]); // only the addend of a mad moves
  if ((wide || high) && !still(f, of)) keep_in_range(f, of, sign);
  Wide addend = mad ? delta(f, 2) : Wide{};
  const Mask lanes = f.lanes;
  bool few = each_value(f, by, sign, [&](i128 factor) {
    if (!high) return give_moved(f, sum(addend, delta(f, of), factor), result_bits(f));
    if (bits > 32 && !sign) return give_unknown(f); // the product may leave 127 bits
    Division d = divide(f, times(delta(f, of), factor), i128{1} << bits,
                        [&](u32 thread) { return number(f, of, thread, sign) * factor; });
    if (!d.possible) return give_unknown(f);
    give_moved(f, sum(addend, d.quotient), result_bits(f));
  });
  f.lanes = lanes;
  if (!few) give_unknown(f);
}

void shift_left(Followed& f) {
  u32 bits = bits_of(f, 0);
  if (!still(f, 1)) return give_unknown(f);
  bool few = each_value(f, 1, false, [&](i128 amount) {
    give_moved(f, amount >= bits ? Wide{} : times(delta(f, 0), i128{1} << static_cast<u32>(amount)), bits);
  });
  if (!few) give_unknown(f);
}

void shift_right(Followed& f) {
  u32 bits = bits_of(f, 0);
  bool sign = ir::is_signed(f.op.form->type());
  if (!still(f, 1)) return give_unknown(f);
  keep_in_range(f, 0, sign);
  bool few = each_value(f, 1, false, [&](i128 amount) {
    if (amount >= bits) {
      if (!sign) return give(f, Delta{});
      amount = bits - 1;
    }
    Division d = divide(f, delta(f, 0), i128{1} << static_cast<u32>(amount),
                        [&](u32 thread) { return number(f, 0, thread, sign); });
    return d.possible ? give_moved(f, d.quotient, bits) : give_unknown(f);
  });
  if (!few) give_unknown(f);
}

// Of numbers that are not negative, in this CTA and in the others.
void divide_or_remainder(Followed& f) {
  bool sign = ir::is_signed(f.op.form->type()), remainder = f.op.form->opcode == Opcode::rem;
  if (!still(f, 1)) return give_unknown(f);
  keep_in_range(f, 0, sign);
  NumberRange range = number_range(f, 0, sign);
  if (range.low < 0) return give_unknown(f);
  f.conditions.at_most(negated(f.source[0]->k), range.low);
  bool few = each_value(f, 1, sign, [&](i128 by) {
    if (by <= 0) return give_unknown(f);
    Division d = divide(f, delta(f, 0), by, [&](u32 thread) { return number(f, 0, thread, sign); });
    if (!d.possible) return give_unknown(f);
    give_moved(f, remainder ? d.remainder : d.quotient, result_bits(f));
  });
  if (!few) give_unknown(f);
}

// How x mod 2^low moves; the register may wrap.
Division low_part(Followed& f, u32 source, u32 low) {
  return divide(f, delta(f, source), i128{1} << low,
                [&](u32 thread) { return number(f, source, thread, false); });
}

// x & mask with the mask's bits in one run [from, to): (x mod 2^to) - (x mod 2^from).
void bit_and(Followed& f) {
  u32 of = still(f, 1) ? 0 : 1, by = 1 - of, bits = bits_of(f, of);
  if (!still(f, by)) return give_unknown(f);
  bool few = each_value(f, by, false, [&](i128 wide_mask) {
    u64 mask = static_cast<u64>(wide_mask);
    if (mask == 0) return give(f, Delta{});
    u32 from = static_cast<u32>(std::countr_zero(mask)), to = static_cast<u32>(std::bit_width(mask));
    Division upper{true, {}, delta(f, of)}, lower = low_part(f, of, from);
    if (to < bits) upper = low_part(f, of, to); // else nothing is cut off at that end
    if (!upper.possible || !lower.possible) return give_unknown(f);
    bool run = is_power_of_two((mask >> from) + 1) || mask >> from == ~u64{0};
    if (!run && !is_zero(upper.remainder)) return give_unknown(f);
    give_moved(f, run ? sum(upper.remainder, lower.remainder, -1) : Wide{}, bits);
  });
  if (!few) give_unknown(f);
}

// The least power of two that every value of a source is a multiple of, moving included.
u32 trailing_zeros(Followed& f, u32 source) {
  u64 any = 0;
  each_thread(f.lanes, [&](u32 t) { any |= f.x.lane_value(f.op.source(source), t); });
  for (i64 k : f.source[source]->k) any |= static_cast<u64>(k);
  return std::min<u32>(static_cast<u32>(std::countr_zero(any)), bits_of(f, source));
}

// Compilers ask whether two 64-bit numbers have 32 bits, to divide faster: ((x | y) & ~(2^32 - 1)) == 0. The
// sum of their bits is unknown, but that it stays below 2^32 is not.
void give_bounded(Followed& f) {
  constexpr u32 half = 32;
  Delta out = unknown(Cause::arithmetic, f.at);
  NumberRange a = number_range(f, 0, false), b = number_range(f, 1, false);
  if (result_bits(f) == 64 && std::max(a.high, b.high) < i128{1} << half) {
    out.below = half;
    for (u32 i = 0; i < 2; ++i) {
      const NumberRange& range = i == 0 ? a : b;
      f.conditions.at_most(f.source[i]->k, (i128{1} << half) - 1 - range.high);
      f.conditions.at_most(negated(f.source[i]->k), range.low);
    }
  }
  give(f, out);
}

// Whether an `and` keeps only bits that one of its sources, though unknown, does not have.
bool clears_unknown(Followed& f) {
  for (u32 of = 0; of < 2; ++of) {
    if (f.source[of]->known() || f.source[of]->below >= 64 || !still(f, 1 - of)) continue;
    u64 kept = ~u64{0};
    each_thread(f.lanes, [&](u32 thread) {
      u64 mask = f.x.lane_value(f.op.source(1 - of), thread);
      kept = std::min<u64>(kept, mask == 0 ? kept : mask & (~mask + 1));
    });
    if (kept >> f.source[of]->below != 0) return true;
  }
  return false;
}

// Whether a source moves by multiples of 2^bits.
bool moves_by_multiples(const Delta& delta, u32 bits) {
  u64 low = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
  return std::all_of(delta.k.begin(), delta.k.end(), [&](i64 k) { return (static_cast<u64>(k) & low) == 0; });
}

// x | y and x ^ y, where y stays below every bit of x (then both are x + y), or y does not move and x does
// not move below the highest bit of y (then they move like x).
void bit_or(Followed& f) {
  for (u32 low = 0; low < 2; ++low) {
    u32 high = 1 - low, room = trailing_zeros(f, high);
    NumberRange range = number_range(f, low, false);
    bool fits = range.high < i128{1} << room;
    if (still(f, low)) {
      u32 width = static_cast<u32>(std::bit_width(static_cast<u64>(range.high)));
      if (!fits && !moves_by_multiples(*f.source[high], width)) continue;
      return give(f, *f.source[high]);
    }
    if (!fits) continue;
    f.conditions.at_most(f.source[low]->k, (i128{1} << room) - 1 - range.high);
    f.conditions.at_most(negated(f.source[low]->k), range.low);
    return give_moved(f, sum(delta(f, 0), delta(f, 1)), result_bits(f));
  }
  give_bounded(f);
}

void absolute(Followed& f) {
  NumberRange range = number_range(f, 0, true);
  keep_in_range(f, 0, true);
  if (range.low < 0) return give_unknown(f);
  f.conditions.at_most(negated(f.source[0]->k), range.low);
  give(f, *f.source[0]);
}

// bfe.u: (x >> position) mod 2^length.
void extract(Followed& f) {
  u32 bits = bits_of(f, 0);
  if (ir::is_signed(f.op.form->type()) || !still(f, 1) || !still(f, 2)) return give_unknown(f);
  keep_in_range(f, 0, false);
  bool few = each_value(f, 1, false, [&](i128 start) {
    bool few_lengths = each_value(f, 2, false, [&](i128 length) {
      u32 from = static_cast<u32>(start) & 255, count = static_cast<u32>(length) & 255;
      if (from >= bits || count == 0) return give(f, Delta{});
      Division shifted =
          divide(f, delta(f, 0), i128{1} << from, [&](u32 thread) { return number(f, 0, thread, false); });
      if (!shifted.possible) return give_unknown(f);
      if (from + count >= bits) return give_moved(f, shifted.quotient, bits);
      Division cut = divide(f, shifted.quotient, i128{1} << count,
                            [&](u32 thread) { return number(f, 0, thread, false) >> from; });
      return cut.possible ? give_moved(f, cut.remainder, bits) : give_unknown(f);
    });
    if (!few_lengths) give_unknown(f);
  });
  if (!few) give_unknown(f);
}

void convert(Followed& f) {
  ir::Type to = f.op.form->type(0), from = f.op.form->type(1);
  if (ir::is_float(to) || ir::is_float(from) || f.op.form->has(Modifier::sat) || f.op.sources != 1)
    return give_unknown(f);
  u32 taken = std::min(ir::bits(to), ir::bits(from)), bits = result_bits(f);
  if (taken < 16) { // 8-bit numbers live in wider registers
    Division low = low_part(f, 0, taken);
    bool extends_sign = ir::is_signed(ir::bits(to) <= ir::bits(from) ? to : from);
    if (!low.possible || (extends_sign && !is_zero(low.remainder))) return give_unknown(f);
    return give_moved(f, low.remainder, bits);
  }
  if (ir::bits(from) != bits_of(f, 0)) return give_unknown(f);
  if (ir::bits(to) > ir::bits(from)) keep_in_range(f, 0, ir::is_signed(from));
  give_moved(f, delta(f, 0), bits);
}

} // namespace

NumberRange number_range(Followed& f, u32 source, bool sign) {
  const Value& v = f.x.values[f.op.source(source)];
  if (v.affine && f.lanes == f.x.shape.all) {
    sim::Range range = sign ? signed_range(v, f.x.shape) : unsigned_range(v, f.x.shape);
    if (range.valid && (sign || v.bits < 64)) return {range.low, range.high};
  }
  NumberRange out;
  bool first = true;
  each_thread(f.lanes, [&](u32 thread) {
    i128 n = number(f, source, thread, sign);
    out.low = first ? n : std::min(out.low, n);
    out.high = first ? n : std::max(out.high, n);
    first = false;
  });
  return out;
}

void keep_in_range(Followed& f, u32 source, bool sign) {
  if (still(f, source)) return;
  u32 bits = bits_of(f, source);
  NumberRange range = number_range(f, source, sign);
  i128 least = sign ? -(i128{1} << (bits - 1)) : i128{0};
  i128 most = (i128{1} << (sign ? bits - 1 : bits)) - 1;
  f.conditions.at_most(f.source[source]->k, most - range.high);
  f.conditions.at_most(negated(f.source[source]->k), range.low - least);
}

void follow_compute(Followed& f) {
  const ir::Form& form = *f.op.form;
  bool moves = false;
  for (u32 i = 0; i < f.op.sources; ++i) {
    if (!f.source[i]->known()) {
      if (form.opcode == Opcode::and_ && clears_unknown(f)) return give(f, Delta{});
      return give(f, unknown(f.source[i]->cause, f.source[i]->at));
    }
    moves |= !f.source[i]->invariant();
  }
  if (!moves) return give(f, Delta{});
  if (form.opcode == Opcode::setp || form.opcode == Opcode::set) return compare(f);
  if (form.opcode == Opcode::selp) return select(f);
  if (form.opcode == Opcode::cvt) return convert(f);
  if (!is_plain_integer(form.type()) || form.has(Modifier::sat) || form.has(Modifier::cc) ||
      form.has(Modifier::relu))
    return give_unknown(f);
  switch (form.opcode) {
  case Opcode::add: return give_moved(f, sum(delta(f, 0), delta(f, 1)), result_bits(f));
  case Opcode::sub: return give_moved(f, sum(delta(f, 0), delta(f, 1), -1), result_bits(f));
  case Opcode::neg:
  case Opcode::not_: return give_moved(f, times(delta(f, 0), -1), result_bits(f));
  case Opcode::mul:
  case Opcode::mad: return multiply(f);
  case Opcode::shl: return shift_left(f);
  case Opcode::shr: return shift_right(f);
  case Opcode::div:
  case Opcode::rem: return divide_or_remainder(f);
  case Opcode::and_: return bit_and(f);
  case Opcode::or_:
  case Opcode::xor_: return bit_or(f);
  case Opcode::min:
  case Opcode::max: return minimum_or_maximum(f);
  case Opcode::abs: return absolute(f);
  case Opcode::bfe: return extract(f);
  default: return give_unknown(f);
  }
}

void follow_resize(Followed& f) {
  if (!f.source[0]->known()) return give(f, unknown(f.source[0]->cause, f.source[0]->at));
  if (result_bits(f) > bits_of(f, 0)) keep_in_range(f, 0, f.op.sign);
  give_moved(f, delta(f, 0), result_bits(f));
}

void follow_move(Followed& f) { give(f, *f.source[0]); }

void follow_pack(Followed& f) {
  u32 part = result_bits(f) / f.op.sources;
  Wide k{};
  for (u32 i = 0; i < f.op.sources; ++i) {
    if (!f.source[i]->known()) return give(f, unknown(f.source[i]->cause, f.source[i]->at));
    if (still(f, i)) continue;
    if (bits_of(f, i) != part) return give_unknown(f);
    if (i + 1 < f.op.sources) keep_in_range(f, i, false); // the last one's carry leaves the register
    k = sum(k, delta(f, i), i128{1} << (i * part));
  }
  give_moved(f, k, result_bits(f));
}

void follow_unpack(Followed& f, u32 piece) {
  if (!f.source[0]->known()) return give(f, unknown(f.source[0]->cause, f.source[0]->at));
  if (still(f, 0)) return give(f, Delta{});
  u32 part = bits_of(f, 0) / f.op.destinations, bits = f.x.values[f.op.destination(piece)].bits;
  if (bits != part) return give_unknown(f);
  if (piece == 0) return give_moved(f, delta(f, 0), part);
  keep_in_range(f, 0, false);
  Division d = divide(f, delta(f, 0), i128{1} << (piece * part),
                      [&](u32 thread) { return number(f, 0, thread, false); });
  return d.possible ? give_moved(f, d.quotient, part) : give_unknown(f);
}

void follow_offset(Followed& f) {
  if (!f.source[0]->known()) return give(f, unknown(f.source[0]->cause, f.source[0]->at));
  if (bits_of(f, 0) < 64) keep_in_range(f, 0, false);
  give_moved(f, delta(f, 0), result_bits(f));
}

} // namespace warplens::fold
