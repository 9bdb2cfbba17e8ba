// Running a grid: workers take batches of CTAs in order; one that only waits for others is set aside and
// taken up again, so that flags, look-back scans and grid-wide barriers come to their end whatever the number
// of workers.
//
// Batches. Neighbours along x run in lockstep as one wide CTA: what an instruction costs the emulator hardly
// depends on how many warps it does it for. Only kernels for which that makes no difference do so: no loops
// that may wait for other threads, no barriers for some of a CTA's threads, no output of their own. The size
// of a batch depends on the kernel and the grid alone, not on the number of workers, and so do a launch's
// results.
#include "sim/check/access_checks.h"
#include "sim/exec/cluster.h"
#include "sim/program.h"
#include "sim/stall.h"
#include "sim/team.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <thread>

namespace warplens::sim {
namespace {

// What no GPU has more of (CUDA Programming Guide, Technical Specifications per Compute Capability).
constexpr u64 most_ctas_per_multiprocessor = 32, most_threads_per_multiprocessor = 2048;
// Registers, or parameters of calls, of one CTA in the emulator: a bound on what a damaged module can ask
// for.
constexpr u64 most_cta_bytes = u64{1} << 30;

// A batch is at most two full CTAs wide; its registers stay within a core's second-level cache, and the grid
// has many batches, for the workers to share evenly.
constexpr u32 most_batch_warps = most_warps;
constexpr u64 most_batch_register_bytes = 512 << 10, most_batch_shared_bytes = 256 << 10;
constexpr u64 least_batches = 16;

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
  u64 wanted = launch.options.batch != 0 ? launch.options.batch : spec.grid.count() / least_batches;
  u64 size = std::min<u64>({wanted, most_batch_warps / (threads / warp_size), spec.grid.x,
                            most_batch_register_bytes / (registers + 1)});
  if (launch.shared_stride != 0) size = std::min(size, most_batch_shared_bytes / launch.shared_stride);
  return static_cast<u32>(std::max<u64>(size, 1));
}

Fault out_of_host_memory(const LaunchState& launch) {
  Fault fault;
  fault.kind = FaultKind::internal;
  fault.diagnostic =
      diag::error("launch-out-of-memory",
                  fmt::format("the host has no memory left to run kernel '{}'", launch.entry->function->name),
                  {}, "use fewer --workers, or a machine with more memory");
  return fault;
}

Fault early_end(const LaunchState& launch) {
  const std::string& name = launch.entry->function->name;
  Fault out;
  out.kind = launch.closing.why();
  if (out.kind == FaultKind::cancelled)
    out.diagnostic = diag::error("launch-cancelled", fmt::format("kernel '{}' was interrupted", name));
  else
    out.diagnostic =
        diag::error("launch-timeout", fmt::format("kernel '{}' ran longer than the time limit", name), {},
                    "give it more with --timeout, or look for threads that wait for each other for ever");
  return out;
}

class Worker {
public:
  Worker(LaunchState& launch, StallBoard& board, u32 index, u32 workers)
      : launch_(launch), board_(board), stall_(board, index, *launch.device.memory),
        exec_(launch, *launch.shape, index), workers_(workers), total_(launch.spec.grid.count()) {
    if (launch.last_shape) last_exec_ = std::make_unique<Exec>(launch, *launch.last_shape, index);
    u64 per_multiprocessor = std::clamp<u64>(most_threads_per_multiprocessor / launch.spec.block.count(), 1,
                                             most_ctas_per_multiprocessor);
    resident_ = ceil_div(launch.device.shape.multiprocessors * per_multiprocessor, workers);
  }

