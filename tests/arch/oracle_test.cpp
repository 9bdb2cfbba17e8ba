// Every architecture's rules against the brute-force oracle: exhaustive on small cases, random on large ones.
#include "arch/count.h"
#include "arch/random_access.h"
#include "arch/table.h"
#include "oracle/counting.h"
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using access::Cache;
using access::Kind;
using access::Space;
using access::WarpAccess;

void expect_agreement(const arch::Architecture& row, const WarpAccess& access) {
  arch::Counts counts = arch::count(row, access);
  oracle::CountedAccess mine{counts.requests,          counts.tags,          counts.tag_passes,
                             counts.sectors,           counts.ideal_sectors, counts.transactions,
                             counts.transaction_bytes, counts.wavefronts,    counts.ideal_wavefronts,
                             counts.data_wavefronts,   counts.bytes_used};
  oracle::CountedAccess forced = oracle::count_by_force(row.sm, access);
  if (mine == forced) return;
  std::string lanes;
  for (u32 lane = 0; lane < warp_size; ++lane)
    lanes += access.active >> lane & 1 ? " " + std::to_string(access.address[lane]) : " -";
  ADD_FAILURE() << "sm " << row.sm << ' ' << name(access.space) << ' ' << name(access.kind) << ' '
                << int{access.bytes} << " bytes, cache '" << name(access.cache) << "':" << lanes
                << "\n requests " << mine.requests << '/' << forced.requests << " tags " << mine.tags << '/'
                << forced.tags << " tag passes " << mine.tag_passes << '/' << forced.tag_passes << " sectors "
                << mine.sectors << '/' << forced.sectors << " transactions " << mine.transactions << '/'
                << forced.transactions << " of " << mine.transaction_bytes << '/' << forced.transaction_bytes
                << " bytes, wavefronts " << mine.wavefronts << '/' << forced.wavefronts << " ideal "
                << mine.ideal_wavefronts << '/' << forced.ideal_wavefronts << " data " << mine.data_wavefronts
                << '/' << forced.data_wavefronts << " used " << mine.bytes_used << '/' << forced.bytes_used;
}

constexpr u8 widths[] = {1, 2, 4, 8, 16};

class EveryArchitecture : public testing::TestWithParam<u32> {
protected:
  const arch::Architecture& row() const { return *arch::find(GetParam()); }
};

TEST_P(EveryArchitecture, RandomGlobal) {
  RandomAccess random(GetParam());
  constexpr Cache caches[] = {Cache::none, Cache::ca, Cache::cg,       Cache::cs,
                              Cache::cv,   Cache::nc, Cache::volatile_};
  for (u8 bytes : widths)
    for (Kind kind : {Kind::load, Kind::store, Kind::reduction, Kind::atomic})
      for (Cache cache : caches)
        for (int i = 0; i < 20; ++i) {
          WarpAccess access = random.access(Space::global, kind, bytes, i % 2 ? 1 << 12 : u64{1} << 40);
          access.cache = cache;
          expect_agreement(row(), access);
        }
}

TEST_P(EveryArchitecture, RandomShared) {
  RandomAccess random(GetParam() + 1000);
  for (u8 bytes : widths)
    for (Kind kind : {Kind::load, Kind::store, Kind::atomic})
      for (int i = 0; i < 150; ++i)
        expect_agreement(row(), random.access(Space::shared, kind, bytes, i % 2 ? 512 : 16384));
}

TEST_P(EveryArchitecture, RandomConstantAndLocal) {
  RandomAccess random(GetParam() + 2000);
  for (u8 bytes : widths)
    for (int i = 0; i < 60; ++i) {
      expect_agreement(row(), random.access(Space::constant, Kind::load, bytes, 4096));
      expect_agreement(
          row(), random.access(Space::local, i % 2 ? Kind::load : Kind::store, bytes, i % 3 ? 256 : 4096));
    }
}

// Four lanes of one half-warp (and two of the other), each at one of five places: every combination.
TEST_P(EveryArchitecture, ExhaustiveSmall) {
  constexpr u32 lanes[] = {0, 1, 2, 17};
  for (Space space : {Space::global, Space::shared})
    for (u8 bytes : widths) {
      const u64 places[] = {0, bytes, u64{bytes} * 2, 64, 128};
      for (u32 code = 0; code < 625; ++code) {
        WarpAccess access{{.space = space, .bytes = bytes}};
        u32 digits = code;
        for (u32 lane : lanes) {
          access.active |= u32{1} << lane;
          access.address[lane] = places[digits % 5];
          digits /= 5;
        }
        expect_agreement(row(), access);
      }
    }
}

std::vector<u32> every_sm() {
  std::vector<u32> out;
  for (const arch::Architecture* row : arch::all()) out.push_back(row->sm);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Sm, EveryArchitecture, testing::ValuesIn(every_sm()));

TEST(OneBroadcastWord, AgreesWhateverTheOrderOfLanes) {
  RandomAccess random(7);
  for (int i = 0; i < 300; ++i) {
    WarpAccess access = random.access(Space::shared, Kind::load, 4, 256), swapped = access;
    access.active = swapped.active = full_mask;
    for (u32 lane = 0; lane < 16; ++lane) swapped.address[lane] = access.address[15 - lane];
    EXPECT_EQ(arch::count(*arch::find(13), access).wavefronts,
              arch::count(*arch::find(13), swapped).wavefronts);
  }
}

} // namespace
} // namespace warplens::test
