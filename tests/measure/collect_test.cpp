// The collector against the plainest reference: expand every access to single warps and count each by the
// rule.
#include "arch/count.h"
#include "base/bits.h"
#include "measure/collect.h"
#include "measure/totals.h"
#include "measure/wire.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace warplens::measure {
namespace {

using access::AffineAccess;
using access::LaneBatch;
using access::Site;
using access::SiteId;
using access::Space;
using access::WarpAccess;

std::vector<const arch::Architecture*> architectures(std::initializer_list<u32> list) {
  std::vector<const arch::Architecture*> out;
  for (u32 sm : list) out.push_back(arch::find(sm));
  return out;
}

Site make_site(u32 id, std::string opcode, u8 bytes = 4) {
  Site site;
  site.id = SiteId(id);
  site.opcode = std::move(opcode);
  site.bytes = bytes;
  return site;
}

// A batch that owns its arrays.
struct Batch {
  std::vector<u32> active;
  std::vector<u64> address;
  LaneBatch view(SiteId site, Space space, u8 bytes, u64 cta) const {
    return {{.site = site, .space = space, .bytes = bytes}, cta, active, address.data()};
  }
};

struct Random {
  std::mt19937_64 engine{7};
  u64 below(u64 n) { return engine() % n; }
};

constexpr Space spaces[] = {Space::global, Space::shared, Space::local, Space::constant};

Batch random_batch(Random& random, u8 bytes) {
  Batch out;
  u32 warps = 1 + static_cast<u32>(random.below(8));
  for (u32 w = 0; w < warps; ++w) {
    out.active.push_back(random.below(5) == 0   ? 0
                         : random.below(3) == 0 ? static_cast<u32>(random.engine())
                                                : full_mask);
    u64 range = 1u << random.below(12);
    for (u32 l = 0; l < warp_size; ++l) out.address.push_back((4096 + random.below(range)) * bytes);
  }
  return out;
}

AffineAccess random_affine(Random& random, SiteId site, Space space, u8 bytes) {
  AffineAccess out{{.site = site, .space = space, .bytes = bytes}};
  out.cta = random.below(100);
  out.count = 1 + random.below(3);
  out.block = {1 + static_cast<u32>(random.below(40)), 1 + static_cast<u32>(random.below(4)),
               1 + static_cast<u32>(random.below(2))};
  out.base = (1 << 20) + random.below(space == Space::global ? 4096 : 128) * bytes;
  for (i64& stride : out.stride) stride = (static_cast<i64>(random.below(9)) - 4) * bytes;
  if (random.below(2) == 0) out.stride[0] = bytes;
  if (random.below(3) != 0) out.cta_stride = static_cast<i64>(random.below(200)) * bytes;
  return out;
}

// Masks as branches make them: the CTAs of a batch often alike, warps often whole.
std::vector<u32> random_masks(Random& random, u64 ctas, u64 warps) {
  std::vector<u32> out;
  for (u64 w = 0; w < ctas * warps; ++w) {
    if (w >= warps && random.below(4) != 0)
      out.push_back(out[w - warps]);
    else
      out.push_back(random.below(3) == 0   ? 0
                    : random.below(2) == 0 ? full_mask
                                           : static_cast<u32>(random.engine()));
  }
  return out;
}

TEST(Collector, EqualsTheRuleAppliedWarpByWarp) {
  auto list = architectures({10, 13, 20, 35, 52, 70, 90});
  std::vector<Site> sites;
  constexpr u8 widths[] = {1, 2, 4, 8, 16};
  for (u32 i = 0; i < 5; ++i) sites.push_back(make_site(i * 3, "ld.global", widths[i]));
  Collector collector(list, sites, 2);
  auto sinks = collector.sinks();
  std::map<std::tuple<u32, Space, std::size_t>, arch::Counts> expected;
  auto expect = [&](const WarpAccess& access) {
    if (access.active == 0) return;
    for (std::size_t a = 0; a < list.size(); ++a)
      expected[{access.site.value, access.space, a}] += arch::count(*list[a], access);
  };
  Random random;
  for (u32 i = 0; i < 4000; ++i) {
    const Site& site = sites[random.below(sites.size())];
    Space space = spaces[random.below(4)];
    if (random.below(2) == 0) {
      Batch batch = random_batch(random, site.bytes);
      LaneBatch view = batch.view(site.id, space, site.bytes, random.below(200));
      sinks[random.below(2)]->lanes(view);
      for (u32 w = 0; w < batch.active.size(); ++w) expect(access::warp_of(view, w));
    } else {
      AffineAccess affine = random_affine(random, site.id, space, site.bytes);
      u64 warps = ceil_div(affine.block.count(), warp_size);
      std::vector<u32> active;
      if (random.below(2) == 0) {
        active = random_masks(random, affine.count, warps);
        affine.active = active;
      }
      const u64 sink = random.below(2);
      for (u64 times = random.below(4); times != 0;
           --times) { // the first with a mask is counted another way than the next
        sinks[sink]->affine(affine);
        for (u64 k = 0; k < affine.count; ++k)
          for (u32 w = 0; w < warps; ++w) expect(access::expand(access::cta_of(affine, k), w));
        affine.base += random.below(64) * site.bytes;
      }
    }
  }
  std::vector<SiteRecord> records = collector.finish();
  EXPECT_EQ(records.size(), sites.size() * 4);
  for (const SiteRecord& record : records)
    for (std::size_t a = 0; a < list.size(); ++a) {
      arch::Counts reference = expected[{record.site.id.value, record.space, a}];
      EXPECT_TRUE(record.counters[a] == reference)
          << "site " << record.site.id.value << ' ' << access::name(record.space) << " sm "
          << arch::sm(*list[a]) << ": sectors " << record.counters[a].sectors << " for " << reference.sectors
          << ", wavefronts " << record.counters[a].wavefronts << " for " << reference.wavefronts
          << ", transactions " << record.counters[a].transactions << " for " << reference.transactions;
    }
}

// Rows of global memory that go to columns of a tile: what is read is as it should be, what is written is not.
TEST(Collector, AnAsynchronousCopyHasARecordForEachOfItsEnds) {
  Site site = make_site(3, "cp.async.ca.shared.global");
  site.kind = access::Kind::async_copy;
  site.array.name = "matrix", site.copied_to.name = "tile";
  std::vector<Site> sites{site};
  Collector collector(architectures({90}), sites, 1);
  Batch from, to;
  from.active = to.active = {full_mask, full_mask};
  for (u32 lane = 0; lane < 2 * warp_size; ++lane)
    from.address.push_back((1 << 20) + 4 * lane), to.address.push_back(128 * (lane % 32) + lane / 32 * 4);
  LaneBatch batch = from.view(site.id, Space::global, 4, 0);
  batch.kind = access::Kind::async_copy;
  batch.copied_to = to.address.data();
  collector.sinks()[0]->lanes(batch);
  const std::vector<SiteRecord> records = collector.finish();
  ASSERT_EQ(records.size(), 2u);
  const SiteRecord &read = records[0], &written = records[1];
  EXPECT_EQ(read.space, Space::global);
  EXPECT_EQ(read.site.array.name, "matrix");
  EXPECT_EQ(read.counters[0].sectors, 8u);
  EXPECT_EQ(read.counters[0].wavefronts, 64u);
  EXPECT_EQ(excess(read.counters[0], read.space), 0u);
  EXPECT_TRUE(is_copied_half(written));
  EXPECT_EQ(written.site.array.name, "tile");
  EXPECT_EQ(written.counters[0].wavefronts, 64u);
  EXPECT_EQ(written.counters[0].sectors, 0u);
  EXPECT_EQ(excess(written.counters[0], written.space), 62u);
  EXPECT_EQ(written.pattern.kind(), PatternKind::bank_conflict);
  EXPECT_EQ(written.pattern.shape.stride, 128);
  ASSERT_EQ(written.distribution.classes.size(), 1u);
  EXPECT_EQ(written.distribution.classes[0].warps, 2u);
  EXPECT_EQ(written.distribution.classes[0].counts.wavefronts, 64u);
  EXPECT_EQ(written.distribution.classes[0].example.copied_from[31], 124u);

  LaunchRecord launch;
  launch.sm = {90}, launch.sites = records;
  for (SiteRecord& record : launch.sites)
    record.site.copied_to = {}, record.site.space = record.space; // what the instruction names is not sent
  const Result<Event> sent = decode(encode(launch));
  ASSERT_TRUE(sent.has_value());
  EXPECT_TRUE(std::get<LaunchRecord>(*sent).sites == launch.sites);
}

// All but the passes of the L1's stages, whose tag sets depend on every bit of an address.
TEST(Collector, AffineCountsDependOnTheBaseOnlyModulo256) {
  auto by_place = [](const arch::Architecture& architecture, const AffineAccess& access) {
    arch::Counts out = arch::count(architecture, access);
    if (access.space == Space::global) out.tag_passes = out.data_wavefronts = 0;
    return out;
  };
  auto list = architectures({10, 12, 20, 30, 35, 50, 60, 75, 90, 120});
  Random random;
  for (u32 i = 0; i < 3000; ++i) {
    constexpr u8 widths[] = {1, 2, 4, 8, 16};
    AffineAccess a = random_affine(random, SiteId(0u), spaces[random.below(4)], widths[random.below(5)]);
    a.count = 1;
    AffineAccess b = a;
    b.base += 256 * (1 + random.below(50));
    for (const arch::Architecture* architecture : list)
      EXPECT_TRUE(by_place(*architecture, a) == by_place(*architecture, b))
          << "sm " << arch::sm(*architecture);
  }
}

TEST(Collector, BatchesOfCtasAreTheirCtasOneByOne) {
  auto list = architectures({13, 35, 90});
  std::vector<Site> sites{make_site(0, "ld.global.f32"), make_site(1, "ld.shared.f32")};
  constexpr u32 ctas = 4, cta_warps = 2;
  Collector batched(list, sites, 1), single(list, sites, 1);
  Random random;
  for (u64 cta = 0; cta < 400; cta += ctas)
    for (u32 k = 0; k < 10; ++k) {
      AffineAccess affine = random_affine(random, SiteId(0u), Space::global, 4);
      affine.cta = cta;
      affine.count = ctas;
      batched.sinks()[0]->affine(affine);
      Batch lanes = random_batch(random, 4);
      lanes.active.resize(ctas * cta_warps);
      lanes.address.resize(ctas * cta_warps * warp_size);
      LaneBatch view = lanes.view(SiteId(1u), Space::shared, 4, cta);
      view.cta_warps = cta_warps;
      batched.sinks()[0]->lanes(view);
      affine.count = 1;
      for (u32 c = 0; c < ctas; ++c, ++affine.cta, affine.base += static_cast<u64>(affine.cta_stride)) {
        single.sinks()[0]->affine(affine);
        Batch part;
        part.active.assign(lanes.active.begin() + c * cta_warps, lanes.active.begin() + (c + 1) * cta_warps);
        part.address.assign(lanes.address.begin() + c * cta_warps * warp_size,
                            lanes.address.begin() + (c + 1) * cta_warps * warp_size);
        if (std::ranges::any_of(part.active, [](u32 m) { return m != 0; }))
          single.sinks()[0]->lanes(part.view(SiteId(1u), Space::shared, 4, cta + c));
      }
    }
  std::vector<SiteRecord> a = batched.finish(), b = single.finish();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < list.size(); ++k) EXPECT_TRUE(a[i].counters[k] == b[i].counters[k]);
    EXPECT_EQ(a[i].pattern, b[i].pattern);
    EXPECT_TRUE(a[i].distribution == b[i].distribution);
  }
}