  void run() {
    FloatEnvGuard while_it_runs;
    try {
      (void)launch_.closing.is_over(); // already, it may be, of a kernel that other kernels launched
      while (true) {
        bool stopping =
            launch_.stopping() || board_.found; // what is taken is still run, up to the CTA that faulted
        if (!stopping && launch_.closing.begun()) {
          if (waiting_.empty()) break;
          resume_one();
          continue;
        }
        if ((stopping && taken_ == taken_end_) || (!start_next() && (stopping || waiting_.empty()))) break;
        if (!stopping && !waiting_.empty()) resume_one();
      }
    } catch (FaultError& error) {
      if (error.fault.kind != FaultKind::none) record(std::move(error.fault));
    } catch (const std::bad_alloc&) {
      record(out_of_host_memory(launch_));
    }
    stall_.leave();
    for (const Exec* exec : {static_cast<const Exec*>(&exec_), static_cast<const Exec*>(last_exec_.get())}) {
      if (exec == nullptr) continue;
      warp_instructions += exec->warp_instructions;
      thread_instructions += exec->thread_instructions;
    }
  }

  // After all workers have ended because nothing but waiting was left: what the CTAs of this one wait for.
  void report_stall() {
    FloatEnvGuard while_it_looks;
    board_.waiting += waiting_.size();
    board_.not_begun += (taken_end_ - taken_) * launch_.cluster.count();
    if (waiting_.empty()) return;
    auto& [exec, cta] = first_waiting();
    record(fault_of_waiting(
        *exec, *cta, FaultKind::deadlock, "kernel-deadlock",
        "the kernel never ends: its threads go round in circles, and nobody is left to write what they wait "
        "for",
        "release a lock before taking it again, and launch blocks that wait for each other with "
        "cudaLaunchCooperativeKernel; a value that the host writes while the kernel runs does not come "
        "either: "
        "WarpLens runs a launch to its end inside the call that makes it"));
    for (auto& [e, c] : waiting_) add_waits(*e, *c, true, board_.waits);
  }

  u64 warp_instructions = 0, thread_instructions = 0;
  u64 begun = 0, ended = 0; // CTAs

private:
  // Keeps the fault of the earliest CTA, and stops those after it.
  void record(Fault fault) {
    bool outside = fault.kind == FaultKind::timeout || fault.kind == FaultKind::cancelled ||
                   fault.kind == FaultKind::internal;
    std::lock_guard lock(launch_.mutex);
    const Dim3 &grid = launch_.spec.grid, &cta = fault.cta;
    u64 order = outside ? ~u64{0} : (u64{cta.z} * grid.y + cta.y) * grid.x + cta.x;
    launch_.stop_from = outside ? 0 : std::min(launch_.stop_from.load(), order);
    if (launch_.fault && launch_.fault_order <= order) return;
    launch_.fault = std::move(fault);
    launch_.fault_order = order;
  }

  // Takes batches off the launch's pile: several, while there are many, since workers that all write one
  // counter wait for each other. In the order of their CTAs, so that a CTA that waits for one before it does
  // not wait in vain. No more than `room`: what is taken is started even if all CTAs wait for all others.
  bool take(u64 room) {
    constexpr u64 most = 16;
    u64 next = launch_.next_batch.load(std::memory_order_relaxed);
    if (next >= launch_.batches) return false;
    u64 share = std::clamp<u64>((launch_.batches - next) / (workers_ * most), 1, most);
    u64 count = std::min(share, room);
    taken_ = launch_.next_batch.fetch_add(count, std::memory_order_relaxed);
    taken_end_ = std::min(taken_ + count, launch_.batches);
    if (taken_ < taken_end_) return true;
    taken_ = taken_end_;
    return false;
  }

