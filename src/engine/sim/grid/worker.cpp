// A host thread of a launch: it takes batches of CTAs in order, runs each to its end or until it only waits for others, sets it
// aside then, and takes it up again in turns. It holds no more of them than a GPU would at once. What goes wrong is the launch's
// fault; of several the one of the earliest CTA.
#include "sim/grid/worker.h"
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/grid/prepare.h"
#include "sim/watch/stuck.h"
#include "sim/watch/watchers.h"
#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace warplens::sim {
namespace {

// What no GPU has more of (CUDA Programming Guide, Technical Specifications per Compute Capability).
constexpr u64 most_ctas_per_multiprocessor = 32, most_threads_per_multiprocessor = 2048;

Fault out_of_host_memory(const LaunchState& launch) {
  Fault fault;
  fault.kind = FaultKind::internal;
  fault.diagnostic =
      diag::error("launch-out-of-memory",
                  fmt::format("the host has no memory left to run kernel '{}'", kernel_name(launch)), {},
                  "use fewer --workers, or a machine with more memory");
  return fault;
}

} // namespace

Fault early_end(const LaunchState& launch) {
  const std::string& name = kernel_name(launch);
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

Worker::Worker(LaunchState& launch, StallBoard& board, u32 index, u32 workers)
    : launch_(launch), board_(board), index_(index), stall_(board, index, *launch.device.memory),
      exec_(launch, *launch.shape), workers_(workers) {
  add_watchers(exec_);
  if (launch.last_shape) add_watchers(*(last_exec_ = std::make_unique<Exec>(launch, *launch.last_shape)));
  u64 per_multiprocessor = std::clamp<u64>(most_threads_per_multiprocessor / launch.spec.block.count(), 1,
                                           most_ctas_per_multiprocessor);
  resident_ = ceil_div(launch.device.shape.multiprocessors * per_multiprocessor, workers);
}

void Worker::run() {
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
      // Blocks of a sample may wait for others of the rest.
      if (launch_.sample.running && taken_ == taken_end_ && launch_.next_batch >= launch_.end_of_batches())
        break;
      if (!stopping && !waiting_.empty()) resume_one();
    }
  } catch (FaultError& error) {
    if (error.fault.kind != FaultKind::none) record(std::move(error.fault));
  } catch (const std::bad_alloc&) {
    record(out_of_host_memory(launch_));
  }
  if (!launch_.sample.running) stall_.leave();
  warp_instructions = thread_instructions = 0;
  for (const Exec* exec : {static_cast<const Exec*>(&exec_), static_cast<const Exec*>(last_exec_.get())}) {
    if (exec == nullptr) continue;
    warp_instructions += exec->warp_instructions;
    thread_instructions += exec->thread_instructions;
  }
}

// After all workers have ended because nothing but waiting was left: what the CTAs of this one wait for.
void Worker::report_stall() {
  FloatEnvGuard while_it_looks;
  board_.waiting += waiting_.size();
  board_.not_begun += (taken_end_ - taken_) * launch_.cluster.count();
  if (waiting_.empty()) return;
  auto& [exec, cta] = first_waiting();
  record(fault_of_waiting(
      *exec, *cta, FaultKind::deadlock, "kernel-deadlock",
      "the kernel never ends: its threads go round in circles, and nobody is left to write what they wait "
      "for",
      "release a lock before taking it again. Launch blocks that wait for each other with "
      "cudaLaunchCooperativeKernel. A kernel cannot wait for what the host does while it runs: launches are "
      "not asynchronous here, and no two run at once, on two devices either"));
  for (auto& [e, c] : waiting_) add_waits(*e, *c, true, board_.waits);
}

