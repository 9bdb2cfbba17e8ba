#include "oracle/warp_ops.h"
#include <algorithm>
#include <bit>

namespace warplens::oracle {
namespace {

template <class F> void each_lane(u32 mask, F f) {
  for (u32 lane = 0; lane < warp_size; ++lane)
    if (mask >> lane & 1) f(lane);
}

void shuffle(const Spelling& s, WarpOperation& op) {
  each_lane(op.mask, [&](u32 lane) {
    const std::vector<u64>& in = op.sources[lane];
    i32 b = static_cast<i32>(in[1] & 31), c = static_cast<i32>(in[2] & 31),
        segment = static_cast<i32>(in[2] >> 8 & 31);
    i32 own = static_cast<i32>(lane), low = own & segment, high = low | (c & ~segment), from = own;
    bool valid = false;
    if (s.has("up")) from = own - b, valid = from >= high;
    if (s.has("down")) from = own + b, valid = from <= high;
    if (s.has("bfly")) from = own ^ b, valid = from <= high;
    if (s.has("idx")) from = low | (b & ~segment), valid = from <= high;
    u32 source = valid ? static_cast<u32>(from) : lane;
    op.results[lane] = {op.mask >> source & 1 ? op.sources[source][0] : 0, valid};
  });
}

void vote(const Spelling& s, WarpOperation& op) {
  u32 ballot = 0;
  each_lane(op.mask, [&](u32 lane) { ballot |= static_cast<u32>(op.sources[lane][0] & 1) << lane; });
  u64 result = ballot;
  if (s.has("all")) result = ballot == op.mask;
  if (s.has("any")) result = ballot != 0;
  if (s.has("uni")) result = ballot == 0 || ballot == op.mask;
  each_lane(op.mask, [&](u32 lane) { op.results[lane][0] = result; });
}

void match(const Spelling& s, WarpOperation& op) {
  each_lane(op.mask, [&](u32 lane) {
    u64 same = 0;
    each_lane(op.mask, [&](u32 other) { same |= u64{op.sources[other][0] == op.sources[lane][0]} << other; });
    if (s.has("all"))
      op.results[lane] = {same == op.mask ? same : 0, same == op.mask};
    else
      op.results[lane] = {same, 0};
  });
}

bool reduce(const Spelling& s, WarpOperation& op) {
  if (s.type().is_float()) return false;
  std::string name;
  for (const char* candidate : {"add", "min", "max", "and", "or", "xor"})
    if (s.has(candidate)) name = candidate;
  Spelling step{name, {}, {s.type()}};
  u64 total[1] = {};
  bool first = true;
  each_lane(op.mask, [&](u32 lane) {
    u64 in[2] = {total[0], op.sources[lane][0]};
    if (first)
      total[0] = in[1];
    else
      evaluate(step, in, total);
    first = false;
  });
  each_lane(op.mask, [&](u32 lane) { op.results[lane][0] = total[0]; });
  return !name.empty();
}

} // namespace

bool resolve(const Spelling& s, WarpOperation& op) {
  if (s.opcode == "shfl") return shuffle(s, op), true;
  if (s.opcode == "vote") return vote(s, op), true;
  if (s.opcode == "match") return match(s, op), true;
  if (s.opcode == "redux") return reduce(s, op);
  if (s.opcode == "activemask")
    return each_lane(op.mask, [&](u32 lane) { op.results[lane][0] = op.mask; }), true;
  if (s.opcode == "elect") {
    u32 leader = static_cast<u32>(std::countr_zero(op.mask));
    each_lane(op.mask, [&](u32 lane) { op.results[lane] = {leader, lane == leader}; });
    return true;
  }
  return s.has("warp"); // bar.warp.sync
}

} // namespace warplens::oracle
