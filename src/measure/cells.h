// What a worker keeps of one site in one space until the launch has ended.
//
// Affine accesses are what most sites of most kernels do, again and again with the same strides: their counts
// depend on the bases of the CTAs only modulo 256 bytes (the largest unit that any rule of docs/MODEL.md
// speaks of: two 128-byte segments, a row of 3.x banks). So a cell keeps the forms that it met (strides,
// block, masks) and, for each, how often it began at each of the 256 places; what that counts is worked out
// in the end, once per form and place, for any number of architectures.
#pragma once
#include "arch/count.h"
#include "measure/sample.h"
#include <memory>

namespace warplens::measure {

using Architectures = std::span<const arch::Architecture* const>;

class AffineForm; // an affine access apart from the place where it begins

// The forms of one cell's affine accesses, at most so many: then the one that was met longest ago is folded
// into the cell's sums. Sites in loops go through their forms in turns, so the next one is tried first.
class AffineForms {
public:
  AffineForms();
  AffineForms(AffineForms&&) noexcept;
  ~AffineForms();
  void add(const access::AffineAccess&, Architectures, std::vector<arch::Counts>& sums);
  void fold_into(Architectures, std::vector<arch::Counts>& sums);

private:
  static constexpr std::size_t most_forms = 64;
  std::vector<std::unique_ptr<AffineForm>> forms_;
  std::size_t last_ = 0;
};

struct Cell {
  access::Space space{};
  Cell* next = nullptr;                      // the same site in another space
  std::vector<arch::Counts> sums{};          // per architecture; complete when settled
  std::vector<arch::BatchCounter> batches{}; // of lanes, which are not in the sums yet
  AffineForms affine{};
  Sample sample{};

  void settle(Architectures);
};

} // namespace warplens::measure
