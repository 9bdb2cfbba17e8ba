// Sums of counters that balance: what a launch shows is the sum of its sites, what a kernel shows the sum of
// its launches. Every total of every report goes through these functions, so that two views cannot disagree.
#pragma once
#include "arch/count.h"
#include "measure/record.h"

namespace warplens::measure {

Counters& operator+=(Counters&, const Counters&);
bool operator==(const Counters&, const Counters&);
// Adds `times` accesses, or sums of accesses, that all count alike.
void add(Counters&, const arch::Counts&, u64 times = 1);
void add(Counters&, const Counters&, u64 times);

// The sum over a launch's sites under its n-th architecture; the second form takes the sites of one space
// alone.
Counters total(const LaunchRecord&, std::size_t architecture);
Counters total(const LaunchRecord&, std::size_t architecture, access::Space);

// What an access moved beyond what its lanes asked for, never negative: sectors (global, local, texture,
// surface), wavefronts (shared), requests beyond one per instruction (constant). The unit depends on the
// space: never add the excess of different spaces.
u64 excess(const Counters&, access::Space);

// What an access moved and what would have done, in bytes, so that spaces and architectures compare:
// transactions with device memory, 128 bytes per shared wavefront, 4 per constant request.
u64 bytes_moved(const Counters&, access::Space);
u64 bytes_needed(const Counters&, access::Space);
u64 excess_bytes(const Counters&, access::Space);

// Bandwidth efficiency: bytes asked for by active lanes (each byte once) / bytes moved; shared: ideal
// wavefronts / wavefronts; constant: instructions / requests. 1 where nothing moved, never above 1.
double efficiency(const Counters&, access::Space);

} // namespace warplens::measure
