// Batches. Neighbours along x run in lockstep as one wide CTA: what an instruction costs the emulator hardly
// depends on how many warps it does it for. Only kernels for which that makes no difference do so: no loops
// that may wait for other threads, no barriers for some of a CTA's threads, no output of their own. The size
// of a batch depends on the kernel and the grid alone, not on the number of workers, and so do a launch's
// results.
#include "sim/grid/batch.h"
#include "sim/program/program.h"
#include <algorithm>

namespace warplens::sim {
namespace {

// A batch is at most two full CTAs wide; its registers stay within a core's second-level cache, and the grid
// has many batches, for the workers to share evenly.
constexpr u32 most_batch_warps = most_warps;
constexpr u64 most_batch_register_bytes = 512 << 10, most_batch_shared_bytes = 256 << 10;
constexpr u64 least_batches = 16, least_batches_sampled = 256;

} // namespace

u32 batch_size(const LaunchState& launch) {
  const LaunchSpec& spec = launch.spec;
  u64 threads = spec.block.count();
  if (launch.options.checks.any() || spec.cooperative || launch.has_clusters() || threads % warp_size != 0 ||
      !launch.program.runs_in_lockstep(spec.kernel))
    return 1;
  u64 registers = 0;
  for (u8 bits : launch.entry->slot_bits) registers += storage_bytes(bits, static_cast<u32>(threads));
  for (ir::FunctionId f : launch.program.reachable(spec.kernel).functions)
    registers += launch.program.code_of(f).parameter_bytes * threads; // arguments of calls
  const u64 least = launch.options.sampling ? least_batches_sampled : least_batches;
  u64 wanted = launch.options.batch != 0 ? launch.options.batch : spec.grid.count() / least;
  u64 size = std::min<u64>({wanted, most_batch_warps / (threads / warp_size), spec.grid.x,
                            most_batch_register_bytes / (registers + 1)});
  if (launch.shared_stride != 0) size = std::min(size, most_batch_shared_bytes / launch.shared_stride);
  return static_cast<u32>(std::max<u64>(size, 1));
}

} // namespace warplens::sim
