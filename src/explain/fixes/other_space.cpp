// The right data in the wrong memory: constant memory read at different addresses, local arrays indexed by
// the thread, and scattered reads of global memory.
#include "explain/fixes/tools.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

using access::Space;

namespace {

void leave_constant(Situation& s, std::vector<advise::Advice>& list) {
  Mode manner = s.manner;
  manner.space = Space::global;
  advise::Advice out;
  out.rule = "constant-serialised";
  out.title = "Move the table out of constant memory";
  out.cause = "Constant memory serves one address at a time; each different address of a warp is a request "
              "of its own.";
  out.change =
      "Read the table from global memory through const __restrict__ (or __ldg), or copy it to shared memory.";
  out.metric = advise::Metric::requests;
  out.before = s.block;
  out.after = counted(s, s.footprint, manner);
  out.confidence = advise::Confidence::certain;
  offer(list, std::move(out));
}

// Local memory interleaves the threads' arrays: the same index in every lane is the coalesced case.
void same_local_index(Situation& s, std::vector<advise::Advice>& list) {
  Footprint same = s.footprint;
  std::fill(same.offset.begin(), same.offset.end(), same.offset.empty() ? 0 : same.offset[0]);
  advise::Advice out;
  out.rule = "local-index";
  out.title = "Use the same index in every thread";
  out.cause = "Words of one index lie next to each other for the 32 lanes; lanes with different indices go "
              "to different lines.";
  out.change = "Index the local array by a loop counter that all threads share (unrolled, it becomes "
               "registers), or use shared memory.";
  out.metric = metric_of(s);
  out.before = s.block;
  out.after = counted(s, same, s.manner);
  offer(list, std::move(out));
}

// The best any order could do: the block's bytes packed together.
void gather_differently(Situation& s, std::vector<advise::Advice>& list) {
  Footprint packed = s.footprint;
  for (std::size_t i = 0; i < packed.offset.size(); ++i)
    packed.offset[i] = static_cast<i64>(i * s.target.accessed.size);
  advise::Advice out;
  out.rule = "scattered";
  out.title = "Bring the accesses of a warp together";
  out.cause = "threadIdx.x reaches the address through an operation that scatters neighbours.";
  out.change = "Sort or renumber so that neighbouring threads want neighbouring elements, or load a tile "
               "into shared memory with "
               "consecutive accesses and scatter there. The count is what that could reach at best.";
  out.metric = metric_of(s);
  out.before = s.block;
  out.after = counted(s, packed, s.manner);
  out.confidence = advise::Confidence::possible;
  offer(list, std::move(out));
}

} // namespace

void other_space(Situation& s, std::vector<advise::Advice>& list) {
  if (s.question.space == Space::constant) leave_constant(s, list);
  if (s.question.space == Space::local) same_local_index(s, list);
  bool wasteful = s.block.transaction_bytes > 2 * s.block.bytes_used;
  if (s.question.space == Space::global && s.form.kind == FormKind::other && wasteful &&
      s.manner.pieces.size() == 1)
    gather_differently(s, list);
}

} // namespace warplens::explain
