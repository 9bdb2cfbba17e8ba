// The L1's tag and data stages: the kernel of each instruction set against the rule acted out, closed forms against
// single warps, and what the rule says of plain cases (the oracle has a copy of its own, in oracle_test.cpp).
#include "arch/random_access.h"
#include "arch/rules/l1_stages.h"
#include "arch/stages.h"
#include "arch/table.h"
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using access::Kind;
using access::Space;
using access::WarpAccess;
using arch::Counts;
using arch::StagePasses;

constexpr u8 widths[] = {1, 2, 4, 8, 16, 32};
constexpr Kind kinds[] = {Kind::load, Kind::store, Kind::reduction, Kind::atomic};

const arch::Architecture& hopper() { return *arch::find(90); }

WarpAccess strided(Kind kind, u8 bytes, u64 stride, u64 base = 0) {
  WarpAccess access{{.kind = kind, .bytes = bytes}, full_mask};
  for (u64 lane = 0; lane < warp_size; ++lane) access.address[lane] = base + lane * stride;
  return access;
}

TEST(Targets, StagesOfWarpsAreTheRuleActedOut) {
  RandomAccess random(21);
  u32 known = 0;
  for (int i = 0; i < 12000; ++i) {
    u64 limit = u64{1} << (7 + random.below(i % 4 == 0 ? 54 : 16));
    WarpAccess access = random.access(Space::global, kinds[random.below(4)], widths[random.below(6)],
                                      std::max<u64>(limit, 64));
    if (i % 5 == 0)
      for (u64& address : access.address) address = address / 512 * 512 + random.below(4) * access.bytes;
    if (i % 17 == 0) access.address[random.below(32)] += 1;
    if (i % 19 == 0) access.address[random.below(32)] = ~u64{0} - random.below(40);
    StagePasses acted = arch::act_out_stages(access), found;
    u32 shift = static_cast<u32>(std::countr_zero(access.bytes));
    for (cpu::Target target : cpu::targets) {
      if (target > cpu::best_target()) continue;
      if (!arch::kernels_of(target).stages_of_warp({access.address.data(), access.active, shift, access.kind},
                                                   found))
        continue;
      ++known;
      ASSERT_EQ(found.tag, acted.tag) << name(target) << ' ' << name(access.kind) << ' ' << int{access.bytes};
      ASSERT_EQ(found.data, acted.data)
          << name(target) << ' ' << name(access.kind) << ' ' << int{access.bytes};
    }
  }
  EXPECT_GT(known, 8000u); // or only the rule was tried
}

// Warps of one instruction, in one of the forms that the loops tell apart.
std::vector<WarpAccess> side_by_side(RandomAccess& random, Kind kind, u8 bytes) {
  std::vector<WarpAccess> out;
  u64 reach = 9 + random.below(20), form = random.below(6);
  for (u64 warp = 0, count = 1 + random.below(24); warp < count; ++warp) {
    WarpAccess access = random.access(Space::global, kind, bytes, std::max<u64>(u64{1} << reach, 64));
    for (u64 lane = 0; lane < warp_size; ++lane) {
      u64& address = access.address[lane];
      if (form == 1) address = (lane * 4096 + random.below(3) * 128) / bytes * bytes; // rows: one line each
      if (form == 2) address = lane / 4 * 65536 + lane % 4 * bytes;                   // some lanes a line
      if (form == 3) address = address / 512 * 512 + random.below(4) * bytes; // lanes meet at addresses
      if (form == 4) address = lane * (u64{1} << (7 + random.below(16)));     // many lines of one set
      address += 0x7f00'0000'0000 + warp * 0x7fff80; // across the bounds of what keys are relative to
      address -= address % bytes;
    }
    out.push_back(access);
  }
  return out;
}

