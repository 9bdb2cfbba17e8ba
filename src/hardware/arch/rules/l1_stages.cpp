// See l1_stages.h. Sources: measurements in tests/arch/data on 9.0; inferred for 7.x, 8.x and from 10.0 on, whose L1
// has the same organization in NVIDIA's descriptions (unified with shared memory since 7.0).
#include "arch/rules/l1_stages.h"
#include "arch/rules/banks.h"
#include "arch/rules/shared.h"
#include "arch/table.h"

namespace warplens::arch {
namespace {

using access::Kind;
using access::WarpAccess;

u64 line_of(const WarpAccess& access, u32 lane) { return access.address[lane] >> 7; }

// Those of the waiting lanes that one pass of the tag stage serves.
u32 lanes_served(const WarpAccess& access, u32 waiting) {
  std::array<u64, 4> line{};
  u32 taken = 0, served = 0;
  for_each_lane(waiting, [&](u32 lane) {
    u64 wanted = line_of(access, lane);
    u32 set = tag_set(wanted);
    if ((taken >> set & 1) != 0 && line[set] != wanted) return;
    bool address_busy = false;
    if (is_atomic(access.kind))
      for_each_lane(served,
                    [&](u32 other) { address_busy |= access.address[other] == access.address[lane]; });
    if (address_busy) return;
    line[set] = wanted;
    taken |= u32{1} << set;
    served |= u32{1} << lane;
  });
  return served;
}

u32 data_passes(const WarpAccess& access, u32 lanes) {
  u32 sum = 0;
  for_each_group(lanes, lanes_per_pass(access.bytes), [&](u32 group) {
    sum += most_words_in_a_bank(touched(access.address, group, access.bytes, 2), 32);
  });
  return sum;
}

} // namespace

StagePasses act_out_stages(const WarpAccess& access) {
  StagePasses out;
  u32 together = 0; // lanes of a store that go through the data stage at once
  for (u32 waiting = access.active; waiting != 0; ++out.tag) {
    u32 served = lanes_served(access, waiting);
    waiting &= ~served;
    if (access.kind == Kind::store && out.tag < passes_together(access.bytes))
      together |= served;
    else
      out.data += data_passes(access, served);
  }
  out.data += data_passes(access, together);
  if (access.kind == Kind::atomic) out.data *= 2;
  return out;
}

StagePasses stages_of(const WarpAccess& access) {
  StagePasses out;
  u32 shift = static_cast<u32>(std::countr_zero(access.bytes));
  if (kernels().stages_of_warp({access.address.data(), access.active, shift, access.kind}, out)) return out;
  return act_out_stages(access);
}

namespace rules {
namespace {

void count_l1_stages(const Architecture&, const WarpAccess& access, Counts& counts) {
  StagePasses passes = stages_of(access);
  counts.tag_passes += passes.tag;
  counts.data_wavefronts += passes.data;
}

} // namespace

extern constexpr Rule l1_stages{"l1_stages", count_l1_stages};

} // namespace rules
} // namespace warplens::arch
