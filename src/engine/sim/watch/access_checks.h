// --check memory and --check race: every access of a launch, looked at lane by lane before it is made. Findings are warnings of
// the launch, one per kind and place:
//
//   memory-uninitialized   a load or an atomic reads a byte of global or shared memory that nobody wrote
//   race-shared            two warps access a byte of shared memory, one of them writes it, and no barrier orders them
//   race-warp              the same of two lanes of one warp, and no __syncwarp() orders them (races.h)
//
// (What is outside every allocation, or was freed, is found in any launch: ops/check.cpp.)
//
// A StepObserver in the way of every op (observe.h): it resolves the access as the op's own handler is about to. Global memory
// is judged by Memory::written(), shared memory by what is kept of the CTA's. What CTAs write to global memory counts as written
// at once, whoever reads it in this launch: the order of CTAs is not looked at.
//
// Shared memory is not judged in kernels that order or write it by other means than these follow: mbarriers, bulk copies,
// clusters, stmatrix. A note says so (check-shared-skipped).
#pragma once
#include "sim/ops/access.h"
#include "sim/watch/observe.h"
#include "sim/watch/races.h"
#include <map>
#include <set>
#include <unordered_map>

namespace warplens::sim {

class AccessChecks final : public StepObserver, public Watcher {
public:
  explicit AccessChecks(Exec& x) : x_(x) {}
  void begin(Cta&) override; // of its shared memory nothing is written
  void arrive(const Op&, u32 id, Barrier&, u32 expected) override;
  void go_on(u32 id, const Mask&) override;
  void close(u32 id) override;
  void meet(u32 warp, u32 lanes, u32 named) override;
  void entered(const CallFrame&, const Mask&) override {}
  void before(const Step&) override;

private:
  bool judges_shared(); // of the kernel and what it calls
  void look(const Op&, const AccessView&);
  void look_at_global(const Op&, u32 thread, u64 address, u32 bytes);
  void look_at_shared(const Op&, u32 thread, u64 offset, u32 bytes);
  std::array<std::byte, 32> stored_by(const Op&, u32 thread); // of a store
  void report_race(const Op&, u32 thread, u64 offset, const Races::Earlier&);
  bool is_unused_exchange(const Op&);

  // What is known of one CTA's shared memory while it runs.
  struct Shadow {
    std::vector<bool> written; // a bit per byte
    Races races;
  };
  Shadow& shadow() { return shadows_[x_.cta]; }

  Exec& x_;
  std::unordered_map<const Cta*, Shadow> shadows_; // of each that runs, or ran in the same place
  std::optional<bool> judges_shared_;
  std::map<const Code*, std::set<ir::SiteId>> unused_; // of each function, atomics whose result nobody reads
  std::set<std::pair<const Op*, bool>> told_;          // races, of one warp or not
};

// Leaves out races of one warp at lines that have races between warps.
void drop_covered_races(std::vector<diag::Diagnostic>& warnings);

} // namespace warplens::sim
