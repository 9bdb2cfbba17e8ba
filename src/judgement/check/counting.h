// What a warp's access can cost, from the least to the most: the rules of arch/, asked for every place at which the warp
// may begin, every set of lanes that may take part, and every way its addresses may lie.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "symbolic/warp/pool.h"
#include <optional>
#include <span>
#include <unordered_map>

namespace warplens::check {

struct Interval {
  u64 least = 0, most = 0;
  bool exact() const { return least == most; }
  bool operator==(const Interval&) const = default;
};
inline Interval hull(Interval a, Interval b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

// Of one warp. Passes of the L1's data stage are not among them: which lanes go together follows from all bits of an address.
struct Costs {
  Interval sectors, tags, tag_passes; // tag_passes: 0 where arch/ has no rule for them
  Interval wavefronts, requests;
  Interval ideal; // sectors, or wavefronts in shared memory
  bool operator==(const Costs&) const = default;
};
inline constexpr Interval Costs::*cost_members[] = {&Costs::sectors,    &Costs::tags,     &Costs::tag_passes,
                                                    &Costs::wavefronts, &Costs::requests, &Costs::ideal};
static_assert(std::size(cost_members) * sizeof(Interval) == sizeof(Costs));
Costs hull(const Costs&, const Costs&);
// That no more than `least` is sure.
void lower(Costs&, u64 least);
// The count that says what such an access costs: wavefronts, requests of constant memory, else sectors.
inline const Interval& paid(const Costs& costs, access::Space space) {
  return space == access::Space::shared     ? costs.wavefronts
         : space == access::Space::constant ? costs.requests
                                            : costs.sectors;
}

inline std::string_view counter_of(access::Space space) { // its name
  return space == access::Space::shared     ? "wavefronts"
         : space == access::Space::constant ? "requests"
                                            : "sectors";
}

// Where the lanes of an asynchronous copy write in shared memory: at known distances from a multiple of `unit`.
struct Written {
  symbolic::Lanes offset{};
  u64 unit = 1;
  bool operator==(const Written&) const = default;
};

// Lanes at known distances from a base that is a multiple of `unit`.
struct Placed {
  symbolic::Lanes offset{};
  u64 unit = 1;
  u32 active = full_mask;
  u64 row_bytes = 0;                // of a bulk copy: that each lane has moved from its address on; else 0
  std::optional<Written> written{}; // of an asynchronous copy, where that is known
  bool passes = true; // are passes of the L1's tag stage asked for? They follow from all bits of an address
  bool operator==(const Placed&) const = default;
};

// Is there a base at which each active lane is at a multiple of `bytes`? Where there is none, a GPU stops.
bool can_be_aligned(const Placed&, u64 bytes);

class Counter {
public:
  explicit Counter(const arch::Architecture& row, bool subsets = true) : row_(row), subsets_(subsets) {}
  const arch::Architecture& architecture() const { return row_; }
  // Over all bases at which no active lane is misaligned.
  Costs count(const access::AccessHeader&, const Placed&);
  u64 steps() const { return steps_; } // places that were counted at
  // The same for any of the active lanes.
  Costs count_any_subset(const access::AccessHeader&, Placed);

private:
  struct Key {
    Placed placed;
    access::AccessHeader header;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key&) const;
  };
  Costs count_anew(const access::AccessHeader&, const Placed&) const;
  Costs count_at(const access::WarpAccess&, const Placed&) const;
  Costs count_copy(access::WarpAccess, const Placed&) const;
  Counts copied(const access::WarpAccess&, u64 bytes) const;
  const arch::Architecture& row_;
  bool subsets_; // false: fewer lanes are believed never to cost more (Rules)
  u64 steps_ = 0;
  std::unordered_map<Key, Costs, Hash> known_;
};

inline constexpr u64 any_start = u64{1}
                                 << 40; // aligned as well as can be, and negative offsets stay addresses
// The access with its base at `start`.
access::WarpAccess access_at(const access::AccessHeader&, const Placed&, u64 start);

} // namespace warplens::check
