// The rules, one file each, and what they share: turning a measured site into the access it would be after a
// change.
#pragma once
#include "advise/advise.h"
#include <functional>

namespace warplens::advise::rules {

struct Subject {
  const measure::SiteRecord& site;
  const arch::Counts& counters; // of the context's architecture
  const Context& context;
};

// A rule adds at most one piece of advice.
using Rule = void(const Subject&, std::vector<Advice>&);
Rule strided;              // a stride wider than the element: index order, structure of arrays, shared tile
Rule misaligned;           // consecutive, but starting inside a segment
Rule broadcast;            // one address for the warp: fine, a note
Rule scattered;            // no pattern: sort, tile, texture
Rule narrow;               // consecutive, but 1 to 8 bytes a lane: vector loads
Rule bank_conflict;        // shared memory: pad by one
Rule constant_serialised;  // constant memory read at several addresses
Rule local_array;          // an array of each thread that lives in device memory
Rule same_address_atomics; // a whole warp updates one address: aggregate first
inline constexpr Rule* all[] = {strided,       misaligned,          broadcast,   scattered,           narrow,
                                bank_conflict, constant_serialised, local_array, same_address_atomics};

// The counts if every lane went elsewhere: as many instructions as measured, with the measured lanes spread
// evenly over them from lane 0 up, each lane at `address(lane)` in the access that `change` prepared.
struct Change {
  access::Space space{};
  u32 bytes = 4;
  std::function<u64(u32 lane)> address;
};
arch::Counts predicted(const Subject&, const Change&);
// The same for another number of instructions and lanes.
arch::Counts predicted(const Subject&, const Change&, u64 instructions, u64 threads);

// The site's own space and width, with consecutive lanes at consecutive addresses from an aligned start.
Change consecutive(const Subject&);

bool is_device(access::Space);
// Does the architecture move larger pieces than the touched sectors? Only up to 3.x.
bool moves_more_than_sectors(const Subject&);
Advice draft(const Subject&, std::string rule, Metric metric);

} // namespace warplens::advise::rules
