#include "fold/conditions.h"
#include <algorithm>
#include <numeric>

namespace warplens::fold {

PerStep negated(const PerStep& k) {
  PerStep out;
  for (u32 a = 0; a < most_axes; ++a) out[a] = static_cast<i64>(u64{0} - static_cast<u64>(k[a]));
  return out;
}

std::size_t Conditions::Hash::operator()(const PerStep& k) const {
  u64 h = 0;
  for (i64 v : k) h = (h ^ static_cast<u64>(v)) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h;
}

Conditions::Conditions(const CtaSet& set) : set_(set) { every_.fill(1); }

i128 Conditions::reach(const PerStep& k) const {
  i128 sum = 0;
  for (u32 a = 0; a < most_axes; ++a)
    if (k[a] > 0) sum += i128{k[a]} * (set_.axis[a].count - 1);
  return sum;
}

void Conditions::at_most(const PerStep& k, i128 slack) {
  if (reach(k) <= slack) return;
  auto [at, fresh] = slack_.try_emplace(k, slack);
  if (!fresh) at->second = std::min(at->second, slack);
}

void Conditions::multiple_of(const PerStep& k, u64 m) {
  for (u32 a = 0; a < most_axes; ++a) {
    if (k[a] == 0 || set_.axis[a].count == 1) continue;
    u64 magnitude = k[a] < 0 ? u64{0} - static_cast<u64>(k[a]) : static_cast<u64>(k[a]);
    every_[a] = std::lcm(every_[a], m / std::gcd(m, magnitude));
  }
}

Similarity Conditions::solve() const {
  Similarity out;
  for (u32 a = 0; a < most_axes; ++a) out.last[a] = set_.axis[a].count - 1;
  for (const auto& [k, slack] : slack_) {
    // Shorten the axes with the largest change first, each as little as it takes.
    std::array<u32, most_axes> order{};
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return k[a] > k[b]; });
    i128 sum = 0;
    for (u32 a = 0; a < most_axes; ++a)
      if (k[a] > 0) sum += i128{k[a]} * out.last[a];
    for (u32 a : order) {
      if (sum <= slack) break;
      if (k[a] <= 0) continue;
      i128 others = sum - i128{k[a]} * out.last[a];
      out.last[a] = others > slack ? 0 : static_cast<u32>((slack - others) / k[a]);
      sum = others + i128{k[a]} * out.last[a];
    }
  }
  for (u32 a = 0; a < most_axes; ++a)
    out.every[a] = static_cast<u32>(std::min<u64>(every_[a], u64{out.last[a]} + 1));
  return out;
}

} // namespace warplens::fold