TEST(Collector, SumsAndPatternsDoNotDependOnTheNumberOfWorkers) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "ld.global.f32"), make_site(1, "ld.shared.f32")};
  auto run = [&](u32 workers) {
    Collector collector(list, sites, workers);
    auto sinks = collector.sinks();
    Random random;
    for (u64 cta = 0; cta < 500; ++cta)
      for (u32 k = 0; k < 20; ++k) { // a CTA stays with its worker, as in the engine
        Batch batch = random_batch(random, 4);
        AffineAccess affine = random_affine(random, SiteId(0u), Space::global, 4);
        affine.cta = cta;
        affine.count = 1;
        sinks[cta * 7919 % workers]->lanes(batch.view(SiteId(1u), Space::shared, 4, cta));
        sinks[cta * 7919 % workers]->affine(affine);
      }
    return collector.finish();
  };
  std::vector<SiteRecord> one = run(1);
  for (u32 workers : {2u, 3u, 16u}) {
    std::vector<SiteRecord> many = run(workers);
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(many[i].counters[0] == one[i].counters[0]);
      EXPECT_EQ(many[i].pattern, one[i].pattern);
      EXPECT_TRUE(many[i].distribution == one[i].distribution);
    }
  }
}

// Every warp is in one class, whose lanes and cost it has: what the classes cost is what the site cost.
TEST(Collector, TheDistributionHoldsEveryWarp) {
  auto unit = [](const arch::Counts& counts, Space space) { // as arch::WarpCost has it
    return space == Space::shared     ? counts.wavefronts
           : space == Space::constant ? counts.requests
                                      : counts.transactions;
  };
  for (u32 sm : {13u, 35u, 90u}) {
    auto list = architectures({sm});
    std::vector<Site> sites{make_site(0, "ld.f32")};
    Collector collector(list, sites, 1);
    Random random;
    for (u32 i = 0; i < 3000; ++i) {
      Space space = spaces[random.below(4)];
      if (random.below(2) == 0) {
        collector.sinks()[0]->lanes(random_batch(random, 4).view(SiteId(0u), space, 4, i));
        continue;
      }
      AffineAccess affine = random_affine(random, SiteId(0u), space, 4);
      std::vector<u32> active = random_masks(random, affine.count, ceil_div(affine.block.count(), warp_size));
      if (random.below(2) == 0) affine.active = active;
      collector.sinks()[0]->affine(affine);
    }
    std::vector<SiteRecord> records = collector.finish();
    ASSERT_EQ(records.size(), 4u);
    for (const SiteRecord& record : records) {
      arch::Counts sum = record.distribution.other;
      for (const WarpClass& c : record.distribution.classes) sum += c.counts;
      const arch::Counts& all = record.counters[0];
      EXPECT_EQ(record.distribution.warps(), all.instructions);
      EXPECT_EQ(sum.threads, all.threads);
      EXPECT_EQ(unit(sum, record.space), unit(all, record.space));
      EXPECT_LE(record.distribution.classes.size(), Distribution::most_classes);
    }
  }
}

