// Accesses whose addresses differ by the address period count alike, in all three forms, by every rule of the table but
// that of the L1's stages, which sees all of an address (stages_test.cpp);
// measure and fold rely on it. The period is as short as it can be: half of it is too short for some rule.
#include "arch/count.h"
#include "arch/random_access.h"
#include "arch/table.h"
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using access::Cache;
using access::Kind;
using access::Space;
using access::WarpAccess;
using arch::Counts;

constexpr u8 widths[] = {1, 2, 4, 8, 16, 32};

// The row, and the row with each choice that a program or a compiler flag may make.
std::vector<arch::Architecture> configurations(const arch::Architecture& row) {
  return {row, configured(row, {.l1_on = true}), configured(row, {.l1_off = true}),
          configured(row, {.wide_banks = true})};
}

// Any instruction that there is: spaces, kinds, widths and cache operators.
WarpAccess any_access(RandomAccess& random) {
  constexpr Space spaces[] = {Space::global, Space::shared,  Space::constant,
                              Space::local,  Space::texture, Space::surface};
  constexpr Kind kinds[] = {Kind::load, Kind::store, Kind::reduction, Kind::atomic};
  constexpr Cache caches[] = {Cache::none, Cache::ca, Cache::cg, Cache::cs, Cache::cv, Cache::nc};
  Space space = spaces[random.below(6)];
  bool read_only = space == Space::constant || space == Space::texture;
  Kind kind = read_only ? Kind::load : kinds[random.below(4)];
  if (space == Space::global && random.below(6) == 0) kind = Kind::async_copy;
  WarpAccess access = random.access(space, kind, widths[random.below(6)], 1 << 12);
  access.cache = caches[random.below(6)];
  if (random.below(10) == 0) access.address[random.below(32)] += 1; // misaligned
  access.texture_dimensions = static_cast<u8>(1 + random.below(2));
  if (space == Space::shared && random.below(6) == 0) {
    access.kind = Kind::ldmatrix, access.matrices = static_cast<u8>(u32{1} << random.below(3));
    access.bytes = 16;
    for (u64& address : access.address) address &= ~u64{15};
  }
  return access;
}

Counts count_as_batch(const arch::Architecture& row, const WarpAccess& access) {
  access::LaneBatch batch;
  batch.space = access.space, batch.kind = access.kind, batch.cache = access.cache,
  batch.bytes = access.bytes;
  batch.matrices = access.matrices;
  batch.active = {&access.active, 1}, batch.address = access.address.data();
  return arch::count(row, batch);
}

access::AffineAccess affine_access(const WarpAccess& like, RandomAccess& random) {
  constexpr Dim3 blocks[] = {{64, 1, 1}, {16, 4, 1}, {8, 8, 1}, {33, 2, 1}};
  access::AffineAccess affine;
  affine.space = like.space, affine.kind = like.kind, affine.cache = like.cache, affine.bytes = like.bytes;
  affine.block = blocks[random.below(4)];
  affine.count = 1 + random.below(3);
  affine.base = random.below(512) * like.bytes;
  for (i64& stride : affine.stride) stride = static_cast<i64>(random.below(40) * like.bytes);
  affine.cta_stride = static_cast<i64>(random.below(64) * like.bytes);
  return affine;
}

Counts without_stages(Counts counts, const access::AccessHeader& access) {
  counts.tag_passes = 0;
  if (access.space == Space::global) counts.data_wavefronts = 0;
  return counts;
}

WarpAccess shifted(WarpAccess access, u64 by) {
  for (u64& address : access.address) address += by;
  return access;
}

TEST(AddressPeriod, ShiftsByItChangeNoCountOfAnyRule) {
  RandomAccess random(11);
  for (const arch::Architecture* row : arch::all())
    for (const arch::Architecture& choice : configurations(*row))
      for (int i = 0; i < 300; ++i) {
        WarpAccess access = any_access(random);
        u64 by = arch::address_period * (1 + random.below(9));
        SCOPED_TRACE(testing::Message() << row->sm << ' ' << name(access.space) << ' ' << name(access.kind)
                                        << ' ' << int{access.bytes});
        auto count = [&](const auto& any) { return without_stages(arch::count(choice, any), access); };
        ASSERT_EQ(count(access), count(shifted(access, by)));
        if (access.space == Space::texture || access.space == Space::surface)
          continue; // no engine has them yet
        ASSERT_EQ(without_stages(count_as_batch(choice, access), access),
                  without_stages(count_as_batch(choice, shifted(access, by)), access));
        if (access.kind == Kind::ldmatrix) continue;
        access::AffineAccess affine = affine_access(access, random), moved = affine;
        moved.base += by;
        ASSERT_EQ(count(affine), count(moved));
        ASSERT_EQ(arch::count_by_place(choice, access), arch::count_by_place(choice, shifted(access, by)));
      }
}

TEST(AddressPeriod, SomeRuleSeesHalfOfIt) {
  RandomAccess random(12);
  u32 different = 0;
  for (const arch::Architecture* row : arch::all())
    for (const arch::Architecture& choice : configurations(*row))
      for (int i = 0; i < 300; ++i) {
        WarpAccess access = any_access(random);
        different +=
            arch::count(choice, access) != arch::count(choice, shifted(access, arch::address_period / 2));
      }
  EXPECT_GT(different, 0u); // else the period could be shorter, and the test above sees too little
}

} // namespace
} // namespace warplens::test
