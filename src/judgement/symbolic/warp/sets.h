// Small sets of numbers that are kept once and named by an id: the loops that a value changes in, why it differs between
// lanes, what was assumed of it. Unions are asked for at every operation, nearly always of the same few pairs.
#pragma once
#include "base/types.h"
#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <vector>

namespace warplens::symbolic {

using SetId = u32; // 0: empty

class Sets {
public:
  Sets() : sets_(1) { ids_[{}] = 0; }

  SetId of(u32 element) { return intern({element}); }
  const std::vector<u32>& elements(SetId set) const { return sets_[set]; }
  bool contains(SetId set, u32 element) const {
    return std::binary_search(sets_[set].begin(), sets_[set].end(), element);
  }

  SetId unite(SetId a, SetId b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    if (a > b) std::swap(a, b);
    auto [known, fresh] = unions_.try_emplace(u64{a} << 32 | b, 0);
    if (fresh) {
      std::vector<u32> all;
      std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                     std::back_inserter(all));
      known->second = intern(std::move(all));
    }
    return known->second;
  }
  bool meet(SetId a, SetId b) const { return a != 0 && b != 0 && common(a, b).size() != 0; }
  SetId intersect(SetId a, SetId b) { return a == 0 || b == 0 ? 0 : intern(common(a, b)); }
  SetId without(SetId a, SetId b) {
    if (a == 0 || b == 0) return a;
    std::vector<u32> rest;
    std::set_difference(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                        std::back_inserter(rest));
    return intern(std::move(rest));
  }
  SetId intern(std::vector<u32> sorted) {
    auto [known, fresh] = ids_.try_emplace(sorted, static_cast<SetId>(sets_.size()));
    if (fresh) sets_.push_back(std::move(sorted));
    return known->second;
  }

private:
  std::vector<u32> common(SetId a, SetId b) const {
    std::vector<u32> out;
    std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                          std::back_inserter(out));
    return out;
  }
  std::vector<std::vector<u32>> sets_;
  std::map<std::vector<u32>, SetId> ids_;
  std::unordered_map<u64, SetId> unions_;
};

} // namespace warplens::symbolic
