// How each kind of operand moves from CTA to CTA, and the conditions that sums and quotients need. See numbers.h.
#include "fold/numbers.h"

namespace warplens::fold {

using ir::Comparison;

i128 as_number(u64 value, u32 bits, bool sign) {
  if (!sign) return i128{value};
  return static_cast<i64>(value << (64 - bits)) >> (64 - bits);
}
i128 number(const Followed& f, u32 source, u32 thread, bool sign) {
  return as_number(f.x.lane_value(f.op.source(source), thread), bits_of(f, source), sign);
}

void give_unknown(Followed& f) { give(f, unknown(Cause::arithmetic, f.at)); }

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
Wide sum(const Wide& a, const Wide& b, i128 factor) {
  Wide out;
  for (u32 i = 0; i < most_axes; ++i) out[i] = a[i] + factor * b[i];
  return out;
}
bool is_zero(const Wide& k) {
  return std::all_of(k.begin(), k.end(), [](i128 v) { return v == 0; });
}

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

namespace {

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

} // namespace

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

} // namespace warplens::fold
