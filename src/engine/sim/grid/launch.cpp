// Running a grid: workers take batches of CTAs in order; one that only waits for others is set aside and
// taken up again, so that flags, look-back scans and grid-wide barriers come to their end whatever the number
// of workers.
#include "sim/grid/prepare.h"
#include "sim/grid/team.h"
#include "sim/grid/worker.h"
#include "sim/watch/access_checks.h"
#include <algorithm>
#include <thread>

namespace warplens::sim {

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

// The sample, if there is one. Whether the rest runs, too. Blocks that wait for others are no sample of anything: then all run, as
// they would without. A part of a larger sample is one worker's alone, so that no block in it may wait.
static bool run_sample(Running& running) {
  LaunchState& state = running.state;
  SampleRun& sample = state.sample;
  if (sample.parts.empty()) return true;
  sample.sinks = running.options.sampling->begin(sample.parts.size());
  Sampling::Next next;
  do {
    state.next_batch = 0;
    sample.running = true;
    run_together(static_cast<u32>(running.workers.size()), running.work);
    sample.running = false;
    state.next_batch = sample.batches.size();
    if (state.fault || state.closing.begun() || !sample.has_ended()) return true;
    next = running.options.sampling->next(sample.result());
  } while (next.times > 1 && state.program.runs_in_lockstep(state.spec.kernel) && sample.grow(next.times));
  sample.counts_rest = next.rest == Sampling::Rest::counted;
  return next.rest != Sampling::Rest::left_out;
}

LaunchResult launch(Device& device, const Program& program, const LaunchSpec& spec,
                    const LaunchOptions& options) {
  LaunchResult result;
  const Memory::View view(*device.memory);
  const auto running = std::make_unique<Running>(device, program, spec, options);
  LaunchState& state = running->state;
  if ((result.fault = prepare(state))) return result;
  const u32 workers = worker_count(options, spec);
  running->board = std::make_unique<StallBoard>(workers);
  StallBoard& board = *running->board;
  std::vector<std::unique_ptr<Worker>>& all = running->workers;
  for (u32 w = 0; w < workers; ++w) all.push_back(std::make_unique<Worker>(state, board, w, workers));
  const bool goes_on = run_sample(*running);
  if (goes_on) run_together(workers, running->work);
  for (auto& worker : all) {
    result.warp_instructions += worker->warp_instructions;
    result.thread_instructions += worker->thread_instructions;
    result.begun += worker->begun, result.ended += worker->ended;
  }
  if (!state.sample.parts.empty()) result.sampled = state.sample.result();
  if (state.grid_workspace != 0) device.memory->release(state.grid_workspace);
  if (board.found && !state.fault) {
    for (auto& worker : all) worker->report_stall();
    board.not_begun +=
        (state.batches - std::min<u64>(state.next_batch, state.batches)) * state.cluster.count();
    explain_stall(board, spec.grid.count(), state.fault->diagnostic);
  }
  // Where all that had begun came to their ends, no worker has said why they were the last.
  if (goes_on && !state.fault && state.closing.begun() && result.ended != spec.grid.count()) {
    (void)state.closing.is_over();
    state.fault = early_end(state);
  }
  result.fault = std::move(state.fault);
  result.warnings = std::move(state.warnings);
  drop_covered_races(result.warnings);
  return result;
}

} // namespace warplens::sim
