// The three forms of an access agree; the properties that hold for all rules. All of it on the target in use: ctest
// runs Forms and Targets on each instruction set (test.cmake), so that the sets agree by agreeing with the plain rules.
#include "arch/batch/counting_loops.h"
#include "arch/count.h"
#include "arch/random_access.h"
#include "arch/rules/distinct.h"
#include "arch/table.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace warplens::test {
namespace {

using access::Kind;
using access::Space;
using access::WarpAccess;
using arch::Counts;

constexpr Space spaces[] = {Space::global, Space::shared, Space::constant, Space::local};
constexpr u8 widths[] = {1, 2, 4, 8, 16};

// Warps of one instruction, one after the other.
struct ManyWarps {
  std::vector<u32> active;
  std::vector<u64> address;
  void add(const WarpAccess& access) {
    active.push_back(access.active);
    address.insert(address.end(), access.address.begin(), access.address.end());
  }
  access::LaneBatch batch(Space space, Kind kind, u8 bytes) const {
    access::LaneBatch out;
    out.space = space, out.kind = kind, out.bytes = bytes;
    out.active = active, out.address = address.data();
    return out;
  }
};

TEST(Forms, BatchesAgreeWithSingleWarpsOnEveryArchitecture) {
  RandomAccess random(1);
  for (const arch::Architecture* row : arch::all())
    for (Space space : spaces)
      for (u8 bytes : widths) {
        ManyWarps warps;
        Counts sum;
        for (int warp = 0; warp < 12; ++warp) {
          WarpAccess access = random.access(space, Kind::load, bytes, 1 << 14);
          if (warp == 5) access.active = 0;
          warps.add(access);
          sum += arch::count(*row, access);
        }
        EXPECT_EQ(arch::count(*row, warps.batch(space, Kind::load, bytes)), sum)
            << row->sm << ' ' << name(space) << ' ' << int{bytes};
      }
}

TEST(Forms, AffineAgreesWithSingleWarpsOnEveryArchitecture) {
  RandomAccess random(2);
  constexpr Dim3 blocks[] = {{256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {8, 8, 4},  {100, 1, 1},
                             {33, 3, 2},  {1, 64, 1}, {96, 2, 2},  {48, 4, 1}, {16, 3, 3}};
  for (const arch::Architecture* row : arch::all())
    for (Space space : spaces)
      for (const Dim3& block : blocks)
        for (int i = 0; i < 6; ++i) {
          access::AffineAccess affine;
          affine.space = space, affine.bytes = widths[random.below(5)], affine.block = block;
          affine.count = 1 + random.below(3), affine.base = (1 << 20) + random.below(64) * affine.bytes;
          for (i64& stride : affine.stride) stride = (static_cast<i64>(random.below(70)) - 4) * affine.bytes;
          Counts sum;
          for (u32 warp = 0; warp < (block.count() + 31) / 32; ++warp)
            sum += arch::count(*row, expand(affine, warp));
          Counts total;
          for (u64 n = 0; n < affine.count; ++n) total += sum;
          EXPECT_EQ(arch::count(*row, affine), total)
              << row->sm << ' ' << name(space) << ' ' << block.x << 'x' << block.y;
        }
}

// Sectors as a set of them: what no instruction set is needed for.
u64 sectors_one_by_one(const WarpAccess& access) {
  std::set<u64> sectors;
  for (u32 lane = 0; lane < warp_size; ++lane)
    for (u32 byte = 0; byte < access.bytes && (access.active >> lane & 1) != 0; ++byte)
      sectors.insert((access.address[lane] + byte) / 32);
  return sectors.size();
}

// What any kernel says of one warp, against block sets.
void expect_distinct_words(cpu::Target target, const WarpAccess& access) {
  u32 shift = static_cast<u32>(std::countr_zero(access.bytes));
  arch::WordsOfWarp words{access.address.data(), access.active, shift, shift, 0}, in_banks = words;
  in_banks.banks = 32;
  arch::DistinctWords found, shared;
  bool known = arch::kernels_of(target).distinct(words, found);
  EXPECT_EQ(arch::kernels_of(target).distinct(in_banks, shared), known);
  bool misaligned = false;
  for_each_lane(access.active, [&](u32 lane) { misaligned |= access.address[lane] % access.bytes != 0; });
  EXPECT_FALSE(known && misaligned);
  if (!known) return;
  auto different = [&](u32 block) { return arch::count_touched(access.address, access.active, 1, block); };
  EXPECT_EQ(found.sectors, different(5)) << name(target);
  EXPECT_EQ(found.lines, different(7)) << name(target);
  arch::BlockSet each_word;
  for_each_lane(access.active, [&](u32 lane) { each_word.add(access.address[lane] >> shift); });
  EXPECT_EQ(found.words, each_word.size()) << name(target);
  EXPECT_EQ(shared.most_in_a_bank, arch::most_words_in_a_bank(each_word, 32)) << name(target);
}

TEST(Targets, DistinctWordsOfAnyAddresses) {
  RandomAccess random(3);
  u32 near = 0;
  for (int i = 0; i < 4000; ++i) {
    u8 bytes = widths[random.below(5)];
    u64 limit = u64{1} << (8 + random.below(54));
    WarpAccess access = random.access(i % 2 ? Space::global : Space::shared, Kind::load, bytes, limit);
    if (i % 7 == 0) access.address[random.below(32)] += 1; // misaligned
    if (i % 11 == 0)
      access.address[random.below(32)] = ~u64{0} - random.below(40); // the end of the address space
    bool usual = i % 7 != 0 && i % 11 != 0 && access.space == Space::global;
    if (usual) {
      EXPECT_EQ(arch::count(*arch::find(90), access).sectors, sectors_one_by_one(access)) << i;
    }
    arch::DistinctWords found;
    near += arch::kernels().distinct({access.address.data(), access.active, 0, 0, 0}, found);
    for (cpu::Target target : cpu::targets)
      if (target <= cpu::best_target()) expect_distinct_words(target, access);
  }
  EXPECT_GT(near, 1000u); // or only the block sets were tried
}

// Batches against the rules, over patterns that take each path: in order, permuted,
// in pairs, with lanes missing at either end and inside, misaligned, and too far apart for 32 bits.
void expect_batches_like_rules(const arch::Architecture& row, Space space, Kind kind, u8 bytes,
                               RandomAccess& random) {
  ManyWarps warps;
  Counts sum;
  for (int warp = 0; warp < 40; ++warp) {
    u64 limit = u64{1} << (8 + random.below(warp % 4 == 0 ? 54 : 12));
    WarpAccess access = random.access(space, kind, bytes, limit);
    if (random.below(16) == 0) access.address[random.below(32)] += 1;
    if (random.below(16) == 0) access.address[random.below(32)] = ~u64{0} - random.below(40);
    if (random.below(16) == 0) access.active = 0;
    warps.add(access);
    sum += arch::count(row, access);
  }
  EXPECT_EQ(arch::count(row, warps.batch(space, kind, bytes)), sum)
      << row.sm << ' ' << name(space) << ' ' << name(kind) << ' ' << int{bytes};
}

TEST(Targets, BatchesAgreeWithTheRules) {
  RandomAccess random(7);
  for (const arch::Architecture* row : arch::all())
    for (Space space : spaces)
      for (Kind kind : {Kind::load, Kind::store, Kind::atomic, Kind::async_copy})
        for (u8 bytes : widths)
          for (int i = 0; i < 4; ++i) expect_batches_like_rules(*row, space, kind, bytes, random);
}

// Batches of any sizes, whose warps wait for each other, and of changing widths, kinds and spaces.
void expect_counter_adds_up(const arch::Architecture& row, RandomAccess& random) {
  arch::BatchCounter counter;
  Counts sum;
  u32 batches = 0;
  for (int i = 0; i < 600; ++i) {
    Space space = spaces[i / 100 % 4];
    bool atomics = space == Space::shared || space == Space::global;
    Kind kind = atomics && i / 25 % 2 == 0 ? Kind::atomic : Kind::load;
    u8 bytes = random.below(10) == 0 ? widths[random.below(4)] : u8{4};
    ManyWarps warps;
    for (u64 n = random.below(20); n != 0; --n) {
      WarpAccess access = random.access(space, kind, bytes, u64{1} << (8 + random.below(12)));
      if (random.below(16) == 0) access.active = 0;
      warps.add(access);
      sum += arch::count(row, access);
    }
    counter.add(row, warps.batch(space, kind, bytes));
    if (random.below(5) != 0) continue;
    EXPECT_EQ(counter.take(), sum) << row.sm << ' ' << i;
    sum = {};
    ++batches;
  }
  EXPECT_GT(batches, 50u);
  EXPECT_EQ(counter.take(), sum) << row.sm;
  EXPECT_EQ(counter.take(), Counts{}) << row.sm;
}

TEST(Targets, CountersAddUpBatches) {
  RandomAccess random(8);
  for (u32 sm : {20u, 90u}) expect_counter_adds_up(*arch::find(sm), random); // lines and sectors move
}

// Kernels number words from a place before the first active lane's, up to a limit (batch/target/words.cpp
// and blocks.cpp): addresses on both sides of either end, and lanes that take no part.
TEST(Targets, BatchesAtTheEndsOfWhatTheyCanNumber) {
  RandomAccess random(9);
  for (Space space : {Space::shared, Space::constant, Space::global})
    for (u32 i = 0; i < 4000; ++i) {
      u8 bytes = widths[random.below(space == Space::shared ? 4 : 5)];
      i64 reach = space == Space::global ? i64{1} << 30 : i64{1} << 15;
      const arch::Architecture& row = *arch::find(90);
      arch::BatchCounter counter;
      Counts sum;
      ManyWarps warps;
      for (u64 n = 1 + random.below(6); n != 0; --n) {
        WarpAccess access = random.access(space, Kind::load, bytes, 1 << 12);
        u64 first = (u64{1} << 40) + random.below(64) * bytes;
        for (u64& a : access.address) {
          i64 end = random.below(2) == 0 ? reach : -reach, near = static_cast<i64>(random.below(5)) - 2;
          i64 words = random.below(3) == 0 ? end + near : near;
          a = first + static_cast<u64>(words * bytes);
        }
        access.active |= u32{1} << random.below(32);
        warps.add(access);
        sum += arch::count(row, access);
      }
      counter.add(row, warps.batch(space, Kind::load, bytes));
      ASSERT_EQ(counter.take(), sum) << name(space) << ' ' << int{bytes} << ' ' << i;
    }
}

TEST(Addresses, FullSixtyFourBits) {
  WarpAccess access;
  access.active = full_mask;
  for (u64 lane = 0; lane < warp_size; ++lane) access.address[lane] = lane << 59; // 2^59 apart
  Counts counts = arch::count(*arch::find(90), access);
  EXPECT_EQ(counts.sectors, 32u);
  EXPECT_EQ(counts.tags, 32u);
  EXPECT_EQ(counts.bytes_used, 128u);
}

TEST(Addresses, MisalignedAndWrappingAccessesHaveADefinedResult) {
  WarpAccess access;
  access.active = 1;
  access.address[0] = 30;
  EXPECT_EQ(arch::count(*arch::find(90), access).sectors, 2u);
  access.address[0] = ~u64{0} - 1; // two bytes exist, two do not
  Counts counts = arch::count(*arch::find(90), access);
  EXPECT_EQ(counts.sectors, 1u);
  EXPECT_EQ(counts.bytes_used, 2u);
  for (const arch::Architecture* row : arch::all())
    for (Space space : spaces) {
      access.space = space;
      EXPECT_EQ(arch::count(*row, access).threads, 1u);
    }
  access.bytes = 3;
  EXPECT_EQ(arch::count(*arch::find(90), access).sectors, 0u);
}

// Sets of the L1's tag stage depend on whole addresses, its passes on the order of lanes.
Counts without_stages(const arch::Architecture& row, const WarpAccess& access) {
  Counts counts = arch::count(row, access);
  counts.tag_passes = 0;
  if (access.space == Space::global) counts.data_wavefronts = 0;
  return counts;
}

TEST(Addresses, OfStoredMatricesTheFirstLanesNameTheRows) {
  WarpAccess access;
  access.space = Space::shared, access.kind = Kind::store, access.bytes = 16, access.active = full_mask;
  for (u32 lane = 0; lane < 32; ++lane) access.address[lane] = lane < 16 ? 128 * lane : 1;
  access.matrices = 2;
  Counts counts = arch::count(*arch::find(90), access);
  EXPECT_EQ(counts.threads, 32u);
  EXPECT_EQ(counts.wavefronts, 16u); // rows in the same banks
  EXPECT_EQ(counts.ideal_wavefronts, 2u);
  EXPECT_EQ(counts.bytes_used, 256u);
  ManyWarps warps;
  warps.add(access);
  access::LaneBatch batch = warps.batch(access.space, access.kind, access.bytes);
  batch.matrices = access.matrices;
  EXPECT_EQ(arch::count(*arch::find(90), batch), counts);
}

TEST(Properties, PermutingLanesChangesNoGlobalCountSinceMaxwell) {
  RandomAccess random(4);
  for (const arch::Architecture* row : arch::all())
    for (u8 bytes : widths) {
      if (row->sm < 50 && bytes > 4) continue; // wide words split into requests by lane
      for (int i = 0; i < 30; ++i) {
        WarpAccess access = random.access(Space::global, Kind::load, bytes, 1 << 12), swapped = access;
        swapped.active = access.active = full_mask;
        u32 group = row->sm < 20 ? 16 : 32, from = static_cast<u32>(random.below(group)),
            first = static_cast<u32>(random.below(32 / group)) * group;
        std::swap(swapped.address[first], swapped.address[first + from]);
        Counts a = without_stages(*row, access), b = without_stages(*row, swapped);
        if (row->sm <= 11)
          a.transactions = b.transactions = a.transaction_bytes = b.transaction_bytes =
              0; // order is their rule
        EXPECT_EQ(a, b) << row->sm << ' ' << int{bytes};
      }
    }
}

TEST(Properties, ShiftingByALineChangesNothing) {
  RandomAccess random(5);
  for (const arch::Architecture* row : arch::all())
    for (Space space : {Space::global, Space::shared, Space::constant})
      for (u8 bytes : widths)
        for (int i = 0; i < 20; ++i) {
          WarpAccess access = random.access(space, i % 3 ? Kind::load : Kind::store, bytes, 1 << 12),
                     shifted = access;
          if (space == Space::constant) access.kind = shifted.kind = Kind::load;
          for (u64& address : shifted.address) address += row->banks.width == 8 ? 256 : 128;
          EXPECT_EQ(without_stages(*row, access), without_stages(*row, shifted))
              << row->sm << ' ' << name(space);
        }
}

TEST(Properties, SectorsCoverTheBytesAndLanesOnlyAdd) {
  RandomAccess random(6);
  for (const arch::Architecture* row : arch::all())
    for (u8 bytes : widths)
      for (int i = 0; i < 30; ++i) {
        WarpAccess access = random.access(Space::global, Kind::load, bytes, 1 << 12), more = access;
        Counts counts = arch::count(*row, access);
        EXPECT_GE(counts.sectors * 32, counts.bytes_used);
        EXPECT_LE(counts.ideal_sectors, counts.sectors);
        more.active |= static_cast<u32>(random.below(u64{1} << 32));
        Counts grown = arch::count(*row, more);
        EXPECT_GE(grown.sectors, counts.sectors);
        EXPECT_GE(grown.tags, counts.tags);
        EXPECT_GE(grown.transactions, counts.transactions) << row->sm;
        EXPECT_GE(grown.bytes_used, counts.bytes_used);
      }
}

TEST(KnownNumbers, TenThousandElementsInOrder) {
  // 10,000 floats and doubles, gathered in order on 7.0: 313 instructions; 313 and 625 lines; 1250 and 2500
  // sectors (Pearson, Measuring Memory Access Efficiency in Nsight Compute).
  for (u8 bytes : {u8{4}, u8{8}}) {
    Counts sum;
    for (u64 first = 0; first < 10000; first += 32) {
      WarpAccess access;
      access.bytes = bytes, access.active = low_lanes(static_cast<u32>(std::min<u64>(32, 10000 - first)));
      for (u64 lane = 0; lane < warp_size; ++lane) access.address[lane] = (first + lane) * bytes;
      sum += arch::count(*arch::find(70), access);
    }
    EXPECT_EQ(sum.instructions, 313u);
    EXPECT_EQ(sum.threads, 10000u);
    EXPECT_EQ(sum.requests, 313u);
    EXPECT_EQ(sum.tags, bytes == 4 ? 313u : 625u);
    EXPECT_EQ(sum.sectors, bytes == 4 ? 1250u : 2500u);
  }
}

TEST(KnownNumbers, HalfWarpsOfTheFirstArchitectures) {
  WarpAccess access;
  access.active = 0xffff;
  for (u64 lane = 0; lane < warp_size; ++lane) access.address[lane] = lane * 4;
  auto transactions = [&](u32 sm) {
    Counts counts = arch::count(*arch::find(sm), access);
    return std::pair(counts.transactions, counts.transaction_bytes);
  };
  EXPECT_EQ(transactions(10), std::pair(u64{1}, u64{64}));
  access.active = 0xfff7; // the fourth thread does not take part
  EXPECT_EQ(transactions(10), std::pair(u64{1}, u64{64}));
  access.active = 0xffff;
  std::swap(access.address[2], access.address[3]); // permuted in one segment
  EXPECT_EQ(transactions(10), std::pair(u64{16}, u64{512}));
  EXPECT_EQ(transactions(12), std::pair(u64{1}, u64{64}));
  std::swap(access.address[2], access.address[3]);
  for (u64& address : access.address) address += 64 + 16; // across a 128-byte boundary: 12 words and 4
  EXPECT_EQ(transactions(11), std::pair(u64{16}, u64{512}));
  EXPECT_EQ(transactions(13), std::pair(u64{2}, u64{64 + 32}));
  for (u64 lane = 0; lane < warp_size; ++lane)
    access.address[lane] = 4 + lane * 4; // 15 in the lower half, 1 in the upper
  EXPECT_EQ(transactions(12), std::pair(u64{1}, u64{128}));
}

TEST(Options, ChangeOnlyWhatTheArchitectureOffers) {
  WarpAccess access;
  access.active = 1;
  auto bytes = [&](u32 sm, arch::Options options) {
    return arch::count(configured(*arch::find(sm), options), access).transaction_bytes;
  };
  EXPECT_EQ(bytes(20, {}), 128u);
  EXPECT_EQ(bytes(20, {.l1_off = true}), 32u);
  EXPECT_EQ(bytes(35, {}), 32u);
  EXPECT_EQ(bytes(35, {.l1_on = true}), 128u);
  EXPECT_EQ(bytes(30, {.l1_on = true}), 32u);
  EXPECT_EQ(bytes(90, {.l1_off = true}), 32u);
  access.space = Space::shared, access.active = 3, access.address[1] = 128; // words 0 and 32
  EXPECT_EQ(arch::count(*arch::find(35), access).wavefronts, 1u);
  EXPECT_EQ(arch::count(configured(*arch::find(35), {.wide_banks = true}), access).wavefronts, 1u);
  access.address[1] = 256;
  EXPECT_EQ(arch::count(*arch::find(35), access).wavefronts, 2u);
}

TEST(Table, HasComputeCapabilitiesInOrderWithSources) {
  const std::vector<u32> at_least{10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50,  52,  53,  60,  61,
                                  62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  for (u32 sm : at_least) EXPECT_NE(arch::find(sm), nullptr) << sm;
  EXPECT_TRUE(std::ranges::is_sorted(arch::all(), std::less{}, [](auto* row) { return row->sm; }));
  for (const arch::Architecture* row : arch::all()) {
    EXPECT_EQ(arch::find(row->sm), row);
    for (const arch::SpaceRule* rule :
         {&row->global, &row->shared, &row->constant, &row->local, &row->texture}) {
      ASSERT_NE(rule->rule, nullptr) << row->sm;
      EXPECT_NE(rule->rule->count, nullptr) << row->sm;
      EXPECT_FALSE(rule->rule->id.empty() || rule->source.rule.empty() || rule->source.citation.empty())
          << row->sm;
      EXPECT_EQ(rule->rule->widest != 0, rule->rule->kernel != arch::BatchKernel::none) << rule->rule->id;
    }
    EXPECT_FALSE(row->part_source.citation.empty()) << row->sm;
    EXPECT_GT(row->part.multiprocessors, 0u) << row->sm;
    EXPECT_GT(row->part.memory_bytes, 0u) << row->sm;
    EXPECT_GT(row->part.clock_khz, 0u) << row->sm;
    EXPECT_LE(row->limits.shared_per_block_optin, row->limits.shared_per_sm) << row->sm;
    EXPECT_EQ(row->limits.threads_per_sm % 32, 0u) << row->sm;
  }
  EXPECT_EQ(arch::find(91), nullptr);
  EXPECT_EQ(arch::find(0), nullptr);
}

} // namespace
} // namespace warplens::test