// The first warp's rows lie at a border, and go elsewhere than those of all others; what they cost is the same.
TEST(Collector, TheFirstWarpsShapeIsNotThatOfAll) {
  const auto list = architectures({90});
  const std::vector<Site> sites{make_site(0, "ld.f32")};
  const auto pattern = [&](auto&& address) {
    Collector collector(list, sites, 1);
    for (u64 cta = 0; cta < 50; ++cta) {
      Batch one{{full_mask}, {}};
      for (u32 l = 0; l < warp_size; ++l) one.address.push_back((1 << 20) + address(cta, l));
      collector.sinks()[0]->lanes(one.view(SiteId(0u), Space::global, 4, cta));
    }
    return collector.finish()[0].pattern;
  };
  Pattern found =
      pattern([](u64 cta, u32 l) { return l % 16 * 32 + l / 16 * (cta == 0 ? 63 * 4096 : 4096); });
  EXPECT_EQ(found.shape, (Shape{Form::rows, 32, 2, 16, 4096}));
  EXPECT_DOUBLE_EQ(found.share, 0.98);
  found = pattern([](u64 cta, u32 l) { return (l + (cta == 0 ? 95 : cta * 32)) % 96 * 32; });
  EXPECT_EQ(found.shape, (Shape{Form::strided, 32}));
  EXPECT_DOUBLE_EQ(found.share, 0.98);
}

