// What must hold for another CTA to do what the representative does, collected while the representative runs.
//
// A CTA of the set is named by its steps t (cta_set.h); the representative has t = 0. A quantity that moves
// with the CTA changes by k·t, k the change per step along each axis. Conditions are
//   at_most     k·t ≤ slack       (a comparison keeps its outcome, an address its array, a number its sign)
//   multiple_of k·t ≡ 0 mod m     (an address keeps its alignment)
// and the answer is a box with a stride per axis in which all of them hold: for one axis the exact set, for
// several a part of it. Conditions that hold in the whole set cost nothing and are not kept.
#pragma once
#include "fold/cta_set.h"
#include <unordered_map>

namespace warplens::fold {

__extension__ typedef __int128 i128;
using PerStep = std::array<i64, most_axes>;

inline bool is_zero(const PerStep& k) {
  i64 any = 0;
  for (i64 v : k) any |= v;
  return any == 0;
}
PerStep negated(const PerStep&);

class Conditions {
public:
  explicit Conditions(const CtaSet&);
  void at_most(const PerStep& k, i128 slack); // slack ≥ 0: it holds at t = 0
  void multiple_of(const PerStep& k, u64 m);
  // The most that k·t comes to in the whole set.
  i128 reach(const PerStep& k) const;
  Similarity solve() const;
  const CtaSet& set() const { return set_; }

private:
  struct Hash {
    std::size_t operator()(const PerStep& k) const;
  };
  CtaSet set_;
  std::unordered_map<PerStep, i128, Hash> slack_;
  std::array<u64, most_axes> every_{};
};

} // namespace warplens::fold
