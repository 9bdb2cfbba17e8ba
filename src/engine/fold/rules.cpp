// The idea. A register that holds v in the representative holds v + k·t modulo 2^bits in the CTA that is t
// steps away. Sums, differences, products with factors that do not move and shifts to the left keep that form
// whatever wraps. Every other operation looks at the number itself, so the number must not wrap on the way
// (keep_in_range), and then
//   comparison   the outcome of each lane is kept while the difference keeps its sign: one condition for the
//                lanes where it holds, one for those where it does not;
//   x / c, x >> s, shf, mul.hi, x & (2^s - 1), x % c
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
#include "fold/numbers.h"

namespace warplens::fold {
namespace {

using ir::Comparison;
using ir::Modifier;
using ir::Opcode;

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

// shf: 32 bits of the 64-bit number that sources 1 and 0 make. It may wrap: what it wraps by lies above those 32 bits.
void funnel_shift(Followed& f) {
  constexpr u32 word = 32;
  const bool left = f.op.form->has(Modifier::l), wraps = f.op.form->has(Modifier::wrap);
  if (!still(f, 2)) return give_unknown(f);
  keep_in_range(f, 0, false);
  bool few = each_value(f, 2, false, [&](i128 count) {
    const u32 amount = wraps ? static_cast<u32>(count) % word : static_cast<u32>(std::min<i128>(count, word));
    const u32 from = left ? word - amount : amount;
    Division d = divide(f, sum(delta(f, 0), delta(f, 1), i128{1} << word), i128{1} << from, [&](u32 thread) {
      return (number(f, 1, thread, false) << word) + number(f, 0, thread, false);
    });
    return d.possible ? give_moved(f, d.quotient, word) : give_unknown(f);
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

// Compilers ask whether two 64-bit numbers have 32 bits, to divide faster: ((x | y) & ~(2^32 - 1)) == 0. They ask for the sign
// of a quotient: (x ^ y) < 0. The bits of both are unknown, but that the result stays below a power of two is not.
void give_bounded(Followed& f) {
  const u32 half = result_bits(f) == 64 ? 32 : result_bits(f) - 1;
  Delta out = unknown(Cause::arithmetic, f.at);
  NumberRange a = number_range(f, 0, false), b = number_range(f, 1, false);
  if (std::max(a.high, b.high) < i128{1} << half) {
    out.below = static_cast<u8>(half);
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

// Whether it asks for the sign of a number that is unknown, yet not negative.
bool tests_known_sign(Followed& f) {
  const ir::Form& form = *f.op.form;
  if (form.opcode != Opcode::setp || f.op.sources != 2 || !is_plain_integer(form.type()) ||
      !ir::is_signed(form.type()) ||
      (form.comparison() != Comparison::lt && form.comparison() != Comparison::ge))
    return false;
  if (f.source[0]->known() || f.source[0]->below >= bits_of(f, 0) || !still(f, 1)) return false;
  const NumberRange other = number_range(f, 1, true);
  return other.low == 0 && other.high == 0;
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

void follow_compute(Followed& f) {
  const ir::Form& form = *f.op.form;
  bool moves = false;
  for (u32 i = 0; i < f.op.sources; ++i) {
    if (!f.source[i]->known()) {
      if (form.opcode == Opcode::and_ && clears_unknown(f)) return give(f, Delta{});
      if (tests_known_sign(f)) return give(f, Delta{});
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
  case Opcode::shf: return funnel_shift(f);
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
