// What is said of an access is held to every warp that the emulator runs: each executed warp's sectors, tags, tag passes, wavefronts and
// requests lie within the bounds, and within those under the printed conditions where these hold. With one of the analysis's
// rules taken out, kernels are found where that is not so.
#include "arch/count.h"
#include "check/check.h"
#include "check/kernels.h"
#include "os/file.h"
#include "sim/harness.h"

namespace warplens::check {
namespace {

using check_testing::KernelMaker;
using sim::Gpu;

constexpr u64 buffer_bytes = (u64{1} << 32) + (u64{1} << 21);

// How the random kernels are launched.
struct Launch {
  Dim3 block;
  bool block_known = false;
  u32 n = 0, m = 0;
  bool multiples = false; // n and m are such that every printed condition holds
  u64 inside = 0;         // the pointers point so many bytes behind what was allocated
};

struct Bounds {
  std::map<std::pair<u32, access::Space>, Judgement> of; // by site and space

  explicit Bounds(const Checked& checked) {
    for (const Judgement& j : checked.judgements)
      if (!j.other_shape) of[{j.site.id.value, j.space}] = j;
  }
};

// Every warp's access against the bounds.
class Comparison : public access::Sink {
public:
  Comparison(const Bounds& bounds, std::span<const arch::Architecture* const> rows, const Launch& launch)
      : bounds_(bounds), rows_(rows), launch_(launch) {}

  void lanes(const access::LaneBatch& batch) override {
    for (u32 w = 0; w < batch.active.size(); ++w) one(access::warp_of(batch, w));
  }
  void affine(const access::AffineAccess& all) override {
    u32 warps = static_cast<u32>(ceil_div(all.block.count(), warp_size));
    for (u64 k = 0; k < all.count; ++k)
      for (u32 w = 0; w < warps; ++w) one(access::expand(access::cta_of(all, k), w));
  }

  u64 compared = 0, skipped = 0, conditional = 0;
  std::vector<std::string> wrong;

private:
  static bool needs_pointers(const Judgement& j) {
    return std::any_of(j.premises.begin(), j.premises.end(), [](const std::string& premise) {
      return premise.starts_with("pointers are aligned");
    });
  }

  void one(const access::WarpAccess& access) {
    if (access.active == 0) return;
    auto known = bounds_.of.find({access.site.value, access.space});
    if (known == bounds_.of.end()) {
      wrong.push_back(fmt::format("site {} ran in {} and was not judged there", access.site.value,
                                  access::name(access.space)));
      return;
    }
    const Judgement& j = known->second;
    if (j.costs.empty()) {
      wrong.push_back(fmt::format("PTX line {} ran, said {}", j.site.ptx_line, name(j.verdict)));
      return;
    }
    if (!j.proved) { // what was assumed may not hold here
      ++skipped;
      return;
    }
    ++compared;
    conditional += launch_.multiples && !(j.aligned[0] == j.costs[0]);
    const bool by_pointers = launch_.inside != 0 && needs_pointers(j); // said of the first architecture
    for (std::size_t i = 0; i < (by_pointers ? 1 : rows_.size()); ++i)
      hold(access, j, *rows_[i], by_pointers ? j.anywhere : launch_.multiples ? j.aligned[i] : j.costs[i]);
  }

  void hold(const access::WarpAccess& access, const Judgement& j, const arch::Architecture& row,
            const Costs& said) {
    const arch::Counts counts = arch::count(row, access);
    auto one = [&](std::string_view what, u64 n, const Interval& bounds) {
      if (n < bounds.least || n > bounds.most)
        wrong.push_back(
            fmt::format("{}: PTX line {} {}: {} {}, said {} to {} ({}), active {:08x}, address {}",
                        arch::sm(row), j.site.ptx_line, j.site.opcode, n, what, bounds.least, bounds.most,
                        name(j.verdict), access.active, j.address));
    };
    one("sectors", counts.sectors, said.sectors);
    one("tags", counts.tags, said.tags);
    one("tag passes", counts.tag_passes, said.tag_passes);
    one("wavefronts", counts.wavefronts, said.wavefronts);
    one("requests", counts.requests, said.requests);
  }

  const Bounds& bounds_;
  std::span<const arch::Architecture* const> rows_;
  const Launch& launch_;
};

struct Outcome {
  u64 compared = 0, skipped = 0, conditional = 0, exact = 0, judged = 0;
  std::vector<std::string> wrong;
};

// A device whose buffers serve all kernels of a test.
class Bench {
public:
  Bench() {
    auto memory = sim::Memory::create(u64{1} << 35);
    EXPECT_TRUE(memory.has_value());
    gpu_.device.memory = std::move(*memory);
    base_ = *gpu_.device.memory->allocate(buffer_bytes);
    std::vector<u32> index(4096);
    for (u32 i = 0; i < index.size(); ++i) index[i] = (i * 2654435761u) >> 22;
    index_ = gpu_.buffer(index);
  }

  Outcome run(const std::string& ptx, const Launch& how, const Rules& rules, const std::vector<u32>& sm) {
    Outcome out;
    auto parsed = ptx::parse(ptx);
    if (!parsed) {
      ADD_FAILURE() << diag::render(parsed.error(), ptx);
      return out;
    }
    Options options;
    for (u32 one : sm) options.architectures.push_back(arch::find(one));
    options.rules = rules;
    if (how.block_known) options.block = how.block;
    Checked checked = check(parsed->module, options);
    for (const Judgement& j : checked.judgements) out.exact += j.exact;
    out.judged = checked.judgements.size();
    Bounds bounds(checked);
    Comparison comparison(bounds, options.architectures, how);
    if (!gpu_.load(ptx)) return out;
    sim::LaunchOptions launch;
    launch.workers = 1;
    launch.sinks = {&comparison};
    sim::LaunchResult result =
        gpu_.run("k", {3, 1, 1}, how.block, {base_ + how.inside, index_ + how.inside, how.n, how.m}, launch);
    if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic) << ptx;
    out.compared = comparison.compared;
    out.skipped = comparison.skipped;
    out.conditional = comparison.conditional;
    out.wrong = std::move(comparison.wrong);
    return out;
  }

private:
  Gpu gpu_;
  u64 base_ = 0, index_ = 0;
};

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
// docs/CHECK.md has a row for each, and for nothing else.
TEST(Soundness, ThePageNamesEveryRule) {
  const std::string page = os::read_file(WARPLENS_SOURCE_DIR "/docs/CHECK.md").value_or("");
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
