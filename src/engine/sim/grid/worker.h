// One of the host threads that run a launch (worker.cpp).
#pragma once
#include "sim/exec/exec.h"
#include "sim/grid/stall.h"
#include <deque>

namespace warplens::sim {

class Worker {
public:
  Worker(LaunchState& launch, StallBoard& board, u32 index, u32 workers);
  void run();
  void report_stall();

  u64 warp_instructions = 0, thread_instructions = 0;
  u64 begun = 0, ended = 0; // CTAs

private:
  void record(Fault fault);
  bool take(u64 room);
  bool start_next();
  std::unique_ptr<Cta> free_cta(const Exec& exec);
  void begin_cta(Exec& exec, Cta& cta, u32 part);
  bool start_cluster(u64 number);
  void end_cta(const Exec& exec, std::unique_ptr<Cta> cta);
  void resume_one();
  void end_round();
  void let_others_run();
  std::optional<u64> state_of_waiting() const;

  using Clock = std::chrono::steady_clock;
  using Waiting = std::pair<Exec*, std::unique_ptr<Cta>>;
  const Waiting& first_waiting() const;
  void advance(Exec& exec, std::unique_ptr<Cta> cta);
  void check_clock();
  Fault fault_of_closing();

  std::vector<std::unique_ptr<Cta>>& free_of(const Exec& exec) { return free_[&exec != &exec_]; }

  LaunchState& launch_;
  StallBoard& board_;
  u32 index_;
  StallWatch stall_;
  Exec exec_;
  std::unique_ptr<Exec> last_exec_; // for the last batch of each row of the grid, when that one is shorter
  u64 workers_, resident_ = 0;
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

// Why a launch ends before its CTAs do (Closing).
Fault early_end(const LaunchState&);

} // namespace warplens::sim