  bool start_next() {
    // No more CTAs wait for each other than a GPU holds at once: their registers and shared memory are real
    // memory here.
    u64 each = launch_.cluster.count(),
        most = launch_.spec.cooperative ? launch_.batches * each : std::max(resident_, each);
    if (waiting_.size() + each > most) return false;
    if (taken_ == taken_end_ && !take((most - waiting_.size()) / each)) return false;
    u64 batch = taken_++;
    if (launch_.has_clusters()) return start_cluster(batch);
    u64 row = batch / launch_.row_batches, column = batch % launch_.row_batches;
    Exec& exec = column + 1 == launch_.row_batches && last_exec_ ? *last_exec_ : exec_;
    std::unique_ptr<Cta> cta = free_cta(exec);
    const Dim3& grid = launch_.spec.grid;
    u64 x = column * launch_.shape->ctas;
    cta->index = row * grid.x + x;
    if (cta->index >= launch_.stop_from.load(std::memory_order_relaxed)) {
      taken_ = taken_end_;
      return false;
    }
    cta->id = {static_cast<u32>(x), static_cast<u32>(row % grid.y), static_cast<u32>(row / grid.y)};
    begin_cta(exec, *cta);
    advance(exec, std::move(cta));
    return true;
  }

  std::unique_ptr<Cta> free_cta(const Exec& exec) {
    auto& free = free_of(exec);
    if (free.empty()) return std::make_unique<Cta>();
    std::unique_ptr<Cta> cta = std::move(free.back());
    free.pop_back();
    return cta;
  }

  void begin_cta(Exec& exec, Cta& cta) {
    start_cta(exec, cta);
    begun += exec.shape.ctas;
  }

  // All CTAs of a cluster begin before the first of them runs: each may reach the others' shared memory.
  bool start_cluster(u64 number) {
    const Dim3 &grid = launch_.spec.grid, &size = launch_.cluster;
    const u64 columns = grid.x / size.x, rows = grid.y / size.y;
    auto cluster = std::make_shared<Cluster>();
    std::vector<std::unique_ptr<Cta>> ctas;
    for (u32 rank = 0; rank < size.count(); ++rank) {
      Cta& cta = *ctas.emplace_back(free_cta(exec_));
      cta.id = {static_cast<u32>(number % columns) * size.x + rank % size.x,
                static_cast<u32>(number / columns % rows) * size.y + rank / size.x % size.y,
                static_cast<u32>(number / columns / rows) * size.z + rank / (size.x * size.y)};
      cta.index = (u64{cta.id.z} * grid.y + cta.id.y) * grid.x + cta.id.x;
      cta.cluster = cluster;
      cta.cluster_rank = rank;
      cluster->ctas.push_back(&cta);
      begin_cta(exec_, cta);
    }
    if (ctas[0]->index >= launch_.stop_from.load(std::memory_order_relaxed)) {
      taken_ = taken_end_;
      return false;
    }
    for (std::unique_ptr<Cta>& cta : ctas) advance(exec_, std::move(cta));
    return true;
  }

  // A CTA of a cluster is kept until all of them have ended.
  void end_cta(const Exec& exec, std::unique_ptr<Cta> cta) {
    auto& free = free_of(exec);
    std::shared_ptr<Cluster> cluster = std::move(cta->cluster);
    if (!cluster) return free.push_back(std::move(cta));
    cluster->ended.push_back(std::move(cta));
    if (cluster->ended.size() != cluster->ctas.size()) return;
    for (std::unique_ptr<Cta>& one : cluster->ended) free.push_back(std::move(one));
  }

  void resume_one() {
    if (left_in_round_ == 0) {
      end_round();
      left_in_round_ = waiting_.size();
      if (board_.found) return;
    }
    --left_in_round_;
    auto [exec, cta] = std::move(waiting_.front());
    waiting_.pop_front();
    advance(*exec, std::move(cta));
  }

  // A full round in which everyone only looked: let the other workers' threads run, and look at the clock.
  void end_round() {
    let_others_run();
    check_clock();
    if (stall_.is_stuck([&] { return state_of_waiting(); })) board_.found = true;
  }

  // Where the machine has other work, a yield lasts for a turn of all of that: then as long again goes by before the next, so that a
  // long wait gets a fair share of the processor. Otherwise it costs next to nothing.
  void let_others_run() {
    const Clock::time_point now = Clock::now();
    if (now - yielded_at_ < yield_lasted_) return;
    std::this_thread::yield();
    yielded_at_ = Clock::now();
    yield_lasted_ = std::min<Clock::duration>(yielded_at_ - now, std::chrono::milliseconds(20));
  }

