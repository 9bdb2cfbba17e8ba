// The words for what lanes do, case by case.
#include "measure/pattern.h"
#include <functional>
#include <gtest/gtest.h>

namespace warplens::measure {
namespace {

using access::Kind;
using access::Space;
using access::WarpAccess;

struct Case {
  Space space = Space::global;
  u8 bytes = 4;
  u32 active = full_mask;
  std::function<u64(u32)> address;
  std::string opcode = "ld.global.f32";
  Kind kind = Kind::load;
};

WarpAccess warp_of(const Case& c) {
  WarpAccess out{access::SiteId(0u), c.space, c.kind, access::Cache::none, c.bytes, 0, c.active, {}};
  for (u32 l = 0; l < warp_size; ++l) out.address[l] = c.address(l);
  return out;
}

Pattern classify(const Case& c) {
  WarpAccess access = warp_of(c);
  PatternTally tally;
  tally.add(observe(access, arch::count(*arch::find(90), access)));
  access::Site site;
  site.opcode = c.opcode;
  site.bytes = c.bytes;
  site.kind = c.kind;
  return tally.most_frequent(site);
}

void expect(const Case& c, PatternKind kind, std::string_view text) {
  Pattern pattern = classify(c);
  EXPECT_EQ(pattern.text, text);
  EXPECT_EQ(static_cast<int>(pattern.kind), static_cast<int>(kind)) << text;
  EXPECT_EQ(pattern.share, 1.0);
}

TEST(Pattern, Global) {
  expect({.address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::contiguous, "contiguous");
  expect({.address = [](u32) { return 4096; }}, PatternKind::broadcast, "broadcast");
  expect({.address = [](u32) { return 4096; }, .kind = Kind::atomic}, PatternKind::broadcast,
         "one address for all lanes");
  expect({.address = [](u32 l) { return 4096 + 128 * l; }}, PatternKind::strided,
         "stride 128 bytes (32 floats)");
  expect({.bytes = 8, .address = [](u32 l) { return 4096 + 16 * l; }, .opcode = "ld.global.f64"},
         PatternKind::strided, "stride 16 bytes (2 doubles)");
  expect({.bytes = 4, .address = [](u32 l) { return 4096 + 12 * l; }, .opcode = "ld.global.u32"},
         PatternKind::strided, "stride 12 bytes (3 elements)");
  expect({.address = [](u32 l) { return 65536 - 128 * l; }}, PatternKind::strided,
         "stride -128 bytes (32 floats)");
  expect({.address = [](u32 l) { return 4100 + 4 * l; }}, PatternKind::misaligned, "misaligned by 4 bytes");
  expect({.address = [](u32 l) { return 4096 + 4 * (31 - l); }}, PatternKind::permuted,
         "contiguous, in reverse");
  expect({.address = [](u32 l) { return 4096 + 4 * (l ^ 5); }}, PatternKind::permuted,
         "permuted within the line");
  expect({.active = 8, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::broadcast,
         "one active lane");
  expect({.active = 0x55555555, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::strided,
         "stride 8 bytes (2 floats)");
  expect({.active = 0xfff0fff3, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::contiguous,
         "contiguous, 26 of 32 lanes active");
  expect({.address = [](u32 l) { return 4096 + 400 * (l * 7919 % 101); }}, PatternKind::scattered,
         "scattered: 32 sectors for 32 lanes");
}

TEST(Pattern, RowsOfATwoDimensionalBlock) {
  expect({.address = [](u32 l) { return 65536 + 4 * (l % 16) + 4096 * (l / 16); }}, PatternKind::contiguous,
         "contiguous, 2 rows of 16 lanes, 4096 bytes apart");
  expect({.address = [](u32 l) { return 65536 + 4096 * (l / 16); }}, PatternKind::broadcast,
         "2 addresses, each for 16 lanes, 4096 bytes apart");
  expect({.address = [](u32 l) { return 65536 + 4 * (l % 4) + 4096 * (l / 4); }}, PatternKind::strided,
         "8 rows of 4 lanes, 4096 bytes apart");
  expect({.address = [](u32 l) { return 65540 + 4 * (l % 16) + 4096 * (l / 16); }}, PatternKind::misaligned,
         "2 rows of 16 lanes, misaligned by 4 bytes");
  expect({.address = [](u32 l) { return 65536 + 4096 * (l % 16) + 4 * (l / 16); }}, PatternKind::strided,
         "2 rows of 16 lanes with stride 4096 bytes, 4 bytes apart");
}

TEST(Pattern, SharedConstantAndLocal) {
  Case shared{.space = Space::shared, .address = [](u32 l) { return 4 * l; }, .opcode = "ld.shared.f32"};
  expect(shared, PatternKind::conflict_free, "no bank conflict");
  shared.address = [](u32) { return 64; };
  expect(shared, PatternKind::broadcast, "broadcast");
  shared.address = [](u32 l) { return 128 * l; };
  expect(shared, PatternKind::bank_conflict, "32-way bank conflict, stride 128 bytes");
  EXPECT_EQ(classify(shared).ways, 32u);
  shared.address = [](u32 l) { return 32 * l; };
  expect(shared, PatternKind::bank_conflict, "8-way bank conflict, stride 32 bytes");
  Case constant{
      .space = Space::constant, .address = [](u32 l) { return 4 * (l % 5); }, .opcode = "ld.const.f32"};
  expect(constant, PatternKind::scattered, "5 distinct addresses in a warp");
  constant.address = [](u32) { return 8; };
  expect(constant, PatternKind::broadcast, "broadcast");
  Case local{.space = Space::local, .address = [](u32) { return 8; }, .opcode = "ld.local.f32"};
  expect(local, PatternKind::contiguous, "same offset in every lane");
  local.address = [](u32 l) { return 4 * l; };
  expect(local, PatternKind::scattered, "offsets differ: 32 sectors for 32 lanes");
}

TEST(Pattern, TheMostFrequentFormWinsAndItsShareIsTold) {
  access::Site site;
  site.bytes = 4;
  site.opcode = "ld.global.f32";
  auto add = [&](PatternTally& tally, std::function<u64(u32)> address) {
    WarpAccess access = warp_of({.address = std::move(address)});
    tally.add(observe(access, arch::count(*arch::find(90), access)));
  };
  PatternTally a, b;
  for (u32 i = 0; i < 3; ++i) add(a, [](u32 l) { return 4096 + 4 * l; });
  add(b, [](u32 l) { return 4096 + 8 * l; });
  a.add(b);
  Pattern pattern = a.most_frequent(site);
  EXPECT_EQ(pattern.text, "contiguous");
  EXPECT_EQ(pattern.share, 0.75);
  EXPECT_EQ(static_cast<int>(PatternTally().most_frequent(site).kind),
            static_cast<int>(PatternKind::unknown));
}

} // namespace
} // namespace warplens::measure
