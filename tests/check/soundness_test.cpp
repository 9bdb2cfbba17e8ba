// What is said of an access is held to every warp that the emulator runs: each executed warp's sectors, tags, wavefronts and
// requests lie within the bounds. With one of the analysis's rules taken out, kernels are found where that is not so.
#include "arch/count.h"
#include "check/check.h"
#include "check/kernels.h"
#include "sim/harness.h"

namespace warplens::check {
namespace {

using check_testing::KernelMaker;
using sim::Gpu;

constexpr u64 buffer_bytes = (u64{1} << 32) + (u64{1} << 21);

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
  Comparison(const Bounds& bounds, const arch::Architecture& row) : bounds_(bounds), row_(row) {}

  void lanes(const access::LaneBatch& batch) override {
    for (u32 w = 0; w < batch.active.size(); ++w) one(access::warp_of(batch, w));
  }
  void affine(const access::AffineAccess& all) override {
    u32 warps = static_cast<u32>(ceil_div(all.block.count(), warp_size));
    for (u64 k = 0; k < all.count; ++k)
      for (u32 w = 0; w < warps; ++w) one(access::expand(access::cta_of(all, k), w));
  }

  u64 compared = 0, skipped = 0;
  std::vector<std::string> wrong;

private:
  void one(const access::WarpAccess& access) {
    if (access.active == 0) return;
    auto known = bounds_.of.find({access.site.value, access.space});
    if (known == bounds_.of.end()) {
      wrong.push_back(fmt::format("site {} ran in {} and was not judged there", access.site.value,
                                  access::name(access.space)));
      return;
    }
    const Judgement& j = known->second;
    if (!j.assumed.empty() || !j.conditions.empty()) { // what was assumed may not hold here
      ++skipped;
      return;
    }
    ++compared;
    arch::Counts counts = arch::count(row_, access);
    const Costs& said = j.costs[0];
    auto hold = [&](std::string_view what, u64 n, const Interval& bounds) {
      if (n < bounds.least || n > bounds.most)
        wrong.push_back(fmt::format("PTX line {} {}: {} {}, said {} to {} ({}), active {:08x}, address {}",
                                    j.site.ptx_line, j.site.opcode, n, what, bounds.least, bounds.most,
                                    name(j.verdict), access.active, j.address));
    };
    hold("sectors", counts.sectors, said.sectors);
    hold("tags", counts.tags, said.tags);
    hold("wavefronts", counts.wavefronts, said.wavefronts);
    hold("requests", counts.requests, said.requests);
  }

  const Bounds& bounds_;
  const arch::Architecture& row_;
};

struct Outcome {
  u64 compared = 0, skipped = 0, exact = 0, judged = 0;
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

  Outcome run(const std::string& ptx, Dim3 block, bool block_known, const Rules& rules, u32 n, u32 m) {
    Outcome out;
    auto parsed = ptx::parse(ptx);
    if (!parsed) {
      ADD_FAILURE() << diag::render(parsed.error(), ptx);
      return out;
    }
    Options options;
    options.architectures = {arch::find(90)};
    options.rules = rules;
    if (block_known) options.block = block;
    Checked checked = check(parsed->module, options);
    for (const Judgement& j : checked.judgements) out.exact += j.exact;
    out.judged = checked.judgements.size();
    Bounds bounds(checked);
    Comparison comparison(bounds, *arch::find(90));
    if (!gpu_.load(ptx)) return out;
    sim::LaunchOptions launch;
    launch.workers = 1;
    launch.sinks = {&comparison};
    sim::LaunchResult result = gpu_.run("k", {3, 1, 1}, block, {base_, index_, n, m}, launch);
    if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic) << ptx;
    out.compared = comparison.compared;
    out.skipped = comparison.skipped;
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
const Shape shapes[] = {
    {{64, 1, 1}, false}, {{64, 1, 1}, true}, {{16, 4, 1}, true}, {{24, 3, 1}, true}, {{8, 2, 4}, true}};

Outcome over_kernels(u32 kernels, const Rules& rules, bool stop_at_wrong) {
  Bench bench;
  Outcome sum;
  for (u32 seed = 1; seed <= kernels; ++seed) {
    std::string ptx = KernelMaker(seed).make();
    const Shape& shape = shapes[seed % std::size(shapes)];
    Outcome one = bench.run(ptx, shape.block, shape.known, rules, seed % 7 * 5, seed % 5);
    sum.compared += one.compared;
    sum.skipped += one.skipped;
    sum.exact += one.exact;
    sum.judged += one.judged;
    for (std::string& wrong : one.wrong) sum.wrong.push_back(fmt::format("seed {}: {}", seed, wrong));
    if (stop_at_wrong && !sum.wrong.empty()) return sum;
    if (sum.wrong.size() > 20) return sum;
  }
  return sum;
}

TEST(Soundness, EveryWarpIsWithinTheBounds) {
  Outcome all = over_kernels(3000, {}, false);
  for (const std::string& wrong : all.wrong) ADD_FAILURE() << wrong;
  EXPECT_GT(all.compared, 10000u);
  EXPECT_GT(all.exact, all.judged / 4) << all.judged;
  RecordProperty("compared", static_cast<int>(all.compared));
  RecordProperty("skipped", static_cast<int>(all.skipped));
}

// Each rule, taken out, is missed.
TEST(Soundness, WithoutDivergentJoinsSomethingIsWrong) {
  EXPECT_FALSE(over_kernels(600, {.joins = false}, true).wrong.empty());
}
TEST(Soundness, WithoutDivergentLoopsSomethingIsWrong) {
  EXPECT_FALSE(over_kernels(600, {.loops = false}, true).wrong.empty());
}
TEST(Soundness, WithoutControlDependenceSomethingIsWrong) {
  EXPECT_FALSE(over_kernels(600, {.control = false}, true).wrong.empty());
}
TEST(Soundness, WithoutWrapAroundSomethingIsWrong) {
  EXPECT_FALSE(over_kernels(600, {.wraps = false}, true).wrong.empty());
}

} // namespace
} // namespace warplens::check
