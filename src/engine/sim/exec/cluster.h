// Clusters: CTAs that run at the same time, wait for each other and reach each other's shared memory.
//
// Addresses. Within .shared::cluster the lowest 24 bits are a place in a CTA's shared memory; what stands above is 0 for the
// CTA of the thread itself, else the other CTA's rank + 1. So an address of .shared::cta is one of .shared::cluster, as PTX
// demands. Generic addresses are the same from where the window of shared memory begins. Machine code puts the rank there, of the
// CTA itself, too (LaunchState::ranks_in_addresses).
//
// All CTAs of a cluster are run by one worker: shared memory belongs to one host thread.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

struct Cluster {
  std::vector<Cta*> ctas;                  // by rank
  std::vector<std::unique_ptr<Cta>> ended; // kept, since others may still look at their shared memory
};

inline constexpr u64 cluster_rank_shift = 24; // 2^24 = Memory::window_size

// Opens the cluster's barrier when all threads of all CTAs have come, or have ended.
void complete_cluster_barrier(Exec&, Cta&);
// Lanes of the current CTA that the cluster's barrier holds go on when all threads of all CTAs have come, or have ended.
bool release_cluster_waits(Exec&, Cta&);
// Where the threads of a cluster are, for messages.
std::string describe_cluster_barrier(const Exec&, const Cta&);

} // namespace warplens::sim
