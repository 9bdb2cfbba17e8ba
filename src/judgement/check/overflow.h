// Indices of 32 bits that wrap around before they are widened to an address: from which size of the launch on.
//
// An index is worth a word where it is more than a number of a thread: a product, or a multiple of one. blockIdx.x*blockDim.x +
// threadIdx.x alone is not: a launch would need 2^31 threads along x, and an `int` that it is compared with holds no more.
// Nor is what needs an array larger than the memory of a GPU, or than an array whose size is known.
#pragma once
#include "check/sizes.h"

namespace warplens::check {

// Does `a` wrap at smaller sizes? Not where they are sizes of different kinds.
bool is_earlier(const Overflow& a, const Overflow& b);

class Overflows {
public:
  Overflows(const Flow&, const Launches&, const Names&);
  // Of the access by the instruction, whose address is the operand.
  std::optional<Overflow> of(u32 instruction, u32 block, u32 address);

private:
  struct Place { // of an access
    u32 instruction, block;
  };
  std::optional<Overflow> in_address(u32 operand, u64 scale, u32 depth);
  std::optional<Overflow> widened(u32 operand, bool is_signed, u64 scale);
  std::optional<Overflow> in_index(u32 ssa_value, u64 limit, u64 scale, u32 depth);
  std::optional<Overflow> overflow(u32 ssa_value, const Bound&, u64 limit, u64 scale) const;
  // Is the bound of the value one that some thread comes to? A mask or a remainder only says what cannot be passed.
  bool is_reached(u32 ssa_value, std::set<u32>& visited, u32 depth = 0) const;
  std::string name(const Size&) const;
  std::string name(const Product&, double factor) const;
  bool is_unconditional() const;

  Sizes sizes_;
  const Launches& launches_;
  const Names& names_;
  Place place_{};
  std::set<u32> seen_;
};

} // namespace warplens::check
