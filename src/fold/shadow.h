// Running a representative: the engine executes one CTA with its ordinary handlers, and before each op the
// shadow works out how the results would move (motion.h) and what must hold for that (conditions.h).
//
// The hook costs nothing elsewhere: a shadow has its own copy of the lowered code, in which every op runs
// step(), and step() calls the op's own handler. Stores and atomics are checked and counted but not
// performed; what they would have written is unknown to whoever reads it anyway.
#pragma once
#include "fold/fold.h"
#include "fold/rules.h"
#include <unordered_map>
#include <unordered_set>

namespace warplens::sim::fold {

// Thrown when the launch cannot be folded.
struct Refused {
  std::string reason;
};

// What the launch touches, over all classes.
class Footprint {
public:
  void add(Memory::Range, bool writes);
  void add_constant(Memory::Range range) { constants_.insert(range.begin); }
  // Constants that the launch itself may write are no constants.
  bool constants_are_safe() const;
  std::vector<TouchedMemory> list() const;

private:
  std::map<u64, TouchedMemory> touched_; // by address
  std::unordered_set<u64> constants_;
};

class Shadow {
public:
  Shadow(LaunchState&, const FoldOptions&, Footprint&);
  ~Shadow();
  const Code& code_of(ir::FunctionId); // the copy that is followed
  // Runs the representative of `set`; which members do the same. Throws Refused, NeedsSplit or FaultError.
  Likeness run(Exec&, const CtaSet& set);

private:
  friend struct ShadowCode;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warplens::sim::fold
