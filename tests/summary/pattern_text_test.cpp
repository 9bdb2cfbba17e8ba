// From addresses to the words for what lanes do, case by case.
#include "arch/count.h"
#include "measure/distribution.h"
#include "summary/pattern_text.h"
#include <functional>
#include <gtest/gtest.h>

namespace warplens::summary {
namespace {

using access::ElementType;
using access::Kind;
using access::Space;
using access::WarpAccess;
using measure::Form;
using measure::Pattern;
using measure::PatternKind;

struct Case {
  Space space = Space::global;
  u8 bytes = 4;
  u32 active = full_mask;
  std::function<u64(u32)> address;
  ElementType element = ElementType::floating;
  u8 vector = 1;
  Kind kind = Kind::load;
};

WarpAccess warp_of(const Case& c) {
  WarpAccess out{{.space = c.space, .kind = c.kind, .bytes = c.bytes}, c.active};
  for (u32 l = 0; l < warp_size; ++l) out.address[l] = c.address(l);
  return out;
}

Pattern classify(const Case& c) {
  WarpAccess access = warp_of(c);
  return measure::pattern_of({.classes = {measure::class_of(access, 1, *arch::find(90))}});
}

void expect(const Case& c, PatternKind kind, std::string_view text) {
  access::Site site{.kind = c.kind, .bytes = c.bytes, .vector = c.vector, .element = c.element};
  Pattern pattern = classify(c);
  EXPECT_EQ(describe(pattern, site), text);
  EXPECT_EQ(name(pattern.kind()), name(kind)) << text;
  EXPECT_EQ(pattern.share, 1.0);
}

TEST(PatternText, Global) {
  expect({.address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::contiguous, "contiguous");
  expect({.address = [](u32) { return 4096; }}, PatternKind::broadcast, "broadcast");
  expect({.address = [](u32) { return 4096; }, .kind = Kind::atomic}, PatternKind::broadcast,
         "one address for all lanes");
  expect({.address = [](u32 l) { return 4096 + 128 * l; }}, PatternKind::strided,
         "stride 128 bytes (32 floats)");
  expect({.bytes = 8, .address = [](u32 l) { return 4096 + 16 * l; }}, PatternKind::strided,
         "stride 16 bytes (2 doubles)");
  expect(
      {.bytes = 4, .address = [](u32 l) { return 4096 + 12 * l; }, .element = ElementType::unsigned_integer},
      PatternKind::strided, "stride 12 bytes (3 elements)");
  expect({.bytes = 2, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::strided,
         "stride 4 bytes (2 elements)");
  expect({.bytes = 8, .address = [](u32 l) { return 4096 + 16 * l; }, .vector = 2}, PatternKind::strided,
         "stride 16 bytes (2 vectors)");
  expect({.address = [](u32 l) { return 65536 - 128 * l; }}, PatternKind::strided,
         "stride -128 bytes (32 floats)");
  expect({.address = [](u32 l) { return 4100 + 4 * l; }}, PatternKind::misaligned, "misaligned by 4 bytes");
  expect({.address = [](u32 l) { return 4096 + 4 * (31 - l); }}, PatternKind::permuted,
         "contiguous, in reverse");
  expect({.address = [](u32 l) { return 4096 + 4 * (l ^ 5); }}, PatternKind::permuted,
         "permuted within the line");
  expect({.active = 8, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::broadcast,
         "one active lane");
  expect({.active = 0x55555555, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::contiguous,
         "contiguous, 16 of 32 lanes active");
  expect({.active = 0x55555555, .address = [](u32 l) { return 4096 + 4 * (31 - l); }},
         PatternKind::contiguous, "contiguous, 16 of 32 lanes active");
  expect({.active = 0xfff0fff3, .address = [](u32 l) { return 4096 + 4 * l; }}, PatternKind::contiguous,
         "contiguous, 26 of 32 lanes active");
  expect({.address = [](u32 l) { return 4096 + 400 * (l * 7919 % 101); }}, PatternKind::scattered,
         "scattered: 32 sectors for 32 lanes");
}

TEST(PatternText, RowsOfATwoDimensionalBlock) {
  expect({.address = [](u32 l) { return 65536 + 4 * (l % 16) + 4096 * (l / 16); }}, PatternKind::contiguous,
         "contiguous, 2 rows of 16 lanes, 4096 bytes apart");
  expect({.address = [](u32 l) { return 65536 + 4096 * (l / 16); }}, PatternKind::broadcast,
         "2 addresses, each for 16 lanes, 4096 bytes apart");
  expect({.address = [](u32 l) { return 65536 + 4 * (l % 4) + 4096 * (l / 4); }}, PatternKind::strided,
         "8 rows of 4 lanes, 4096 bytes apart");
  expect({.address = [](u32 l) { return 65540 + 4 * (l % 16) + 4096 * (l / 16); }}, PatternKind::misaligned,
         "2 rows of 16 lanes, misaligned by 4 bytes");
  expect({.address = [](u32 l) { return 65536 + 4 * (l % 30) + 512 * (l / 30); }}, PatternKind::strided,
         "2 rows of up to 30 lanes, 512 bytes apart");
  expect({.address = [](u32 l) { return 65536 + 4096 * (l % 16) + 4 * (l / 16); }}, PatternKind::strided,
         "2 rows of 16 lanes with stride 4096 bytes, 4 bytes apart");
}

TEST(PatternText, SharedConstantAndLocal) {
  Case shared{.space = Space::shared, .address = [](u32 l) { return 4 * l; }};
  expect(shared, PatternKind::conflict_free, "no bank conflict");
  shared.address = [](u32) { return 64; };
  expect(shared, PatternKind::broadcast, "broadcast");
  shared.address = [](u32 l) { return 128 * l; };
  expect(shared, PatternKind::bank_conflict, "32-way bank conflict, stride 128 bytes");
  EXPECT_EQ(classify(shared).ways, 32u);
  shared.address = [](u32 l) { return 32 * l; };
  expect(shared, PatternKind::bank_conflict, "8-way bank conflict, stride 32 bytes");
  Case constant{.space = Space::constant, .address = [](u32 l) { return 4 * (l % 5); }};
  expect(constant, PatternKind::scattered, "5 distinct addresses in a warp");
  constant.address = [](u32) { return 8; };
  expect(constant, PatternKind::broadcast, "broadcast");
  Case local{.space = Space::local, .address = [](u32) { return 8; }};
  expect(local, PatternKind::contiguous, "same offset in every lane");
  local.address = [](u32 l) { return 4 * l; };
  expect(local, PatternKind::scattered, "offsets differ: 32 sectors for 32 lanes");
}

TEST(PatternText, ConflictsThatDifferAreToldWithTheWorst) {
  Pattern pattern{.shape = {.form = Form::conflict}, .units = 4, .most_units = 32, .ways = 32, .share = 1};
  EXPECT_EQ(describe(pattern, {}), "up to 32-way bank conflict");
  EXPECT_EQ(describe({}, {}), "") << "nothing was looked at";
}

} // namespace
} // namespace warplens::summary
