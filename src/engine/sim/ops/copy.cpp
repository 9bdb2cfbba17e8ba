// What a sized asynchronous copy reads: each lane as many bytes as it says, and zeros behind them.
//
// A lane whose size is 0 reads nothing, and may point anywhere; others may point to where less than a whole copy is left of
// an allocation. Reported are all lanes, each with the whole copy, and which of them read nothing.
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include <algorithm>

namespace warplens::sim {
namespace {

// The lanes that perform the op and read so many bytes.
Mask lanes_that_read(const Exec& x, const Mask& all, const u32* size, u32 least, u32 most) {
  Mask out;
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(all.word[w], [&](u32 lane) {
      u32 own = size[w * warp_size + lane];
      out.word[w] |= u32{own >= least && own <= most} << lane;
    });
  return out;
}

// Alignment is asked of the whole copy, place of the bytes that are read.
void check_sized(Exec& x, const Op& op, const AccessView& a, const u32* size) {
  if ((a.bits & (a.bytes - 1)) != 0) return check(x, op, a);
  for (u32 bytes = 1; bytes <= a.bytes; ++bytes) {
    Mask lanes = lanes_that_read(x, *a.mask, size, bytes, bytes == a.bytes ? ~u32{0} : bytes);
    if (lanes == Mask{}) continue;
    AccessView part = a;
    part.mask = &lanes, part.bytes = bytes, part.bits = 0;
    part.lowest = ~u64{0}, part.highest = 0;
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(lanes.word[w], [&](u32 lane) {
        u64 at = a.address[w * warp_size + lane];
        part.lowest = std::min(part.lowest, at), part.highest = std::max(part.highest, at);
      });
    check(x, op, part);
  }
}

void read_sized(Exec& x, const Op& op, const AccessView& a, const u32* size) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(a.mask->word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane, words[4] = {};
      std::memcpy(words, host_pointer(a.host.at_warp(w) + a.address[thread]),
                  std::min(size[thread], a.bytes));
      for (u32 d = 0; d < op.destinations; ++d) static_cast<u32*>(x.scratch[d])[thread] = words[d];
    });
}

} // namespace

namespace ops {

// slots: destinations (words of 4 bytes), address, size
void load_sized(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Mask all = *x.mask;
  const u32* size = static_cast<const u32*>(x.lanes_of(op.source(1)));
  for (u32 d = 0; d < op.destinations; ++d) std::fill_n(static_cast<u32*>(x.scratch[d]), x.shape.lanes, 0u);
  x.copying = all;
  x.perform(lanes_that_read(x, all, size, 1, ~u32{0}));
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    check_sized(x, op, a, size);
    report(x, op, a);
    read_sized(x, op, a, size);
  });
  x.perform(all);
  for (u32 d = 0; d < op.destinations; ++d) x.merge(x.values[op.destination(d)], x.scratch[d]);
}

} // namespace ops
} // namespace warplens::sim
