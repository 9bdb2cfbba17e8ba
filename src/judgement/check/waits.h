// Where lanes of a warp wait for each other, and so come to what is behind it one after the other rather than together:
//
//   * a loop that goes on until another thread has written something, which may be a lane of the same warp: a lock, a flag.
//     Lanes that parted could not meet behind it, as those that go on release the others;
//   * a call of a function that has such a loop;
//   * both ways of a branch, where lanes wait on each for those on the other (`__syncwarp()` in both).
//
// They are together again behind a barrier of the block, or of all lanes of the warp, that all of them come to.
//
// A loop around a compare-and-swap that expects what was found before (atomicAdd of a double, written out) is none: who fails
// tries again, whether or not the others go on.
#pragma once
#include "check/flow.h"

namespace warplens::check {

class Waits {
public:
  explicit Waits(const Flow&);
  const std::vector<u32>& loops() const { return loops_; } // headers
  // What lanes that leave the loop, or come together behind a branch, may execute before such a barrier.
  void mark_behind_loop(u32 header, std::vector<bool>& instructions) const;
  void mark_behind_split(const Split&, std::vector<bool>& instructions) const;
  void mark_behind_calls(std::vector<bool>& instructions) const;
  bool on_two_ways(const Split&) const; // is there a wait of the warp?

private:
  bool polls(const ir::Instruction&) const; // does it find what others wrote, at each execution anew?
  bool calls_waiting(const ir::Instruction&) const;
  bool syncs_warp(const ir::Instruction&) const;
  bool syncs_all(const ir::Instruction&) const;
  bool expects_what_was_found(const ir::Instruction&) const;
  void find_polled();
  bool follows(u32 instruction) const;
  bool decided_by_polled(u32 block, u32 above) const;
  bool may_wait(const Loop&) const;
  void mark(u32 block, u32 instruction, u32 since, std::vector<bool>& instructions) const;

  const Flow& flow_;
  std::vector<bool> polled_; // [SSA values] that follow from what a poll found
  std::vector<bool> syncs_;  // [blocks]: lanes of a warp wait there
  std::vector<u32> calls_;   // instructions
  std::vector<u32> block_of_call_;
  std::vector<u32> loops_;
};

} // namespace warplens::check
