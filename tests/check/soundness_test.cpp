// What is said of an access is held to every warp that the emulator runs: each executed warp's sectors, tags, tag passes, wavefronts and
// requests lie within the bounds, and within those under the printed conditions where these hold. With one of the analysis's
// rules taken out, kernels are found where that is not so.
#include "check/comparison.h"
#include "check/kernels.h"
#include "os/file.h"

namespace warplens::check {
namespace {

using namespace check_testing;

struct Shape {
  Dim3 block;
  bool known;
};
const Shape shapes[] = {{{64, 1, 1}, false}, {{64, 1, 1}, true},  {{16, 4, 1}, true},  {{24, 3, 1}, true},
                        {{8, 2, 4}, true},   {{32, 3, 2}, false}, {{7, 5, 3}, true},   {{100, 1, 1}, true},
                        {{33, 2, 1}, true},  {{2, 2, 16}, true},  {{96, 1, 1}, false}, {{1, 40, 1}, true}};

struct Kernels {
  u32 count = 0;
  Rules rules{};
  u64 inside = 0; // Launch::inside
  bool stop_at_wrong = false;
  std::vector<u32> sm{90};
};

Outcome over(const Kernels& kernels) {
  Bench bench;
  Outcome sum;
  for (u32 seed = 1; seed <= kernels.count; ++seed) {
    std::string ptx = KernelMaker(seed).make();
    const Shape& shape = shapes[seed % std::size(shapes)];
    bool multiples = kernels.inside == 0 && seed % 5 < 2;
    u32 n = multiples ? seed % 7 * 32 : seed % 7 * 5, m = multiples ? seed % 3 * 64 : seed % 5;
    Outcome one = bench.run(ptx, {shape.block, shape.known, n, m, multiples, kernels.inside}, kernels.rules,
                            kernels.sm);
    sum.compared += one.compared;
    sum.skipped += one.skipped;
    sum.conditional += one.conditional;
    sum.rows += one.rows;
    sum.strides += one.strides;
    sum.exact += one.exact;
    sum.judged += one.judged;
    for (std::string& wrong : one.wrong) sum.wrong.push_back(fmt::format("seed {}: {}", seed, wrong));
    if (kernels.stop_at_wrong && !sum.wrong.empty()) return sum;
    if (sum.wrong.size() > 20) return sum;
  }
  return sum;
}

TEST(Soundness, EveryWarpIsWithinTheBounds) {
  Outcome all = over({.count = 4000});
  for (const std::string& wrong : all.wrong) ADD_FAILURE() << wrong;
  EXPECT_GT(all.compared, 10000u);
  EXPECT_GT(all.conditional, 100u);
  EXPECT_GT(all.rows, 100u);
  EXPECT_GT(all.strides, 100u);
  EXPECT_GT(all.exact, all.judged / 4) << all.judged;
  RecordProperty("compared", static_cast<int>(all.compared));
  RecordProperty("conditional", static_cast<int>(all.conditional));
  RecordProperty("skipped", static_cast<int>(all.skipped));
}

// The rules of older architectures, by half-warps and with one broadcast, where they are asked for beside another.
TEST(Soundness, EveryWarpIsWithinTheBoundsOfOlderArchitectures) {
  Outcome all = over({.count = 1200, .sm = {90, 11, 13, 20, 35, 52, 75}});
  for (const std::string& wrong : all.wrong) ADD_FAILURE() << wrong;
  EXPECT_GT(all.compared, 3000u);
}

// What is not said to rest on it holds for pointers into the middle of an array, too.
TEST(Soundness, PointersThatAreLessAligned) {
  Outcome all = over({.count = 1000, .inside = 16});
  for (const std::string& wrong : all.wrong) ADD_FAILURE() << wrong;
  EXPECT_GT(all.compared, 1000u);
}

// Each rule, taken out, is missed.
struct Missing {
  const char* name;
  Rules rules;
  u64 inside = 0;
};
class WithoutRule : public ::testing::TestWithParam<Missing> {};
TEST_P(WithoutRule, SomethingIsWrong) {
  EXPECT_FALSE(over({6000, GetParam().rules, GetParam().inside, true}).wrong.empty());
}
const Missing each_rule[] = {{"joins", {.joins = false}},           {"loops", {.loops = false}},
                             {"control", {.control = false}},       {"rounds", {.rounds = false}},
                             {"tables", {.tables = false}},         {"calls", {.calls = false}},
                             {"wraps", {.wraps = false}},           {"own_memory", {.own_memory = false}},
                             {"pointers", {.pointers = false}, 16}, {"subsets", {.subsets = false}}};
static_assert(std::size(each_rule) == sizeof(Rules), "a rule is missing here");
// src/judgement/check/CHECK.md has a row for each, and for nothing else.
TEST(Soundness, ThePageNamesEveryRule) {
  const std::string page = os::read_file(WARPLENS_SOURCE_DIR "/src/judgement/check/CHECK.md").value_or("");
  std::size_t rows = 0, at = page.find("| rule | |");
  ASSERT_NE(at, page.npos);
  for (const Missing& one : each_rule)
    EXPECT_NE(page.find(std::string("\n| ") + one.name + " | ", at), page.npos) << one.name;
  for (at = page.find("\n| ", at); page[at + 1] == '|'; at = page.find('\n', at + 1)) ++rows;
  EXPECT_EQ(rows, std::size(each_rule));
}

INSTANTIATE_TEST_SUITE_P(Soundness, WithoutRule, ::testing::ValuesIn(each_rule),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace warplens::check