  std::optional<u64> state_of_waiting() const {
    u64 sum = waiting_.size();
    for (const auto& [exec, cta] : waiting_) {
      std::optional<u64> one = fingerprint(*exec, *cta);
      if (!one) return {};
      sum += *one;
    }
    return sum;
  }

  using Clock = std::chrono::steady_clock;
  using Waiting = std::pair<Exec*, std::unique_ptr<Cta>>;
  const Waiting& first_waiting() const {
    return *std::min_element(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
      return a.second->index < b.second->index;
    });
  }

  void advance(Exec& exec, std::unique_ptr<Cta> cta) {
    const u64 effects = exec.effects, instructions = exec.warp_instructions;
    Progress progress = run_cta(exec, *cta);
    since_look_ += exec.warp_instructions - instructions;
    if (progress == Progress::waiting) {
      if (exec.effects != effects) stall_.moved();
      waiting_.emplace_back(&exec, std::move(cta));
      return;
    }
    stall_.moved();
    end_cta(exec, std::move(cta));
    ended += exec.shape.ctas;
    if (since_look_ > instructions_per_look) check_clock(); // there may be no branch that looks
  }

  void check_clock() {
    since_look_ = 0;
    launch_.finished.fetch_add(ended - told_, std::memory_order_relaxed);
    told_ = ended;
    launch_.tell_progress();
    if (launch_.closing.is_over()) throw FaultError{fault_of_closing()};
  }

  // Where CTAs wait, their places are named.
  Fault fault_of_closing() {
    Fault out = early_end(launch_);
    if (waiting_.empty() || out.kind == FaultKind::cancelled) return out;
    auto& [exec, cta] = first_waiting();
    out = fault_of_waiting(*exec, *cta, out.kind, "launch-timeout", out.diagnostic.message,
                           out.diagnostic.help);
    std::vector<Wait> waits;
    for (auto& [e, c] : waiting_) add_waits(*e, *c, false, waits);
    for (std::string& note : in_words(waits)) out.diagnostic.notes.push_back(std::move(note));
    return out;
  }

  std::vector<std::unique_ptr<Cta>>& free_of(const Exec& exec) { return free_[&exec != &exec_]; }

  LaunchState& launch_;
  StallBoard& board_;
  StallWatch stall_;
  Exec exec_;
  std::unique_ptr<Exec> last_exec_; // for the last batch of each row of the grid, when that one is shorter
  u64 workers_, total_, resident_ = 0;
  u64 taken_ = 0, taken_end_ = 0; // batches that this worker has taken and not started
  std::deque<Waiting> waiting_;
  std::vector<std::unique_ptr<Cta>> free_[2]; // of each shape: their frames fit no other
  u64 left_in_round_ = 0;                     // turns until each of `waiting_` had one
  Clock::time_point yielded_at_;
  Clock::duration yield_lasted_{};
  // Warp instructions since the last look at the clock. The first look comes early: it says that the launch takes time.
  u64 since_look_ = instructions_per_look - (1 << 12);
  u64 told_ = 0; // of `ended`, those that LaunchState::finished has
};

// Shared memory that a GPU keeps for the system, of which kernels may use a part (%reserved_smem_offset_1): cooperative
// groups of more than a warp do. A GPU has it in front of a kernel's own, here it is behind, for those that ask.
constexpr u64 reserved_shared = 1024;

bool uses_reserved_shared(const LaunchState& launch) {
  for (ir::FunctionId id : launch.program.reachable(launch.spec.kernel).functions)
    for (const ir::Operand& o : launch.program.module.functions[id.value].operands)
      if (o.kind == ir::Operand::Kind::special && o.special == ir::Special::reserved_smem_offset_1)
        return true;
  return false;
}