TEST(Targets, StagesSideBySideAreThoseOfTheirWarps) {
  RandomAccess random(23);
  for (int i = 0; i < 6000; ++i) {
    Kind kind = kinds[random.below(4)];
    u8 bytes = widths[random.below(6)];
    std::vector<WarpAccess> warps = side_by_side(random, kind, bytes);
    std::vector<u32> active;
    std::vector<u64> address;
    StagePasses acted;
    for (const WarpAccess& access : warps) {
      StagePasses one = arch::act_out_stages(access);
      acted.tag += one.tag, acted.data += one.data;
      active.push_back(access.active);
      address.insert(address.end(), access.address.begin(), access.address.end());
    }
    for (cpu::Target target : cpu::targets) {
      if (target > cpu::best_target()) continue;
      arch::PendingBlocks pending;
      pending.shift = static_cast<u32>(std::countr_zero(bytes)), pending.kind = kind, pending.stages = true;
      Counts counts;
      const arch::Kernels& kernels = arch::kernels_of(target);
      u32 count = static_cast<u32>(warps.size());
      u32 put = kernels.put_blocks({active.data(), address.data(), count, pending.shift}, pending, counts);
      ASSERT_EQ(put, count);
      kernels.count_blocks(pending, counts);
      ASSERT_EQ(counts.tag_passes, acted.tag) << i << name(target) << ' ' << name(kind) << ' ' << int{bytes};
      ASSERT_EQ(counts.data_wavefronts, acted.data)
          << i << name(target) << ' ' << name(kind) << ' ' << int{bytes};
    }
  }
}