TEST(Collector, WhatComesLateCountsLikeTheRest) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "ld.global.f32")};
  Collector collector(list, sites, 1);
  AffineAccess access{{.site = SiteId(0u)}};
  access.block = {32, 1, 1};
  for (access.cta = 0; access.cta < 8192; ++access.cta) {
    access.stride[0] = access.cta < 4096 ? 4 : 128;
    collector.sinks()[0]->affine(access);
  }
  SiteRecord record = collector.finish()[0];
  ASSERT_EQ(record.distribution.classes.size(), 2u);
  EXPECT_EQ(record.pattern.shape, (Shape{.form = Form::strided, .stride = 128}));
  EXPECT_DOUBLE_EQ(record.pattern.share, 0.5);
  EXPECT_DOUBLE_EQ(record.pattern.excess_share, 1);
}

// Rows of 1032 bytes: their warps cost the same, and so are one class.
TEST(Collector, AClassKnowsWhereItsWarpsBegin) {
  auto list = architectures({90});
  const std::vector<Site> sites{make_site(0, "st.global.f32")};
  for (bool affine : {true, false}) {
    Collector collector(list, sites, 2);
    for (u64 row = 0; row < 8; ++row) {
      AffineAccess access{{.site = SiteId(0u)}};
      access.block = {32, 1, 1}, access.stride[0] = 4, access.cta = row,
      access.base = (1 << 20) + 12 + 1032 * row;
      access::Sink* sink = collector.sinks()[row % 2];
      if (affine) {
        sink->affine(access);
        continue;
      }
      Batch batch{{full_mask}, {}};
      for (u64 lane = 0; lane < warp_size; ++lane) batch.address.push_back(access.base + 4 * lane);
      sink->lanes(batch.view(SiteId(0u), Space::global, 4, row));
    }
    const SiteRecord record = collector.finish()[0];
    ASSERT_EQ(record.distribution.classes.size(), 1u);
    EXPECT_EQ(record.distribution.classes[0].starts, 1u << 12 | 1u << 20 | 1u << 28 | 1u << 4);
  }
}

