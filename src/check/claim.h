// What can be said of one memory instruction, for one case of a warp: how its addresses lie, which lanes take part, and
// what a warp pays at least and at most.
#pragma once
#include "check/counting.h"
#include "check/lanes.h"

namespace warplens::check {

// How the lanes' addresses depend on what is not known, best known first.
enum class Dependence : u8 {
  none,     // distances between lanes are known
  stride,   // they are known numbers times an unknown one that all lanes share
  choice,   // each lane has one of a few
  data,     // they follow from what was loaded, differently in each lane
  undecided // or from something that the analysis has no form for
};

struct Claim {
  Dependence dependence = Dependence::none;
  bool executed = true;        // else: by no lane of such a warp
  bool uniform = false;        // one address in all lanes
  bool any_subset = false;     // of the lanes may take part
  u32 active = full_mask;      // the most lanes that may
  access::AccessHeader header; // with the space that the address leads to
  std::vector<Costs> costs;    // [architectures]
  // Where the alignment of the base makes a difference: what it costs where all in it that parameters decide is a multiple
  // of what it takes; and of which parameters, by how much.
  std::vector<Costs> aligned;
  struct Alignment {
    std::vector<u32> symbols; // their product
    u64 modulus = 1;          // is to be a multiple of this
  };
  std::vector<Alignment> alignments;
  bool aligned_by_launch = false; // something besides parameters moves the base
  // One warp to look at, if there is one: lanes at known distances, the base as aligned as it can be.
  std::optional<Placed> example;
  // stride: the address moves by these from lane to lane, per one of the product of the symbols.
  std::optional<symbolic::Term> stride;
  symbolic::SetId causes = 0;
  symbolic::Value address;
};

// `address`: the operand's number in the function.
Claim claim(Analysis&, const access::AccessHeader&, u32 instruction, u32 block, u32 address,
            std::span<Counter>);

// Of a stride: what a warp costs where it is `value`, at a base as aligned as can be.
Placed with_stride(Analysis&, const Claim&, i64 value);

} // namespace warplens::check
