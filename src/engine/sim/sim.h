// The emulator's public face: a Program (a lowered module, its variables placed in device memory) and
// launch().
//
// launch() runs one grid to its end, every warp of every CTA, on `workers` host threads, and hands every
// memory access to one access::Sink per worker. It does not print and does not throw; what goes wrong in the
// kernel comes back as a Fault with kernel, place, thread and address.
#pragma once
#include "access/site.h"
#include "base/diagnostic.h"
#include "base/launch_limits.h"
#include "ir/module.h"
#include "sim/children.h"
#include "sim/memory/memory.h"
#include "sim/texture/image.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>

namespace warplens::sim {

// What the emulated device looks like to a kernel; one reference part per compute capability (arch/ has the
// rows).
struct DeviceShape {
  u32 sm = 90; // compute capability × 10
  u32 multiprocessors = 132;
  LaunchLimits limits;
  u32 max_shared_per_cta = 232448;  // with opt-in
  u32 shared_allocation_unit = 128; // bytes, a power of two: a CTA has a multiple of them
  u32 clock_khz = 1980000;
  bool lockstep_warps = false; // all lanes of a warp are at one instruction: no independent thread scheduling
};

// Everything the devices keep between launches. One per process that emulates: whose turn it is, the memory knows.
struct Device {
  DeviceShape shape;
  std::unique_ptr<Memory> memory;
  TextureObjects textures;
  u64 heap_limit = u64{8} << 20; // cudaLimitMallocHeapSize
  std::atomic<u64> heap_used = 0;
  std::function<void(std::string_view)> print; // device printf, whole formatted pieces; may be empty
  std::function<bool(u64)> is_host;            // may the host read at this address? may be empty
  DeviceRuntime runtime{};
};

struct KernelInfo { // for cudaFuncGetAttributes and occupancy
  std::string name;
  std::vector<std::pair<u32, u32>> parameters; // offset, size: in order
  u32 parameter_bytes = 0;
  u32 static_shared = 0;
  u32 local_bytes = 0; // .local variables, per thread
  std::array<u32, 3> required_threads{};
  std::array<u32, 3> max_threads{};
  std::array<u32, 3> required_cluster{}; // CTAs; 0 where the kernel does not say
  bool explicit_cluster = false;         // it must be launched with clusters
  u32 registers_estimate = 0; // live 32-bit registers at the worst point: an estimate, ptxas decides
  std::vector<access::LocalArray> local_arrays;
};

class Program {
public:
  // Variables that lie where somebody has memory for them already, by name. The addresses are the host's, and reachable by the
  // device as long as the program is loaded.
  using GivenPlaces = std::map<std::string, u64, std::less<>>;
  // Lowers a module and places its global, constant and managed variables in device memory, initialised.
  static Result<std::unique_ptr<Program>> load(ir::Module module, Device& device, const GivenPlaces& = {});
  // More kernels of a program, on its device, with the same variables.
  static Result<std::unique_ptr<Program>> more(const Program&, ir::Module kernels);
  // The same code for the device in use, with variables of its own; managed ones are those of `first`, which lives as long.
  static Result<std::unique_ptr<Program>> again(const Program& first, Device& device);
  ~Program();
  const ir::Module& module() const;
  std::optional<ir::FunctionId> kernel(std::string_view name) const;
  KernelInfo info(ir::FunctionId) const;
  struct Symbol {
    u64 address = 0, size = 0;
  };
  std::optional<Symbol> symbol(std::string_view variable) const; // global, constant and managed variables

  struct Impl;
  Impl& impl() const { return *impl_; }

private:
  explicit Program(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

enum class FaultKind : u8 {
  none,
  illegal_address,
  misaligned_address,
  assertion,
  trap,
  unsupported_instruction,
  unsupported_call,
  invalid_instruction,
  timeout,
  cancelled,
  deadlock,
  stack_overflow,
  internal
};
struct Fault {
  FaultKind kind = FaultKind::none;
  diag::Diagnostic diagnostic; // kernel, source line, thread, address, nearest allocation in words
  Dim3 cta, thread;
  u64 address = 0;
};

struct LaunchSpec {
  ir::FunctionId kernel;
  Dim3 grid, block, cluster;
  u32 dynamic_shared = 0;
  std::span<const std::byte> parameters; // laid out as KernelInfo::parameters says
  bool cooperative = false;
};
// What to look for beside faults; findings are warnings of the launch. Each makes CTAs run one by one.
struct LaunchChecks {
  bool sync = false;   // barriers that PTX leaves undefined (watch/sync_check.h)
  bool memory = false; // reads of what nobody wrote (watch/access_checks.h); the device's memory is tracked
  bool race = false;   // accesses to shared memory that no barrier orders
  bool any() const { return sync || memory || race; }
};
// A sample of the grid that runs before the rest (exec/sample.h), so that wherever the launch ends, its counts stand for the
// whole. A launch has none whose grid is too small for that, or is cooperative, in clusters, checked, or prints.
struct Sampled {
  std::vector<u64>
      weights; // of each part, in the order of the grid: what it counted stands for so many like it; 0: it did not end
  std::vector<u64> work{};                     // warp instructions of each part
  u64 ctas = 0;                                // that ended
  u64 warp_instructions = 0, of_grid = 0;      // of these; of the whole grid, estimated
  bool stands() const { return of_grid != 0; } // enough of it ended
};
struct Sampling {
  enum class Rest : u8 { counted, uncounted, left_out };
  // A sink for each of so many parts; before the launch runs.
  std::function<std::vector<access::Sink*>(std::size_t parts)> begin;
  // When the sample has ended: what becomes of the rest, if no more can be sampled; and how many times as many batches would be better.
  struct Next {
    Rest rest = Rest::counted;
    u64 times = 1;
  };
  std::function<Next(const Sampled&)> next;
};
struct LaunchOptions {
  std::string name; // of the kernel, as people call it; empty: the PTX function's
  u32 workers = 0;  // 0: one per core
  u32 batch = 0;    // CTAs that run in lockstep, at most; 0: chosen from the kernel and the grid (batch.cpp)
  std::vector<access::Sink*> sinks; // one per worker, or empty: count nothing
  std::optional<Sampling> sampling;
  LaunchChecks checks;
  bool strict_memory = false; // an access past an allocation stops the launch
  u64 call_stack_bytes =
      64 << 10; // per thread, for local variables of functions that are called; only what is
                // touched takes memory
  // Once either is so, no CTA begins any more, and those that run have a moment to end (exec/closing.h). Time in which the
  // process was stopped does not count.
  std::optional<std::chrono::steady_clock::duration> time_limit;
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(u64 done, u64 total)> progress; // CTAs; called often, from all workers
};
struct LaunchResult {
  std::optional<Fault> fault; // the launch did not finish
  std::vector<diag::Diagnostic>
      warnings; // tolerated out-of-bounds accesses, what LaunchChecks find: one per place
  u64 warp_instructions = 0, thread_instructions = 0;
  u64 begun = 0, ended = 0; // CTAs; both are the grid's where nothing went wrong and nothing was left out
  std::optional<Sampled> sampled;
};
// The CTAs of a cluster: as the launch asks, else as the kernel says (.reqnctapercluster).
Dim3 cluster_of(const ir::Function& kernel, const Dim3& asked);
// The workers that a launch with these options will use: make that many sinks.
u32 worker_count(const LaunchOptions&, const LaunchSpec&);
LaunchResult launch(Device&, const Program&, const LaunchSpec&, const LaunchOptions&);

} // namespace warplens::sim
