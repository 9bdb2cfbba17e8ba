// The public interface as a program that embeds WarpLens uses it: nothing but include/warplens/ is included here.
#include <array>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <warplens/warplens.h>

namespace warplens {
namespace {

using testing::HasSubstr;

Access strided(std::uint64_t bytes) {
  Access access;
  for (std::size_t lane = 0; lane < 32; ++lane) access.address[lane] = lane * bytes;
  return access;
}

TEST(Count, OneAccessUnderTheRulesOfAnArchitecture) {
  auto together = count(90, strided(4)), apart = count(90, strided(128));
  ASSERT_TRUE(together && apart);
  EXPECT_EQ(together->sectors, 4u);
  EXPECT_EQ(apart->sectors, 32u);
  EXPECT_EQ(apart->ideal_sectors, 4u);
  EXPECT_EQ(count(20, strided(128))->transaction_bytes, 32u * 128); // Fermi moves whole lines
}

TEST(Count, ABatchIsTheSumOfItsAccesses) {
  std::vector<Access> batch{strided(4), strided(8), strided(128)};
  Counts sum;
  for (const Access& access : batch) sum += *count(70, access);
  EXPECT_EQ(*count(70, batch), sum);
  EXPECT_EQ(sum.instructions, 3u);
}

TEST(Count, RefusesWhatNoGpuHas) {
  auto unknown = count(91, strided(4));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, "unknown-architecture");
  EXPECT_EQ(count(-1, strided(4)).error().kind, "unknown-architecture");
  Access odd = strided(4);
  odd.bytes = 3;
  auto impossible = count(90, std::vector<Access>{strided(4), odd});
  ASSERT_FALSE(impossible);
  EXPECT_EQ(impossible.error().kind, "impossible-access");
  EXPECT_THAT(impossible.error().message, HasSubstr("access 1"));
  Access beyond = strided(4);
  beyond.address[7] = ~std::uint64_t{0} - 1;
  EXPECT_EQ(count(90, beyond).error().kind, "impossible-access");
  Access space = strided(4);
  space.space = static_cast<Space>(77);
  EXPECT_EQ(count(90, space).error().kind, "impossible-access");
}

TEST(Count, EveryArchitectureThatIsListedCounts) {
  std::vector<int> all = architectures();
  EXPECT_THAT(all, testing::IsSupersetOf({10, 20, 35, 70, 90, 120}));
  for (int sm : all) EXPECT_TRUE(count(sm, strided(4))) << sm;
}

constexpr const char* scale = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u32 n)
{
  .reg .pred %p;
  .reg .u32 %r<5>;
  .reg .u64 %d<3>;
  ld.param.u64 %d1, [x];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d2, %d1, %d2;
  ld.global.u32 %r4, [%d2];
  add.u32 %r4, %r4, %r4;
  st.global.u32 [%d2], %r4;
  ret;
}
)";

class Embedded : public testing::Test {
protected:
  void SetUp() override {
    auto made = Gpu::create(90);
    ASSERT_TRUE(made) << made.error().text;
    gpu.emplace(std::move(*made));
    std::iota(x.begin(), x.end(), 0u);
  }
  Launch launch() {
    Launch out;
    out.grid = {4};
    out.block = {256};
    out.arguments.add(x.data()).add(std::uint32_t{1000});
    return out;
  }
  alignas(256) std::array<std::uint32_t, 1024> x;
  std::optional<Gpu> gpu;
};

TEST_F(Embedded, RunsAKernelOnTheProgramsOwnMemory) {
  ASSERT_FALSE(gpu->share(x.data(), x.size() * 4));
  auto program = gpu->load(scale);
  ASSERT_TRUE(program) << program.error().text;
  EXPECT_THAT(program->kernels(), testing::ElementsAre("scale"));
  Launch twice = launch();
  twice.sm = {90, 20};
  auto record = program->launch("scale", twice);
  ASSERT_TRUE(record) << record.error().text;
  EXPECT_EQ(record->label, Label::exact);
  EXPECT_EQ(x[999], 2 * 999u);
  EXPECT_EQ(x[1000], 1000u);
  ASSERT_EQ(record->sites.size(), 2u);
  EXPECT_EQ(record->sites[0].instruction, "ld.global.u32");
  EXPECT_EQ(record->sites[0].counts.size(), 2u);
  EXPECT_EQ(record->sites[0].counts[0].sectors, 125u); // 1000 words of 4 bytes
  EXPECT_EQ(record->sites[0].counts[0].threads, 1000u);
  EXPECT_EQ(record->sites[1].kind, AccessKind::store);
}

