// Counting a launch: one Collector per launch hands one sink to each worker, and adds them up at the end.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "measure/record.h"
#include <memory>
#include <span>

namespace warplens::measure {

class Collector {
public:
  // `architectures`: the compute capabilities to count for, first = the device. `sites`: the module's, which
  // must outlive this object.
  Collector(std::span<const arch::Architecture* const> architectures, std::span<const access::Site> sites,
            u32 workers);
  ~Collector();
  std::vector<access::Sink*> sinks(); // one per worker, owned here
  // For counting by classes of CTAs instead (workers = 0): where the accesses of a CTA that stands for
  // others go, then how many CTAs it stands for and the linear index of the first of them. A class that was
  // begun and not ended is forgotten when the next one begins.
  access::Sink* begin_class();
  void end_class(u64 members, u64 first_member);
  // For launches whose sample runs first (sim::Sampling): a sink for each part of it, beside those of the workers.
  std::vector<access::Sink*> begin_sample(std::size_t parts);
  // The sample stands for the grid, each part for so many like it, and what else was counted is forgotten. Without this call all
  // that was counted is added up.
  void end_sample(std::span<const u64> weights);
  // The sites with their sums, in site order; sites never executed have zero counters. Sums do not depend on
  // the number of workers. A site accessed in several spaces (generic addressing) has one record per space;
  // accesses of sites that were not listed end in a last record without place. Sites that machine code has elsewhere
  // have none. Call once, after the workers have ended.
  std::vector<SiteRecord> finish();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warplens::measure