// Closed forms that a collector meets: any place, any block, all threads or some, several CTAs.
TEST(Forms, StagesOfClosedFormsAreThoseOfTheirWarps) {
  RandomAccess random(22);
  constexpr Dim3 blocks[] = {{256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {8, 8, 4}, {100, 1, 1}, {33, 3, 2}};
  for (int i = 0; i < 400; ++i) {
    access::AffineAccess form;
    form.kind = kinds[random.below(4)], form.bytes = widths[random.below(6)],
    form.block = blocks[random.below(6)];
    form.count = 1 + random.below(3);
    u64 widest = u64{1} << random.below(14);
    for (i64& stride : form.stride)
      stride = (static_cast<i64>(random.below(2 * widest)) - static_cast<i64>(widest / 2)) * form.bytes;
    form.cta_stride = static_cast<i64>(random.below(5000)) * form.bytes;
    u32 warps = static_cast<u32>((form.block.count() + 31) / 32);
    std::vector<u32> active(form.count * warps);
    for (u32& mask : active) mask = random.mask() & (random.below(4) == 0 ? 0 : full_mask);
    if (i % 3 == 0) form.active = active;
    arch::AffineStages stages(form);
    for (int base = 0; base < 12; ++base) {
      if (base % 3 == 0)
        form.base = (u64{1} << 40) + random.below(u64{1} << 24) / form.bytes * form.bytes;
      else
        form.base += form.bytes * random.below(16); // as in a loop
      Counts sum, found;
      for (u64 k = 0; k < form.count; ++k)
        for (u32 warp = 0; warp < warps; ++warp) {
          access::AffineAccess one = cta_of(form, k);
          if (one.active.empty() || one.active[warp] != 0) sum += arch::count(hopper(), expand(one, warp));
        }
      stages.count(form).add_to(found);
      ASSERT_EQ(found.tag_passes, sum.tag_passes) << i;
      ASSERT_EQ(found.data_wavefronts, sum.data_wavefronts) << i;
      ASSERT_EQ(arch::count(hopper(), form), sum) << i;
      if (!stages.same_at(form.base)) continue;
      access::AffineAccess moved = form;
      moved.base += arch::address_period * (1 + random.below(1 << 20));
      EXPECT_EQ(arch::count(hopper(), moved), sum) << i;
    }
  }
}

// Contiguous lanes that begin on a line are the case of most accesses, and cost the same wherever they are.
TEST(L1Stages, ContiguousLanesTakeOnePass) {
  for (u8 bytes : {u8{1}, u8{2}, u8{4}, u8{8}, u8{16}}) {
    for (u64 block = 0; block < 3000; ++block) {
      Counts counts = arch::count(hopper(), strided(Kind::load, bytes, bytes, block * 512));
      ASSERT_EQ(counts.tag_passes, 1u);
      ASSERT_EQ(counts.data_wavefronts, bytes <= 4 ? 1u : bytes / 4u);
    }
  }
}

TEST(L1Stages, StridesCostWhatTheirLinesAndBanksSay) {
  auto passes = [](u64 stride, Kind kind = Kind::load) {
    Counts counts = arch::count(hopper(), strided(kind, 4, stride));
    return std::pair(counts.tag_passes, counts.data_wavefronts);
  };
  using Pair = std::pair<u64, u64>;
  EXPECT_EQ(passes(4), Pair(1, 1));
  EXPECT_EQ(passes(8), Pair(1, 2));
  EXPECT_EQ(passes(16), Pair(1, 4));
  EXPECT_EQ(passes(32), Pair(2, 8));
  EXPECT_EQ(passes(64), Pair(4, 16));
  EXPECT_EQ(passes(128), Pair(8, 32));
  EXPECT_EQ(passes(132), Pair(8, 8)); // as many lines, but each lane in a bank of its own
  EXPECT_EQ(passes(132, Kind::store), Pair(8, 1));
  EXPECT_EQ(passes(0, Kind::load), Pair(1, 1));
  EXPECT_EQ(passes(0, Kind::reduction), Pair(32, 32)); // one address, a lane a pass
  EXPECT_EQ(passes(0, Kind::atomic), Pair(32, 64));    // out and back
}

TEST(L1Stages, ArchitecturesBeforeTheUnifiedL1HaveNone) {
  for (const arch::Architecture* row : arch::all()) {
    Counts counts = arch::count(*row, strided(Kind::load, 4, 128));
    EXPECT_EQ(counts.tag_passes, arch::knows_stages(*row) ? 8u : 0u) << row->sm;
    WarpAccess copy = strided(Kind::async_copy, 4, 128);
    EXPECT_EQ(arch::count(*row, copy).tag_passes, 0u);
  }
  EXPECT_FALSE(arch::knows_stages(*arch::find(62)));
  EXPECT_TRUE(arch::knows_stages(*arch::find(70)));
}

// Wherever a warp begins, at the same place of the address period, its passes lie within the bounds; and where these are found by
// trying places out, both ends are met.
TEST(Stages, BoundsOfTagPassesHoldAnywhere) {
  RandomAccess random(23);
  u32 exact = 0, open = 0;
  for (int i = 0; i < 3000; ++i) {
    const Kind kind = kinds[random.below(4)];
    const u8 bytes = widths[random.below(5)];
    WarpAccess access;
    if (i % 3 == 0) {
      access = strided(kind, bytes, bytes * (1 + random.below(200)), bytes * random.below(64));
      access.active = random.below(2) == 0 ? full_mask : static_cast<u32>(random.below(full_mask)) | 1;
    } else {
      access = random.access(Space::global, kind, bytes, u64{1} << (7 + random.below(i % 3 == 1 ? 8 : 30)));
      access.active |= 1;
    }
    const arch::PassBounds bounds = arch::tag_pass_bounds(access);
    u64 least = ~u64{0}, most = 0;
    for (int n = 0; n < 400; ++n) {
      WarpAccess moved = access;
      const u64 by = (random.below(u64{1} << 20) << (random.below(3) * 8)) * arch::address_period;
      for (u64& address : moved.address) address += by;
      const u64 passes = arch::act_out_stages(moved).tag;
      least = std::min(least, passes), most = std::max(most, passes);
    }
    ASSERT_LE(bounds.least, least) << name(kind) << ' ' << int{bytes} << ' ' << i;
    ASSERT_GE(bounds.most, most) << name(kind) << ' ' << int{bytes} << ' ' << i;
    exact += bounds.least == least && bounds.most == most;
    open += bounds.least < bounds.most;
  }
  EXPECT_GT(exact, 2000u);
  EXPECT_GT(open, 500u);
}

TEST(Stages, BoundsOfTagPassesOfPlainCases) {
  auto bounds = [](Kind kind, u64 stride) {
    const arch::PassBounds out = arch::tag_pass_bounds(strided(kind, 4, stride));
    return std::pair(out.least, out.most);
  };
  EXPECT_EQ(bounds(Kind::load, 4), std::pair(u64{1}, u64{1}));
  EXPECT_EQ(bounds(Kind::load, 8), std::pair(u64{1}, u64{1})) << "a pair of lines";
  EXPECT_EQ(bounds(Kind::load, 128).first, 8u);
  EXPECT_EQ(bounds(Kind::atomic, 0), std::pair(u64{32}, u64{32}));
  EXPECT_EQ(bounds(Kind::load, 1000003 * 4), std::pair(u64{8}, u64{32})) << "too far apart to try all places";
}

} // namespace
} // namespace warplens::test