// One CTA of a class that stands for many, whichever it is.
TEST(Collector, ClassesOfCtasAreTheirMembersOneByOne) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "ld.global.f32")};
  Collector folded(list, sites, 0), full(list, sites, 1);
  Random random;
  std::vector<Batch> of_class;
  for (u32 i = 0; i < 3; ++i) of_class.push_back(random_batch(random, 4));
  for (u64 cta = 0; cta < 30; ++cta)
    full.sinks()[0]->lanes(of_class[cta % 3].view(SiteId(0u), Space::global, 4, cta));
  for (u64 i : {2u, 0u, 1u}) {
    folded.begin_class()->lanes(of_class[i].view(SiteId(0u), Space::global, 4, i + 9));
    folded.end_class(10, i);
  }
  Distribution of_folded = folded.finish()[0].distribution, of_full = full.finish()[0].distribution;
  of_folded.first_block = of_full.first_block = {}; // of block 0 alone, which did not run for its class here
  EXPECT_TRUE(of_folded == of_full);
}

TEST(Collector, AGenericSiteHasOneRecordPerSpace) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "ld.f32"), make_site(1, "ld.shared.f32"), make_site(2, "st.f32")};
  sites[1].space = Space::shared;
  Collector collector(list, sites, 1);
  AffineAccess access{{.site = SiteId(0u)}};
  access.stride[0] = 4;
  access.block = {64, 1, 1};
  collector.sinks()[0]->affine(access);
  access.space = Space::shared;
  collector.sinks()[0]->affine(access);
  std::vector<SiteRecord> records = collector.finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].space, Space::global);
  EXPECT_EQ(records[0].counters[0].sectors, 8u);
  EXPECT_EQ(records[1].space, Space::shared);
  EXPECT_EQ(records[1].counters[0].wavefronts, 2u);
  EXPECT_EQ(records[2].space, Space::shared) << "never executed: the space that the instruction names";
  EXPECT_EQ(records[2].counters[0].instructions, 0u);
  EXPECT_EQ(records[3].space, Space::global);
  EXPECT_EQ(records[3].pattern, Pattern{});
}