// What the kernel needs, against what a device has; places its shared variables. Empty when it fits.
std::string too_large(LaunchState& launch) {
  const LaunchSpec& spec = launch.spec;
  const std::string& name = launch.entry->function->name;
  u64 shared = launch.program.place_shared(spec.kernel, launch.shared_offset);
  if (shared + spec.dynamic_shared > launch.device.shape.max_shared_per_cta)
    return fmt::format(
        "kernel '{}' needs {} bytes of shared memory ({} static, {} dynamic); a block can have {}", name,
        shared + spec.dynamic_shared, shared, spec.dynamic_shared, launch.device.shape.max_shared_per_cta);
  launch.shared_bytes = static_cast<u32>(shared);
  const u64 own = shared + spec.dynamic_shared;
  launch.shared_granted = align_up(own, launch.device.shape.shared_allocation_unit);
  launch.shared_stride = launch.shared_granted;
  if (uses_reserved_shared(launch))
    launch.shared_stride = std::max(launch.shared_granted, align_up(own, 64) + reserved_shared);
  for (ir::FunctionId id : launch.program.reachable(spec.kernel).functions) {
    const ir::Module& module = launch.program.module;
    const ir::Function& function = module.functions[id.value];
    u64 local = 0, calls = 0;
    for (ir::VariableId v : function.variables) {
      if (module.variables[v.value].space == ir::StateSpace::local) local += module.variables[v.value].size;
      if (module.variables[v.value].space == ir::StateSpace::param) calls += module.variables[v.value].size;
    }
    if (local > most_local_bytes)
      return fmt::format("'{}' needs {} bytes of local memory per thread; a thread can have {}",
                         function.name, local, most_local_bytes);
    if (calls * spec.block.count() > most_cta_bytes)
      return fmt::format("'{}' passes {} bytes of parameters to functions", function.name, calls);
  }
  u64 registers = 0;
  for (u8 bits : launch.entry->slot_bits)
    registers += storage_bytes(bits, static_cast<u32>(align_up(spec.block.count(), warp_size)));
  if (registers > most_cta_bytes)
    return fmt::format(
        "kernel '{}' keeps {} bytes of registers alive in a block; {} are the most that is emulated", name,
        registers, most_cta_bytes);
  return {};
}

std::string cluster_problem(const Dim3& grid, const Dim3& cluster) {
  u64 count = cluster.count();
  if (count == 0 || count > Memory::most_ctas_in_cluster)
    return fmt::format("a cluster of {} blocks: it has at least 1 and at most {}", count,
                       Memory::most_ctas_in_cluster);
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return {};
  return fmt::format("clusters of {}×{}×{} blocks do not divide the grid", cluster.x, cluster.y, cluster.z);
}

} // namespace

Dim3 cluster_of(const ir::Function& kernel, const Dim3& asked) {
  const std::array<u32, 3>& needs = kernel.required_cluster;
  if (asked.count() != 1 || needs[0] == 0) return asked;
  return {needs[0], needs[1], needs[2]};
}

