// Events go there and back; damaged lines are told apart from whole ones and never crash.
#include "base/bits.h"
#include "measure/distribution_json.h"
#include "measure/totals.h"
#include "measure/wire.h"
#include <gtest/gtest.h>
#include <random>

namespace warplens::measure {
namespace {

LaunchRecord sample_launch() {
  LaunchRecord launch;
  launch.index = 3, launch.process = 1234, launch.kernel = "_Z1kPf", launch.name = "k(float*)";
  launch.module = "compute_90 of app", launch.grid = {7, 2, 1}, launch.block = {256, 1, 1};
  launch.shared_bytes = 4096, launch.local_bytes = 64, launch.local_arrays = {{"stack", 64, 2}, {"b", 0, 0}},
  launch.sm = {90, 70};
  launch.status = Status::failed, launch.reason = "illegal address";
  launch.blocks = {5, 3};
  launch.diagnostics.push_back(
      diag::warning("illegal-address", "a \"quoted\" message", {"a.cu", 3, 4, 5}, "do this"));
  launch.diagnostics[0].notes = {"one", "two"};
  launch.warp_instructions = 0xffffffffffffffffu, launch.seconds = 0.25;
  SiteRecord site;
  site.site.id = access::SiteId(5u), site.site.function = "_Z1kPf", site.site.ptx_line = 77;
  site.site.frames = {{"in.h", 8, 2, "get"}, {"a.cu", 3, 4, ""}};
  site.site.opcode = "ld.global.nc.v2.f32", site.site.kind = access::Kind::async_copy;
  site.site.cache = access::Cache::nc, site.site.bytes = 8, site.site.matrices = 4;
  site.site.space = access::Space::local, site.site.vector = 2,
  site.site.element = access::ElementType::floating;
  site.site.timing_dependent = access::Timing::retry;
  site.result_unused = site.adds_one = site.loads_index = site.follows_links = true, site.spread = 0.25,
  site.predicated_off = 9;
  site.space = access::Space::local;
  site.counters.resize(2);
  u64 number = 1;
  for (arch::Counts& counts : site.counters)
    for (const arch::CountMember& member : arch::count_members)
      if (arch::applies(member.which, site.space, site.site.kind, true)) counts.*member.value = number++;
  site.pattern = {.shape = {Form::rows, -128, 2, 16, -4096, 4},
                  .lanes = 30,
                  .units = 7,
                  .most_units = 8,
                  .ways = 3,
                  .share = 0.5,
                  .excess_share = 0.75};
  access::WarpAccess access{{.site = site.site.id,
                             .space = site.space,
                             .kind = site.site.kind,
                             .cache = site.site.cache,
                             .bytes = site.site.bytes,
                             .matrices = site.site.matrices},
                            0xfffffff0};
  for (u32 lane = 4; lane < warp_size; ++lane) access.address[lane] = lane < 9 ? 8 * lane : 4000 - 16 * lane;
  site.distribution.classes = {class_of(access, 700, *arch::find(90)), class_of(access, 5, *arch::find(90))};
  site.distribution.classes[1].counts += site.distribution.classes[0].counts; // others were added to it
  site.distribution.classes[1].ways = 3, site.distribution.classes[1].starts = 0x10001;
  site.distribution.other_warps = 9, site.distribution.other.sectors = 77;
  site.distribution.first_block = {
      .requests = 5, .sectors = 90, .distinct_sectors = 8, .rows = 3, .row_elements = 31};
  site.distribution.first_block.row_lanes = 16, site.distribution.first_block.by_rows.sectors = 12;
  site.distribution.first_block.lanes = 7, site.distribution.first_block.words = 3;
  site.distribution.first_block.by_address.requests = 2;
  launch.sites.push_back(site);
  return launch;
}

std::vector<Event> all_events() {
  return {ProcessStarted{1, "/bin/app", "static", 90},
          LaunchStarted{1, 2, "k", {1, 2, 3}, {4, 5, 6}},
          sample_launch(),
          KernelsKnown{1, {"_Z1kPf", "_Z1jPf"}},
          Unsupported{1, "cudaGraphLaunch", 7},
          FailedCall{1, "cudaMalloc", "cudaErrorMemoryAllocation", "/bin/app+0x12", 9},
          Message{1, diag::warning("w", "words")},
          ProcessEnded{1}};
}

TEST(Wire, EveryEventComesBackAsItWent) {
  for (const Event& event : all_events()) {
    std::string line = encode(event);
    ASSERT_EQ(line.back(), '\n');
    EXPECT_EQ(line.find('\n'), line.size() - 1) << "one event, one line";
    Result<Event> back = decode(line);
    ASSERT_TRUE(back) << back.error().notes[0];
    EXPECT_EQ(back->index(), event.index());
    EXPECT_EQ(encode(*back), line);
  }
}

TEST(Wire, ALaunchKeepsEveryMember) {
  Result<Event> back = decode(encode(sample_launch()));
  ASSERT_TRUE(back);
  const LaunchRecord& launch = std::get<LaunchRecord>(*back);
  EXPECT_EQ(launch.index, 3u);
  EXPECT_EQ(launch.process, 1234);
  EXPECT_EQ(launch.grid, (Dim3{7, 2, 1}));
  EXPECT_EQ(launch.local_arrays, (std::vector<access::LocalArray>{{"stack", 64, 2}, {"b", 0, 0}}));
  EXPECT_EQ(static_cast<int>(launch.status), static_cast<int>(Status::failed));
  EXPECT_EQ(launch.blocks, (Blocks{5, 3}));
  EXPECT_EQ(launch.warp_instructions, 0xffffffffffffffffu);
  EXPECT_EQ(launch.diagnostics[0].span, (diag::Span{"a.cu", 3, 4, 5}));
  EXPECT_EQ(launch.diagnostics[0].notes.size(), 2u);
  const SiteRecord& site = launch.sites[0];
  EXPECT_EQ(site.site, sample_launch().sites[0].site);
  EXPECT_EQ(site.space, access::Space::local);
  EXPECT_EQ(site.spread, 0.25);
  EXPECT_EQ(site.predicated_off, 9u);
  EXPECT_TRUE(site.counters == sample_launch().sites[0].counters);
  EXPECT_EQ(site.pattern, sample_launch().sites[0].pattern);
  EXPECT_TRUE(site.distribution == sample_launch().sites[0].distribution);
}

TEST(Wire, OffsetsOfLanesAreOneText) {
  access::WarpAccess access{{}, full_mask};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = 16 + 4 * lane;
  EXPECT_EQ(text_of_offsets(access.active, access.address), "16+4*31");
  for (u32 lane = 16; lane < warp_size; ++lane) access.address[lane] = 8000 - 128 * lane;
  access.address[3] = 5;
  EXPECT_EQ(text_of_offsets(access.active, access.address), "16+4*2 5 32+4*11 5952-128*15");
  access.active = 0x80000001;
  EXPECT_EQ(text_of_offsets(access.active, access.address), "16 4032");
  std::mt19937_64 random(5);
  for (u32 i = 0; i < 1000; ++i) {
    access.active = static_cast<u32>(random()) | 1u << (i % 32);
    for (u64& address : access.address)
      address = random() % 3 == 0 ? random() % 512 : 64 + 8 * (random() % 4);
    access::WarpAccess back{{}, access.active};
    take_offsets(text_of_offsets(access.active, access.address), back.active, back.address);
    for_each_lane(access.active, [&](u32 lane) { EXPECT_EQ(back.address[lane], access.address[lane]); });
  }
}

TEST(Wire, DamagedDistributionsAreRefused) {
  auto line = [](std::string_view a_class) {
    return fmt::format(R"({{"event":"launch","sm":[90],"sites":[{{"ptx":"ld.b32","bytes":4,)"
                       R"("distribution":{{"classes":[{}]}}}}]}})",
                       a_class);
  };
  EXPECT_TRUE(decode(line(R"({"warps":1,"active":7,"offsets":"0+4*2"})")));
  for (std::string_view text :
       {R"(7)", R"({"warps":1})", R"({"warps":1,"active":0,"offsets":""})",
        R"({"warps":1,"active":7,"offsets":"0+4*3"})", R"({"warps":1,"active":7,"offsets":"0 4"})",
        R"({"warps":1,"active":7,"offsets":"0 4 8 "})", R"({"warps":1,"active":7,"offsets":"0 4 x"})",
        R"({"warps":1,"active":7,"offsets":"0+4"})",
        R"({"warps":1,"active":1,"offsets":"99999999999999999999"})",
        R"({"warps":1,"active":1,"offsets":"18446744073709551615"})",
        R"({"warps":-1,"active":1,"offsets":"0"})", R"({"warps":1,"active":4294967296,"offsets":"0"})",
        R"({"warps":1,"active":7,"offsets":"4-8*2"})"})
    EXPECT_FALSE(decode(line(text))) << text;
}

TEST(Wire, EveryTruncationIsRefusedAndNoneCrashes) {
  for (const Event& event : all_events()) {
    std::string line = encode(event);
    for (std::size_t length = 0; length + 2 <= line.size(); ++length) // all but the newline is a whole object
      EXPECT_FALSE(decode(std::string_view(line).substr(0, length))) << length;
  }
}

TEST(Wire, EnumeratorsGoByName) {
  std::string line = encode(sample_launch());
  for (std::string_view name :
       {"\"failed\"", "\"async_copy\"", "\"nc\"", "\"local\"", "\"rows\"", "\"floating\"", "\"warning\""})
    EXPECT_NE(line.find(name), line.npos) << name;
}

// The first site of a module has the number 0.
TEST(Wire, AReferenceToTheFirstSiteIsOne) {
  LaunchRecord launch = sample_launch();
  launch.sites[0].site = {.id = access::SiteId(0u), .bytes = 0};
  launch.sites[0].distribution = {};
  Result<Event> back = decode(encode(launch));
  ASSERT_TRUE(back) << back.error().notes[0];
  EXPECT_EQ(std::get<LaunchRecord>(*back).sites[0].site.id, access::SiteId(0u));
}

// How much cp.async copies is an operand, so that its site may not say: the launch that could not run it is told of still.
TEST(Wire, AnAsynchronousCopyNeedNoSize) {
  LaunchRecord launch = sample_launch();
  launch.sites.resize(1);
  launch.sites[0].site.kind = access::Kind::async_copy;
  launch.sites[0].site.bytes = 0;
  EXPECT_TRUE(decode(encode(launch)));
  launch.sites[0].site.kind = access::Kind::load;
  EXPECT_FALSE(decode(encode(launch)));
}

TEST(Wire, UnknownMembersAreIgnored) {
  Result<Event> event = decode(R"({"event":"process_ended","process":4,"later":{"x":[1]}})");
  ASSERT_TRUE(event);
  EXPECT_EQ(std::get<ProcessEnded>(*event).process, 4);
}

TEST(Wire, WrongTypesAndRangesAreRefused) {
  for (std::string_view line :
       {"[]",
        "3",
        "null",
        "{}",
        R"({"event":"surprise"})",
        R"({"event":7})",
        R"({"event":"launch_started","grid":[1,2]})",
        R"({"event":"launch_started","grid":[1,2,-3]})",
        R"({"event":"launch_started","grid":[1,2,4294967296]})",
        R"({"event":"launch_started","index":"2"})",
        R"({"event":"launch","status":9})",
        R"({"event":"launch","status":"surprise"})",
        R"({"event":"launch","status":""})",
        R"({"event":"launch","sites":{}})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"space":"moon"}]})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"pattern":"rows"}]})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"pattern":{"form":"waves"}}]})",
        R"({"event":"launch","sites":[1]})",
        R"({"event":"launch","sm":[90],"sites":[{"ptx":"ld.b32","bytes":0}]})",
        R"({"event":"launch","sm":[90],"sites":[{"ptx":"ld.b32","bytes":65}]})",
        R"({"event":"launch","sm":[90,70],"sites":[{"id":1}]})",
        R"({"event":"launch","sm":[90,70],"sites":[{"id":1,"by_sm":{"90":{}}}]})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"sectors":-1}]})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"space":17}]})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"spread":1.5}]})",
        R"({"event":"launch","sm":[90],"sites":[{"id":1,"spread":-0.1}]})",
        R"({"event":"message"})",
        R"({"event":"process_ended","process":18446744073709551615})"})
    EXPECT_FALSE(decode(line)) << line;
}

TEST(Wire, BytesThatAreNotUtf8DoNotBreakTheStream) {
  std::string line = encode(Unsupported{1, "bad\xff\xfename\n", 1});
  Result<Event> back = decode(line);
  ASSERT_TRUE(back);
  EXPECT_NE(std::get<Unsupported>(*back).function.find("name"), std::string::npos);
}

} // namespace
} // namespace warplens::measure
