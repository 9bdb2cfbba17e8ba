// Proofs: a launch that repeats an earlier one has its counts, or cannot be proved either.
//
// What a folded launch (fold/fold.h) counts follows from
//   the kernel and the shape of the launch,
//   those of its parameters that can reach an address or a branch,
//   the allocations that its addresses lie in: where they begin and end,
//   and the constants that it read.
// Nothing else that it loads can make a difference: it is unknown to the proof. Where all of that is as it was, so are the
// counts, and nothing runs. Of a launch whose proof failed the reason is remembered: it holds for the same kernel, shape and parameters
// as long as the program's allocations are as they were. Constants may have changed; then it is emulated in full though a proof would do.
#pragma once
#include "fold/fold.h"
#include "measure/record.h"
#include <memory>
#include <string>
#include <unordered_map>

namespace warplens::runtime {

struct Kernel;
struct Runtime;

class Repeats {
public:
  struct Known {
    measure::LaunchContent counts;
    std::vector<fold::TouchedMemory> memory;
    u64 writes = 0; // number of the set of bytes that it writes: the same for all that repeat it
  };

  const Known* find(Runtime&, const Kernel&, const sim::LaunchSpec&) const;
  // `folded` is how the launch was counted, just now. Gives the number of the bytes that it writes.
  u64 add(Runtime&, const Kernel&, const sim::LaunchSpec&, const measure::LaunchContent&,
          const fold::Folded& folded);
  // Why the proof of a launch like that failed; empty where none was tried.
  std::string obstacle(const Runtime&, const Kernel&, const sim::LaunchSpec&) const;
  void add_obstacle(const Runtime&, const Kernel&, const sim::LaunchSpec&, std::string why);
  void forget() { known_.clear(), obstacles_.clear(); }

private:
  struct Constant {
    sim::Memory::Range range;
    std::string content;
  };
  struct Entry {
    Known known;
    std::vector<Constant> constants;
    std::shared_ptr<sim::Program> program; // so that no other gets its address, which is part of the key
  };
  struct Obstacle {
    std::string why;
    u64 epoch = 0; // of the device's memory
    std::shared_ptr<sim::Program> program;
  };
  static bool holds(Runtime&, const Entry&);
  std::unordered_map<std::string, Entry> known_;
  std::unordered_map<std::string, Obstacle> obstacles_;
  u64 numbers_ = 0;
};

} // namespace warplens::runtime