std::optional<Fault> prepare(LaunchState& launch) {
  const LaunchSpec& spec = launch.spec;
  auto invalid = [&](std::string message) {
    Fault fault;
    fault.kind = FaultKind::invalid_instruction;
    fault.diagnostic = diag::error("launch-invalid", std::move(message));
    return fault;
  };
  if (auto problem = launch_problem(launch.device.shape.limits, spec.grid, spec.block))
    return invalid(fmt::format("{}: {}", problem->what, problem->most));
  launch.cluster = cluster_of(launch.program.module.functions[spec.kernel.value], spec.cluster);
  if (std::string problem = cluster_problem(spec.grid, launch.cluster); !problem.empty())
    return invalid(problem);
  launch.entry = &launch.program.code_of(spec.kernel);
  launch.parameters.assign(spec.parameters.begin(), spec.parameters.end());
  if (std::string problem = too_large(launch); !problem.empty()) return invalid(std::move(problem));
  u32 ctas = batch_size(launch), rest = spec.grid.x % ctas;
  launch.shape = std::make_unique<Shape>(spec.block, ctas);
  if (rest != 0) launch.last_shape = std::make_unique<Shape>(spec.block, rest);
  launch.row_batches = ceil_div(spec.grid.x, ctas);
  launch.batches = launch.row_batches * spec.grid.y * spec.grid.z / launch.cluster.count();
  launch.local_bytes = launch.entry->local_bytes;
  if (launch.program.reachable(spec.kernel).functions.size() > 1 || launch.entry->allocates)
    launch.local_bytes += launch.options.call_stack_bytes;
  if (spec.cooperative) {
    Result<u64> workspace = launch.device.memory->allocate(4096, AllocationKind::device, 512, "grid barrier");
    if (!workspace) return invalid("no device memory for the grid-wide barrier");
    std::memset(reinterpret_cast<void*>(*workspace), 0, 4096);
    if (WrittenBytes* written = launch.device.memory->written()) written->mark(*workspace, 4096);
    launch.grid_workspace = *workspace;
  }
  return std::nullopt;
}

u32 worker_count(const LaunchOptions& options, const LaunchSpec& spec) {
  constexpr u32 most = 4096; // each has memory of its own
  u32 wanted = options.workers != 0 ? options.workers : std::max(1u, std::thread::hardware_concurrency());
  wanted = std::min(wanted, most);
  return static_cast<u32>(std::clamp<u64>(spec.grid.count(), 1, wanted));
}

// What the workers use. It does not lie on the caller's stack: a signal handler of the program may leave the launch with siglongjmp(),
// and the other workers go on for a while.
struct Running {
  Running(Device& device, const Program& program, const LaunchSpec& asked, const LaunchOptions& wanted)
      : spec(asked), options(wanted), state(device, program.impl(), spec, options) {}
  LaunchSpec spec;
  LaunchOptions options;
  LaunchState state;
  std::unique_ptr<StallBoard> board;
  std::vector<std::unique_ptr<Worker>> workers;
  const std::function<void(u32)> work = [this](u32 w) { workers[w]->run(); };
};

LaunchResult launch(Device& device, const Program& program, const LaunchSpec& spec,
                    const LaunchOptions& options) {
  LaunchResult result;
  const auto running = std::make_unique<Running>(device, program, spec, options);
  LaunchState& state = running->state;
  if ((result.fault = prepare(state))) return result;
  const u32 workers = worker_count(options, spec);
  running->board = std::make_unique<StallBoard>(workers);
  StallBoard& board = *running->board;
  std::vector<std::unique_ptr<Worker>>& all = running->workers;
  for (u32 w = 0; w < workers; ++w) all.push_back(std::make_unique<Worker>(state, board, w, workers));
  run_together(workers, running->work);
  for (auto& worker : all) {
    result.warp_instructions += worker->warp_instructions;
    result.thread_instructions += worker->thread_instructions;
    result.begun += worker->begun, result.ended += worker->ended;
  }
  if (state.grid_workspace != 0) device.memory->release(state.grid_workspace);
  if (board.found && !state.fault) {
    for (auto& worker : all) worker->report_stall();
    board.not_begun +=
        (state.batches - std::min<u64>(state.next_batch, state.batches)) * state.cluster.count();
    explain_stall(board, spec.grid.count(), state.fault->diagnostic);
  }
  // Where all that had begun came to their ends, no worker has said why they were the last.
  if (!state.fault && state.closing.begun() && result.ended != spec.grid.count()) {
    (void)state.closing.is_over();
    state.fault = early_end(state);
  }
  result.fault = std::move(state.fault);
  result.warnings = std::move(state.warnings);
  drop_covered_races(result.warnings);
  return result;
}

} // namespace warplens::sim
