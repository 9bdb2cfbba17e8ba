// --check memory and --check race: every access of a launch, looked at lane by lane before it is made. Findings are warnings of
// the launch, one per kind and place:
//
//   memory-uninitialized   a load or an atomic reads a byte of global or shared memory that nobody wrote
//   race-shared            two warps access a byte of shared memory, one of them writes it, and no barrier orders them
//   race-warp              the same of two lanes of one warp, and no __syncwarp() orders them (races.h)
//
// (What is outside every allocation, or was freed, is found in any launch: memory/check.cpp.)
//
// A StepObserver in the way of every op (observe.h): it resolves the access as the op's own handler is about to. Global memory
// is judged by Memory::written(), shared memory by the CTA's SharedShadow. What CTAs write to global memory counts as written
// at once, whoever reads it in this launch: the order of CTAs is not looked at.
//
// Shared memory is not judged in kernels that order or write it by other means than these follow: mbarriers, bulk copies,
// clusters, stmatrix. A note says so (check-shared-skipped).
#pragma once
#include "sim/memory/access.h"
#include "sim/observe.h"
#include <map>
#include <set>

namespace warplens::sim {

class AccessChecks final : public StepObserver {
public:
  explicit AccessChecks(Exec& x) : x_(x) {}
  void begin(Cta&); // a CTA starts: of its shared memory nothing is written
  void entered(const CallFrame&, const Mask&) override {}
  void before(const Step&) override;

private:
  bool judges_shared(); // of the kernel and what it calls
  void look(const Op&, const Access&);
  void look_at_global(const Op&, u32 thread, u64 address, u32 bytes);
  void look_at_shared(const Op&, u32 thread, u64 offset, u32 bytes);
  std::array<std::byte, 32> stored_by(const Op&, u32 thread); // of a store
  void report_race(const Op&, u32 thread, u64 offset, const Races::Earlier&);
  bool is_unused_exchange(const Op&);

  Exec& x_;
  std::optional<bool> judges_shared_;
  std::map<const Code*, std::set<ir::SiteId>> unused_; // of each function, atomics whose result nobody reads
  std::set<std::pair<const Op*, bool>> told_;          // races, of one warp or not
};

// __syncwarp(), bar.warp.sync: what else brings lanes together orders no memory.
inline bool is_warp_barrier(const Op& op) {
  return op.kind() == OpKind::warp_barrier && op.form->has(ir::Modifier::warp);
}
// Lanes of a warp pass such a barrier, whose mask names `named`.
void meet_at_warp_barrier(Exec&, u32 warp, u32 lanes, u32 named);

// Leaves out races of one warp at lines that have races between warps.
void drop_covered_races(std::vector<diag::Diagnostic>& warnings);

// Whether arrivals at barriers are told one by one.
inline bool watches_barriers(const Exec& x) {
  return x.launch.options.checks.sync || x.cta->shadow != nullptr;
}

} // namespace warplens::sim
