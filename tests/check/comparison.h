// A kernel run by the emulator, and every warp's access held against what is said of it: the bounds, under the printed
// conditions where these hold; the rows of tables, by the number that they are by; strides, by the addresses.
#pragma once
#include "arch/count.h"
#include "check/check.h"
#include "check/told.h"
#include "sim/harness.h"

namespace warplens::check_testing {

using namespace check;
using sim::Gpu;

inline constexpr u64 buffer_bytes = (u64{1} << 32) + (u64{1} << 21);

// How the random kernels are launched.
struct Launch {
  Dim3 block;
  bool block_known = false;
  u32 n = 0, m = 0;
  bool multiples = false; // n and m are such that every printed condition holds
  u64 inside = 0;         // the pointers point so many bytes behind what was allocated
  Dim3 grid{3, 1, 1};

  // What the words of a verdict call numbers, and what they are here.
  Numbers numbers() const {
    return {{"parameter 3", n},      {"parameter 4", m},     {"gridDim.x", grid.x},
            {"gridDim.y", grid.y},   {"gridDim.z", grid.z},  {"blockDim.x/32", block.x / warp_size},
            {"blockDim.y", block.y}, {"blockDim.z", block.z}};
  }
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

  u64 compared = 0, skipped = 0, conditional = 0, rows = 0, strides = 0;
  std::vector<std::string> wrong;

private:
  static bool needs_pointers(const Judgement& j) {
    return std::ranges::find(j.premises, Premise::aligned_pointers) != j.premises.end();
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
    if (access.active == full_mask && launch_.inside == 0) hold_words(access, j);
  }

  // Tables are of the first architecture, and of warps all of whose lanes take part.
  void hold_words(const access::WarpAccess& access, const Judgement& j) {
    const Numbers numbers = launch_.numbers();
    const u64 pays = paid(one_of(arch::count(*rows_[0], access)), access.space).most;
    for (const std::string& table : tables_of(j))
      if (const std::optional<Interval> said = row_of(table, numbers)) {
        ++rows;
        if (pays < said->least || pays > said->most)
          wrong.push_back(fmt::format("PTX line {} {}: {}, but the table says: {} (n {}, m {})",
                                      j.site.ptx_line, j.site.opcode, pays, table, launch_.n, launch_.m));
      }
    if (j.dependence != Dependence::stride) return;
    const std::optional<Told> told = stride_of(pattern_text(j), numbers);
    if (!told) return;
    ++strides;
    for (u32 lane = told->lanes; lane < warp_size; ++lane)
      if (const i64 apart = static_cast<i64>(access.address[lane] - access.address[lane - told->lanes]);
          (access.space == access::Space::shared ? symbolic::reduced(apart - told->bytes, 32)
                                                 : apart - told->bytes) != 0) {
        wrong.push_back(fmt::format("PTX line {}: lanes {} and {} are not {} apart, as said: {}",
                                    j.site.ptx_line, lane - told->lanes, lane, told->bytes, pattern_text(j)));
        return;
      }
  }
  static Costs one_of(const arch::Counts& counts) {
    Costs out;
    out.sectors = {counts.sectors, counts.sectors};
    out.wavefronts = {counts.wavefronts, counts.wavefronts};
    out.requests = {counts.requests, counts.requests};
    return out;
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
  u64 compared = 0, skipped = 0, conditional = 0, rows = 0, strides = 0, exact = 0, judged = 0;
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
    Checked checked = warplens::check::check(parsed->module, options);
    for (const Judgement& j : checked.judgements) {
      out.exact += j.exact;
      for (std::string& wrong : contradictions(j)) out.wrong.push_back(std::move(wrong));
    }
    out.judged = checked.judgements.size();
    Bounds bounds(checked);
    Comparison comparison(bounds, options.architectures, how);
    if (!gpu_.load(ptx)) return out;
    sim::LaunchOptions launch;
    launch.workers = 1;
    launch.sinks = {&comparison};
    sim::LaunchResult result =
        gpu_.run("k", how.grid, how.block, {base_ + how.inside, index_ + how.inside, how.n, how.m}, launch);
    if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic) << ptx;
    out.compared = comparison.compared;
    out.skipped = comparison.skipped;
    out.conditional = comparison.conditional;
    out.rows = comparison.rows;
    out.strides = comparison.strides;
    out.wrong.insert(out.wrong.end(), comparison.wrong.begin(), comparison.wrong.end());
    return out;
  }

private:
  Gpu gpu_;
  u64 base_ = 0, index_ = 0;
};

} // namespace warplens::check_testing
