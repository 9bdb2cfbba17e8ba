// What can be said of one memory instruction, for one case of a warp: how its addresses lie, which lanes take part, and
// what a warp pays at least and at most.
#pragma once
#include "check/judgement.h"
#include "check/lanes.h"
#include "check/strides.h"

namespace warplens::check {

// A bulk copy between global memory and shared memory: operands' numbers in the function.
struct BulkOperands {
  u32 global = 0, size = 0; // where it is in global memory, and how many bytes
};

struct Claim {
  Dependence dependence = Dependence::none;
  bool executed = true;           // else: by no lane of such a warp
  bool uniform = false;           // one address in all lanes
  bool any_subset = false;        // of the lanes may take part
  u32 active = full_mask;         // the most lanes that may
  access::AccessHeader header;    // with the space that the address leads to
  u64 row_bytes = 0;              // of a bulk copy: how many; the costs are those of one copy, by one lane
  std::optional<Written> written; // as Placed has it
  std::vector<Costs> costs;       // [architectures]
  // Where the alignment of the base makes a difference: what it costs where all in it that parameters decide is a multiple
  // of what it takes; and of which parameters, by how much.
  std::vector<Costs> aligned;
  struct Alignment {
    std::vector<u32> symbols; // their product
    u64 modulus = 1;          // is to be a multiple of this
  };
  std::vector<Alignment> alignments;
  // What every launch that comes to it ends with: in these lanes.
  struct Fault {
    u32 lanes = 0;
    bool outside = false; // of an array; else misaligned
    i64 bytes = 0;        // by which the first of the lanes is off, or where it is in the array
    u64 modulus = 1;      // what the address has to be a multiple of, or the array's size
    u32 pointer =
        ir::no_value; // misaligned: the parameter that it is so for, if aligned as cudaMalloc does it
  };
  std::optional<Fault> fault;
  std::vector<Alignment> demands; // what has to be so for an address to be a multiple of what is accessed
  bool overruns = false; // a thread of a block of this shape would leave an array whose size is known
  u64 unit_in_launch =
      measure::sector_bytes; // what moves the base besides parameters does so by multiples of it
  // Of what the first architecture pays, with all lanes that may take part: one number; and where `aligned` holds.
  bool decided = false, decided_if = false;
  // Of the first architecture: where pointers are aligned to no more than what is accessed; and whether that differs.
  Costs anywhere;
  bool rests_on_pointers = false;
  bool walks = false;                  // a loop takes each lane on from where a loaded value has led it
  bool rests_on_reconvergence = false; // lanes that parted before come there together
  bool rests_on_global = false;        // a generic address that was loaded or handed over leading there
  // One warp to look at, if there is one: lanes at known distances, the base as aligned as it can be.
  std::optional<Placed> example;
  u64 known_unit = arch::address_period; // what is not known of where it begins is a multiple of this
  // Of where an asynchronous copy writes: the copy's own, where it reads.
  std::optional<access::WarpAccess> copied;
  bool conflict_free = false; // where it writes, whatever the copy takes for where it reads
  // stride: where it is one number that all lanes share, and nothing else that is not known moves lanes apart.
  struct Stride {
    symbolic::Value number; // a product of symbols, or a sum of those
    Strided lanes;          // by it, divided by `unit`
    i64 unit = 1;
    // On the first architecture, of all lanes that may take part, by the number; ascending, in steps of `unit`.
    std::vector<std::pair<i64, Interval>> paid;
    bool in_every_case = true; // the lanes lie so in every warp
    i64 far = 0;               // what is paid for values further from 0 repeats
  };
  std::optional<Stride> stride;
  symbolic::SetId causes = 0;
  symbolic::SetId assumed = 0; // of the address, and of who takes part
  symbolic::Value address;
};

// `address`: the operand's number in the function.
Claim claim(Analysis&, const access::AccessHeader&, u32 instruction, u32 block, u32 address,
            std::span<Counter>);
// Of where an asynchronous copy, whose claim is of where it reads, writes in shared memory. The wavefronts are those of the
// whole copy.
Claim claim_of_written(Analysis&, const access::AccessHeader& copy, u32 instruction, u32 block, u32 address,
                       std::span<Counter>);
// Of wmma.load and wmma.store: of each of the accesses that they are made of.
std::vector<Claim> claims_of_fragment(Analysis&, const access::AccessHeader&, u32 instruction, u32 block,
                                      std::span<Counter>);
// Of a bulk copy from or to global memory; nothing where how much it moves is not known.
std::optional<Claim> claim_of_copy(Analysis&, const access::AccessHeader&, u32 instruction, u32 block,
                                   const BulkOperands&, std::span<Counter>);

} // namespace warplens::check