TEST_F(Embedded, WhatWasNotSharedIsOutOfReach) {
  auto program = gpu->load(scale);
  ASSERT_TRUE(program);
  auto record = program->launch("scale", launch());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->label, Label::failed);
  EXPECT_THAT(record->reason, HasSubstr("outside all device memory"));
  EXPECT_EQ(x[1], 1u);
  EXPECT_FALSE(gpu->unshare(x.data()));
}

TEST_F(Embedded, SaysWhatIsWrong) {
  EXPECT_EQ(Gpu::create(42).error().kind, "unknown-architecture");
  EXPECT_TRUE(gpu->share(x.data(), 0));
  auto broken = gpu->load(".version 8.0\n.target sm_80\nnonsense", "mine.ptx");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().text, HasSubstr("mine.ptx:"));
  auto program = gpu->load(scale);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->launch("scales", launch()).error().kind, "no-such-kernel");
  Launch short_of = launch();
  short_of.arguments = Arguments().add(x.data());
  EXPECT_EQ(program->launch("scale", short_of).error().kind, "kernel-arguments");
  Launch wrong_size = launch();
  wrong_size.arguments = Arguments().add(x.data()).add(std::uint64_t{3});
  EXPECT_EQ(program->launch("scale", wrong_size).error().kind, "kernel-arguments");
  Launch wide = launch();
  wide.block = {2048};
  EXPECT_EQ(program->launch("scale", wide).error().kind, "launch-refused");
  wide.block = {0};
  EXPECT_EQ(program->launch("scale", wide).error().kind, "launch-refused");
  Launch strange = launch();
  strange.sm = {90, 91};
  EXPECT_EQ(program->launch("scale", strange).error().kind, "unknown-architecture");
}

TEST_F(Embedded, AProgramKeepsItsGpuAlive) {
  ASSERT_FALSE(gpu->share(x.data(), x.size() * 4));
  auto program = gpu->load(scale);
  ASSERT_TRUE(program);
  gpu.reset();
  EXPECT_TRUE(program->launch("scale", launch()));
  EXPECT_EQ(x[3], 6u);
}

std::string golden() { // a report that the writer made
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/report/data/run.json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Reports, AreReadAndWrittenAgainToTheByte) {
  auto report = Report::parse(golden());
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_FALSE(report->launches().empty());
  EXPECT_EQ(report->launches()[0].name, "matmul(float const*, float const*, float*, int)");
  EXPECT_EQ(report->launches()[0].sites[0].counts[1].transaction_bytes, 4194304u);
  EXPECT_EQ(report->json(), golden());
  EXPECT_THAT(report->text(), HasSubstr("matmul"));
}

TEST(Reports, MergedHaveTheLaunchesOfAll) {
  auto one = Report::parse(golden());
  ASSERT_TRUE(one);
  auto both = Report::merge(std::vector{*one, *one});
  ASSERT_TRUE(both) << both.error().text;
  ASSERT_EQ(both->launches().size(), one->launches().size()) << "they are alike";
  for (const LaunchRecord& launch : both->launches()) EXPECT_EQ(launch.count, 2u);
  auto again = Report::parse(both->json());
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->json(), both->json());
  EXPECT_EQ(Report::merge({}).error().kind, "report-mismatch");
}

TEST(Reports, MalformedOnesAreRefusedWithTheirPlace) {
  EXPECT_EQ(Report::read("/nowhere/run.json").error().kind, "report-unreadable");
  std::string text = golden();
  for (std::size_t cut = 0; cut < text.size(); cut += 997) {
    auto report = Report::parse(std::string_view(text).substr(0, cut), "cut.json");
    ASSERT_FALSE(report) << cut;
    EXPECT_EQ(report.error().kind, "report-malformed");
    EXPECT_THAT(report.error().text, HasSubstr("cut.json"));
  }
  auto other = Report::parse(R"({"schema":2})");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, "report-version");
  for (const char* text : {"[]", "3", "{}", R"({"schema":"1"})", R"({"schema":1,"launches":3})",
                           R"({"schema":1,"target":{"sm":90,"all":[90]},"launches":[{"grid":[1,2]}]})"})
    EXPECT_EQ(Report::parse(text).error().kind, "report-malformed") << text;
}

} // namespace
} // namespace warplens