// They stand apart from the counts, for the CTAs of a class and for launches that repeat as often as these.
TEST(Collector, WarpsThatAGuardKeepsOutAreCountedApart) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "LDG.E"), make_site(1, "STG.E")};
  Collector collector(list, sites, 1);
  AffineAccess access{{.site = SiteId(0u)}};
  access.block = {64, 1, 1};
  for (u64 members : {5u, 2u}) {
    access::Sink* sink = collector.begin_class();
    sink->affine(access);
    sink->predicated_off(SiteId(0u), 3);
    sink->predicated_off(SiteId(1u), 1);
    collector.end_class(members, members);
  }
  LaunchContent launch;
  launch.sites = collector.finish();
  ASSERT_GE(launch.sites.size(), 2u);
  EXPECT_EQ(launch.sites[0].counters[0].instructions, 14u);
  EXPECT_EQ(launch.sites[0].predicated_off, 21u);
  EXPECT_EQ(launch.sites[1].counters[0].instructions, 0u);
  EXPECT_EQ(launch.sites[1].predicated_off, 7u);
  EXPECT_EQ(repeated(launch, 10).sites[0].predicated_off, 210u);
}

TEST(Collector, AccessesOfUnlistedSitesAreNotLost) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "ld.global.f32")};
  Collector collector(list, sites, 1);
  AffineAccess access{{.site = SiteId(17u)}};
  access.stride[0] = 4;
  access.block = {32, 1, 1};
  collector.sinks()[0]->affine(access);
  std::vector<SiteRecord> records = collector.finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_FALSE(records[1].site.id.valid());
  EXPECT_EQ(records[1].counters[0].sectors, 4u);
}

TEST(Collector, ManyDifferentPatternsOverflowTheCacheWithoutLoss) {
  auto list = architectures({90});
  std::vector<Site> sites{make_site(0, "ld.global.f32")};
  Collector collector(list, sites, 1);
  AffineAccess access{{.site = SiteId(0u)}};
  access.block = {32, 1, 1};
  for (i64 stride = 1; stride <= 9000; ++stride) {
    access.stride[0] = stride * 4;
    collector.sinks()[0]->affine(access);
  }
  EXPECT_EQ(collector.finish()[0].counters[0].instructions, 9000u);
}

TEST(Totals, ExcessAndEfficiencyFollowTheSpace) {
  arch::Counts c;
  c.instructions = 10, c.requests = 10, c.sectors = 320, c.ideal_sectors = 40, c.bytes_used = 1280;
  c.transactions = 320, c.transaction_bytes = 320 * 32;
  EXPECT_EQ(excess(c, Space::global), 280u);
  EXPECT_EQ(excess_bytes(c, Space::global), 280u * 32);
  EXPECT_DOUBLE_EQ(efficiency(c, Space::global), 0.125);
  c.wavefronts = 80, c.ideal_wavefronts = 10;
  EXPECT_EQ(excess(c, Space::shared), 70u);
  EXPECT_DOUBLE_EQ(efficiency(c, Space::shared), 0.125);
  c.requests = 40;
  EXPECT_EQ(excess(c, Space::constant), 30u);
  EXPECT_DOUBLE_EQ(efficiency(arch::Counts{}, Space::global), 1.0);
}

// An access that only the blocks at the edges of a sample made, or none, others may have made.
TEST(Collector, WhatNoStratumMetIsNotJudged) {
  const auto sm = architectures({90});
  const std::vector<Site> sites{make_site(0, "ld"), make_site(1, "ld"), make_site(2, "ld")};
  Collector collector(sm, sites, 1);
  const std::vector<access::Sink*> sinks = collector.begin_sample(10);
  Batch batch{std::vector<u32>(30, full_mask), std::vector<u64>(30 * warp_size, 4096)};
  for (access::Sink* sink : sinks) sink->lanes(batch.view(SiteId(0u), Space::global, 4, 0));
  sinks.front()->lanes(batch.view(SiteId(1u), Space::global, 4, 0));
  std::vector<u64> weights(10, 100);
  weights.front() = weights.back() = 1;
  collector.end_sample(weights);
  std::vector<double> spreads;
  for (const SiteRecord& record : collector.finish()) spreads.push_back(record.spread);
  EXPECT_EQ(spreads, (std::vector<double>{0, 1, 1}));
}

} // namespace
} // namespace warplens::measure