// Keeps the fault of the earliest CTA, and stops those after it.
void Worker::record(Fault fault) {
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
bool Worker::take(u64 room) {
  constexpr u64 most = 16;
  const u64 end = launch_.end_of_batches();
  if (launch_.sample.running) { // the batches of one part
    const u64 part = launch_.next_batch.fetch_add(1, std::memory_order_relaxed);
    if (part >= end) return false;
    taken_ = launch_.sample.shares[part], taken_end_ = launch_.sample.shares[part + 1];
    return true;
  }
  u64 next = launch_.next_batch.load(std::memory_order_relaxed);
  if (next >= end) return false;
  u64 share = std::clamp<u64>((end - next) / (workers_ * most), 1, most);
  u64 count = std::min(share, room);
  taken_ = launch_.next_batch.fetch_add(count, std::memory_order_relaxed);
  taken_end_ = std::min(taken_ + count, end);
  if (taken_ < taken_end_) return true;
  taken_ = taken_end_;
  return false;
}

bool Worker::start_next() {
  // No more CTAs wait for each other than a GPU holds at once: their registers and shared memory are real
  // memory here.
  u64 each = launch_.cluster.count(),
      most = launch_.spec.cooperative ? launch_.batches * each : std::max(resident_, each);
  if (waiting_.size() + each > most) return false;
  if (taken_ == taken_end_ && !take((most - waiting_.size()) / each)) return false;
  const auto [batch, part] = launch_.sample.batch_at(taken_++);
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
  begin_cta(exec, *cta, part);
  advance(exec, std::move(cta));
  return true;
}

std::unique_ptr<Cta> Worker::free_cta(const Exec& exec) {
  auto& free = free_of(exec);
  if (free.empty()) return std::make_unique<Cta>();
  std::unique_ptr<Cta> cta = std::move(free.back());
  free.pop_back();
  return cta;
}

void Worker::begin_cta(Exec& exec, Cta& cta, u32 part) {
  const auto& sinks = launch_.options.sinks;
  cta.part = part;
  cta.sink = part != no_part                                       ? launch_.sample.sinks[part]
             : launch_.sample.counts_rest && index_ < sinks.size() ? sinks[index_]
                                                                   : nullptr;
  start_cta(exec, cta);
  begun += exec.shape.ctas;
}

// All CTAs of a cluster begin before the first of them runs: each may reach the others' shared memory.
bool Worker::start_cluster(u64 number) {
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
    begin_cta(exec_, cta, no_part);
  }
  if (ctas[0]->index >= launch_.stop_from.load(std::memory_order_relaxed)) {
    taken_ = taken_end_;
    return false;
  }
  for (std::unique_ptr<Cta>& cta : ctas) advance(exec_, std::move(cta));
  return true;
}

// A CTA of a cluster is kept until all of them have ended.
void Worker::end_cta(const Exec& exec, std::unique_ptr<Cta> cta) {
  auto& free = free_of(exec);
  std::shared_ptr<Cluster> cluster = std::move(cta->cluster);
  if (!cluster) return free.push_back(std::move(cta));
  cluster->ended.push_back(std::move(cta));
  if (cluster->ended.size() != cluster->ctas.size()) return;
  for (std::unique_ptr<Cta>& one : cluster->ended) free.push_back(std::move(one));
}

void Worker::resume_one() {
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
void Worker::end_round() {
  let_others_run();
  check_clock();
  if (stall_.is_stuck([&] { return state_of_waiting(); })) board_.found = true;
}

// Where the machine has other work, a yield lasts for a turn of all of that: then as long again goes by before the next, so that a
// long wait gets a fair share of the processor. Otherwise it costs next to nothing.
void Worker::let_others_run() {
  const Clock::time_point now = Clock::now();
  if (now - yielded_at_ < yield_lasted_) return;
  std::this_thread::yield();
  yielded_at_ = Clock::now();
  yield_lasted_ = std::min<Clock::duration>(yielded_at_ - now, std::chrono::milliseconds(20));
}

std::optional<u64> Worker::state_of_waiting() const {
  u64 sum = waiting_.size();
  for (const auto& [exec, cta] : waiting_) {
    std::optional<u64> one = fingerprint(*exec, *cta);
    if (!one) return {};
    sum += *one;
  }
  return sum;
}

const Worker::Waiting& Worker::first_waiting() const {
  return *std::min_element(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
    return a.second->index < b.second->index;
  });
}

void Worker::advance(Exec& exec, std::unique_ptr<Cta> cta) {
  const u64 effects = exec.effects, before = exec.warp_instructions;
  exec.sink = cta->sink;
  Progress progress = run_cta(exec, *cta);
  const u64 instructions = exec.warp_instructions - before;
  since_look_ += instructions;
  SampledPart* part = cta->part == no_part ? nullptr : &launch_.sample.parts[cta->part];
  if (part != nullptr) part->warp_instructions += instructions;
  if (progress == Progress::deadlocked) throw FaultError{fault_of_deadlock(exec, *cta)};
  if (progress == Progress::waiting) {
    if (exec.effects != effects) stall_.moved();
    waiting_.emplace_back(&exec, std::move(cta));
    return;
  }
  stall_.moved();
  end_cta(exec, std::move(cta));
  ended += exec.shape.ctas;
  if (part != nullptr) ++part->ended, part->ctas += exec.shape.ctas;
  if (since_look_ > instructions_per_look) check_clock(); // there may be no branch that looks
}

void Worker::check_clock() {
  since_look_ = 0;
  launch_.finished.fetch_add(ended - told_, std::memory_order_relaxed);
  told_ = ended;
  launch_.tell_progress();
  if (launch_.closing.is_over()) throw FaultError{fault_of_closing()};
}

// Where CTAs wait, their places are named.
Fault Worker::fault_of_closing() {
  Fault out = early_end(launch_);
  if (waiting_.empty() || out.kind == FaultKind::cancelled) return out;
  auto& [exec, cta] = first_waiting();
  out =
      fault_of_waiting(*exec, *cta, out.kind, "launch-timeout", out.diagnostic.message, out.diagnostic.help);
  std::vector<Wait> waits;
  for (auto& [e, c] : waiting_) add_waits(*e, *c, false, waits);
  for (std::string& note : in_words(waits)) out.diagnostic.notes.push_back(std::move(note));
  return out;
}

} // namespace warplens::sim
