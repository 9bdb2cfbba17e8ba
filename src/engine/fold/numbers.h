// A source of a followed op as a number: its value in each lane, how it moves from CTA to CTA, and what has to hold for
// a sum, a quotient or a comparison of such numbers to move with them. rules.cpp says which opcode needs what.
//
// A change is `Wide` while it is computed, 128 bits for each axis, so that nothing is lost before it is brought back to the
// register's width (give_moved). Functions that narrow f.lanes do so for the duration of a call.
#pragma once
#include "fold/rules.h"
#include <algorithm>
#include <optional>

namespace warplens::fold {

using Wide = std::array<i128, most_axes>;

Wide widened(const PerStep& k);
Wide sum(const Wide& a, const Wide& b, i128 factor = 1); // a + factor·b
inline Wide times(const Wide& a, i128 factor) { return sum(Wide{}, a, factor); }
bool is_zero(const Wide& k);

inline u32 bits_of(const Followed& f, u32 source) { return f.x.values[f.op.source(source)].bits; }
inline u32 result_bits(const Followed& f) { return f.x.values[f.op.destination(0)].bits; }
i128 as_number(u64 value, u32 bits, bool sign);
i128 number(const Followed& f, u32 source, u32 thread, bool sign);
inline bool still(const Followed& f, u32 source) { return f.source[source]->invariant(); }
inline Wide delta(const Followed& f, u32 source) { return widened(f.source[source]->k); }

// The result of f.lanes: a change, none that is known, or a number of changes modulo 2^bits, as the least in magnitude.
inline void give(Followed& f, const Delta& delta) { f.result.push_back({f.lanes, delta}); }
void give_unknown(Followed& f);
void give_moved(Followed& f, const Wide& k, u32 bits);

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
void look_for_split(Followed& f, const PerStep& drift, i128 c);

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
// Which lanes a comparison of two sources holds for; it will for the whole class. None when that cannot be said.
std::optional<Mask> outcome(Followed& f, ir::Comparison how, u32 a, u32 b, bool sign);

// The numbers that source `source` has in f.lanes.
struct NumberRange {
  i128 low = 0, high = 0;
};
NumberRange number_range(Followed& f, u32 source, bool sign);
// The value of a source stays within its register in every CTA of the set.
void keep_in_range(Followed& f, u32 source, bool sign);

} // namespace warplens::fold
