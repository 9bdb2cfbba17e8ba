// What a worker keeps of one site in one space until the launch has ended.
//
// Affine accesses are what most sites of most kernels do, again and again with the same strides: their counts
// depend on the bases of the CTAs only modulo 256 bytes (the largest unit that any rule of src/hardware/arch/MODEL.md
// speaks of: two 128-byte segments, a row of 3.x banks). So a cell keeps the forms that it met (strides,
// block, masks) and, for each, how often it began at each of the 256 places; what that counts is worked out
// in the end, once per form and place, for any number of architectures.
#pragma once
#include "measure/busiest_word.h"
#include "measure/tally.h"
#include <memory>

namespace warplens::measure {

using Architectures = std::span<const arch::Architecture* const>; // the first is the device

class AffineForm; // an affine access apart from the place where it begins

// What the accesses of a cell came to.
struct Sums {
  std::vector<arch::Counts> counts{}; // per architecture
  WarpTally tally{};                  // on the device
  arch::Counts without_pattern{};     // on the device, of warps that are not in the tally
};

// The forms of one cell's affine accesses, at most so many: then the one that was met longest ago is folded
// into the cell's sums. Sites in loops go through their forms in turns, so the next one is tried first. What a form with a mask
// costs pays when it comes again: masks that follow data seldom do.
class AffineForms {
public:
  AffineForms();
  AffineForms(AffineForms&&) noexcept;
  ~AffineForms();
  // False the first time that a mask is met: then its lanes have to be counted.
  bool add(const access::AffineAccess&, u64 access, Architectures, Sums&);
  void fold_into(Architectures, Sums&);

private:
  static constexpr std::size_t most_forms = 64;
  std::vector<std::unique_ptr<AffineForm>> forms_;
  std::size_t last_ = 0;
};

struct Cell {
  access::AccessHeader header{};            // of its accesses, which differ in their lanes alone
  Cell* next = nullptr;                     // the same site in another space
  u64 accesses = 0;                         // met so far
  Sums sums{};                              // complete when settled
  LaneCounter lanes{};                      // for the device; what it has counted is not in the sums yet
  std::vector<arch::BatchCounter> others{}; // the same for the other architectures
  AffineForms affine{};
  BusiestWord words{};

  void settle(Architectures);
};

} // namespace warplens::measure
