// A set of small numbers of which all are known beforehand: slots, registers, blocks.
#pragma once
#include "base/types.h"
#include <bit>
#include <vector>

namespace warplens::sim {

class BitSet {
public:
  explicit BitSet(std::size_t size = 0) : words_((size + 63) / 64) {}
  void set(u32 i) { words_[i / 64] |= u64{1} << i % 64; }
  void clear(u32 i) { words_[i / 64] &= ~(u64{1} << i % 64); }
  bool has(u32 i) const { return words_[i / 64] >> i % 64 & 1; }
  // Both sets have the same size.
  void add(const BitSet& from) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= from.words_[w];
  }
  template <class F> void each(F&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (u64 rest = words_[w]; rest != 0; rest &= rest - 1)
        f(static_cast<u32>(64 * w) + static_cast<u32>(std::countr_zero(rest)));
  }
  std::size_t words() const { return words_.size(); }
  bool operator==(const BitSet&) const = default;

private:
  std::vector<u64> words_;
};

} // namespace warplens::sim
