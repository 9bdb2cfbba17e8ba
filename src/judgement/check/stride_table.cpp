#include "check/stride_table.h"
#include <numeric>

namespace warplens::check {
namespace {

using symbolic::Value;

// A number whose largest power of two decides, as it does in banks: times * v + plus, where all that is known of the lanes is
// that much of what the number moves them by.
struct Decider {
  i64 times = 1, plus = 0;
};
std::optional<Decider> decider_of(const Strided& s) {
  std::optional<Decider> out;
  for (u32 lane = 1; lane < warp_size; ++lane) {
    const i64 step = s.step[lane] - s.step[0], known = s.placed.offset[lane] - s.placed.offset[0];
    if (step == 0 && known == 0) continue;
    if (step == 0) return {};
    const i64 common = std::gcd(step, known) * (step < 0 ? -1 : 1);
    const Decider here{step / common, known / common};
    if (out && (out->times != here.times || out->plus != here.plus)) return {};
    out = here;
  }
  return out;
}

// By the largest power of two in it, where all numbers with that cost the same; 0 and what is beside it apart.
std::optional<StrideTable> by_power(Analysis& a, const Claim::Stride& stride,
                                    const Expressions& expressions) {
  constexpr i64 most = 32; // words, or pairs of them, until all lanes meet in a bank
  const std::optional<Decider> decider = decider_of(stride.lanes);
  if (!decider || stride.unit != 1) return {};
  std::map<i64, Interval> by;
  for (const auto& [v, paid] : stride.paid) {
    const i64 number = decider->times * v + decider->plus;
    if (number == 0) continue;
    const i64 power = std::min<i64>(most, static_cast<i64>(symbolic::power_of_two_in(number)));
    auto [known, fresh] = by.try_emplace(power, paid);
    if (!fresh && !(known->second == paid)) return {};
  }
  if (by.size() < 2) return {};
  const Value number =
      a.algebra.add(a.algebra.scale(stride.number, decider->times, 64), a.pool.constant(decider->plus), 64);
  return StrideTable{expressions.polynomial(number), true, {by.begin(), by.end()}, 0, {}};
}

} // namespace

std::optional<StrideTable> stride_table(Analysis& a, access::Space space, const Claim::Stride& stride,
                                        const Expressions& expressions) {
  const bool shared = space == access::Space::shared;
  if (std::all_of(stride.paid.begin(), stride.paid.end(),
                  [&](const auto& row) { return row.second == stride.paid[0].second; }))
    return {};
  if (shared)
    if (std::optional<StrideTable> table = by_power(a, stride, expressions)) return table;
  std::vector<std::pair<i64, Interval>> rows; // from 0 on
  for (const auto& row : stride.paid)
    if (row.first >= 0) rows.push_back(row);
  if (rows.empty()) return {};
  std::size_t steady = rows.size() - 1;
  while (steady > 0 && rows[steady - 1].second == rows.back().second) --steady;
  constexpr std::size_t most_rows = 9;
  const bool repeats = rows.back().first > stride.far; // then what is said of the last holds of all behind
  if (steady + 1 == rows.size() && (repeats || rows.size() > most_rows)) return {}; // it goes up and down
  const auto [from, beyond] = rows[steady];
  rows.resize(std::min(steady, most_rows));
  return StrideTable{expressions.polynomial(stride.number), false, std::move(rows), from, beyond};
}

} // namespace warplens::check
