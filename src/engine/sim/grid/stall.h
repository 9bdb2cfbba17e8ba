// Finds launches in which nothing but waiting is left: no thread will ever write what the others wait for.
//
// The workers' rounds, in which every waiting CTA had a turn, are compared. A launch is found to be stuck when, for
// some time, nobody has changed memory, read a clock, printed, begun or ended a CTA, and the registers and places of all
// threads have come back to what they were earlier in that time. What they do next depends on nothing else, so that it
// is what they did before, for ever. A loop that counts its tries is not stuck, however long it takes: its registers
// differ from round to round.
//
// Only the host could still write. It cannot do so through the runtime, which makes it wait for the end of the launch,
// but a thread of the program may through pointers to managed, pinned and registered memory, and another process to what
// it shares with this one: where there is such memory, the time is longer.
//
// Why workers need not stop to be compared: each says at which number of changes it found itself going round in
// circles, and counts its own changes up before it says so. Were a thread to write after all of them have said the same
// number, the first one to do so would not have gone round in a circle.
#pragma once
#include "sim/watch/stuck.h"

namespace warplens::sim {

// How long nothing must have changed, without and with memory that the host can write while the launch runs.
inline constexpr std::chrono::seconds stall_time{1}, stall_time_with_host{30};

// What the workers of a launch share.
struct StallBoard {
  explicit StallBoard(u32 worker_count) : stuck_at(worker_count) {}
  std::atomic<u64> changes = 1;
  std::vector<std::atomic<u64>> stuck_at; // [workers] the number of changes; 0: not stuck
  std::atomic<bool> found = false;
  std::vector<Wait> waits;        // of all CTAs, put together after the workers have ended
  u64 waiting = 0, not_begun = 0; // CTAs
};

// A worker's part.
class StallWatch {
public:
  StallWatch(StallBoard& board, u32 worker, const Memory& memory)
      : board_(board), worker_(worker), memory_(memory) {}

  void moved() { moved_ = true; } // something changed that others may see, or a CTA began or ended
  void leave();                   // the worker has nothing left to run
  // After a round of the waiting CTAs; `state` makes one fingerprint of all of them. Whether the launch is stuck.
  bool is_stuck(const std::function<std::optional<u64>()>& state);

private:
  using Clock = std::chrono::steady_clock;
  void note_changes();
  bool comes_back(std::optional<u64> state);

  StallBoard& board_;
  u32 worker_;
  const Memory& memory_;
  bool moved_ = true;
  u64 since_ = 0; // the number of changes that what follows is about
  Clock::time_point quiet_from_;
  std::optional<u64>
      seen_; // a fingerprint to compare with, renewed at growing distances: circles may be long
  u64 age_ = 0, renewed_at_ = 1;
  bool circles_ = false;
};

// What `found` says about a launch, added to the fault of its first CTA.
void explain_stall(const StallBoard&, u64 ctas, diag::Diagnostic&);

} // namespace warplens::sim
