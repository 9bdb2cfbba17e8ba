// Who looks on while CTAs run. Both are here so that those who run them need not know those who look on (watch/); where nobody
// does, it costs nothing.
#pragma once
#include "sim/lower/code.h"

namespace warplens::sim {

struct Barrier;
struct Cta;
struct Exec;
struct Group;

// Executes the ops of a group until Exec::stop, in the place of the loop of run_group (simt.cpp), to see each of them.
class OpLoop {
public:
  virtual ~OpLoop() = default;
  virtual void run(Exec&) = 0;
};

// Is told where threads meet.
class Watcher {
public:
  virtual ~Watcher() = default;
  virtual void begin(Cta&) {} // it starts, with its shared memory

  // Barriers of the block. Lanes, Exec::mask, come to one, which waits for `expected` threads; it has all that it waits for;
  // lanes that waited there go on; it is closed.
  virtual void arrive(const Op&, u32 /*id*/, Barrier&, u32 /*expected*/) {}
  virtual void complete(u32 /*id*/, const Barrier&) {}
  virtual void go_on(u32 /*id*/, const Mask&) {}
  virtual void close(u32 /*id*/) {}

  // Instructions of a warp. The lanes of Exec::mask execute one with these masks of members; lanes that wait at one go on without
  // those that they named; lanes of a warp pass bar.warp.sync, whose mask names `named`.
  virtual void execute(const Op&, SlotId /*members*/) {}
  virtual void go_on_without(const Group&) {}
  virtual void meet(u32 /*warp*/, u32 /*lanes*/, u32 /*named*/) {}
};

} // namespace warplens::sim
