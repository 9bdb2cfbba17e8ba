// Launches counted twice, folded and in full, and compared: counters of several architectures, instructions
// and the words for what each site looked like.
#pragma once
#include "fold/fold.h"
#include "measure/collect.h"
#include "measure/totals.h"
#include "sim/harness.h"
#include <algorithm>

namespace warplens::fold_testing {

using sim::Gpu;

inline const std::vector<const arch::Architecture*>& architectures() {
  static const std::vector<const arch::Architecture*> rows{arch::find(90), arch::find(10), arch::find(13),
                                                           arch::find(20), arch::find(35), arch::find(60)};
  return rows;
}

struct Counted {
  std::string rejected; // folding
  u64 classes = 0;
  u64 warp_instructions = 0, thread_instructions = 0;
  std::vector<measure::SiteRecord> sites;
  std::vector<fold::TouchedMemory> memory;
};

struct Size : Dim3 { // one number is a size along x
  Size(u32 x_, u32 y_ = 1, u32 z_ = 1) : Dim3{x_, y_, z_} {}
};
struct Launch {
  std::string kernel = "k";
  Size grid, block;
  std::vector<u64> arguments;
  u32 dynamic_shared = 0;
};

inline std::vector<std::byte> pack(const sim::KernelInfo& info, const std::vector<u64>& arguments) {
  std::vector<std::byte> out(info.parameter_bytes);
  for (std::size_t i = 0; i < info.parameters.size() && i < arguments.size(); ++i)
    std::memcpy(out.data() + info.parameters[i].first, &arguments[i],
                std::min<u64>(info.parameters[i].second, 8));
  return out;
}

inline Dim3 index_of(u64 cta, Dim3 grid) {
  return {static_cast<u32>(cta % grid.x), static_cast<u32>(cta / grid.x % grid.y),
          static_cast<u32>(cta / grid.x / grid.y)};
}

// What the arguments point to.
inline std::vector<std::byte> memory_of(const Gpu& gpu, const Launch& launch) {
  std::vector<std::byte> out;
  for (u64 argument : launch.arguments) {
    sim::Memory::Range range = gpu.device.memory->range(argument);
    if (!range.covers(argument, 1)) continue;
    const std::byte* begin = reinterpret_cast<const std::byte*>(range.begin);
    out.insert(out.end(), begin, begin + (range.end - range.begin));
  }
  return out;
}

// Folding leaves memory as it was, whether it succeeds or not.
inline Counted count_folded(Gpu& gpu, const Launch& launch, u32 most_classes = 100000) {
  Counted out;
  std::vector<std::byte> before = memory_of(gpu, launch);
  ir::FunctionId id = *gpu.program->kernel(launch.kernel);
  std::vector<std::byte> parameters = pack(gpu.program->info(id), launch.arguments);
  measure::Collector collector(architectures(), gpu.program->module().sites, 0);
  fold::FoldOptions options;
  options.most_classes = most_classes;
  options.begin = [&] { return collector.begin_class(); };
  options.end = [&](const fold::CtaSet& members) {
    collector.end_class(members.count(), members.first_index(launch.grid));
  };
  auto folded =
      fold::fold_launch(gpu.device, *gpu.program,
                        {id, launch.grid, launch.block, {}, launch.dynamic_shared, parameters}, {}, options);
  EXPECT_TRUE(memory_of(gpu, launch) == before);
  if (!folded) {
    out.rejected = folded.error();
    return out;
  }
  out.classes = folded->classes;
  out.warp_instructions = folded->warp_instructions;
  out.thread_instructions = folded->thread_instructions;
  out.memory = folded->memory;
  out.sites = collector.finish();
  return out;
}

inline Counted emulate(Gpu& gpu, const Launch& launch) {
  Counted out;
  measure::Collector collector(architectures(), gpu.program->module().sites, 1);
  sim::LaunchOptions options;
  options.workers = 1;
  options.sinks = collector.sinks();
  sim::LaunchResult result =
      gpu.run(launch.kernel, launch.grid, launch.block, launch.arguments, options, launch.dynamic_shared);
  if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic);
  out.warp_instructions = result.warp_instructions;
  out.thread_instructions = result.thread_instructions;
  out.sites = collector.finish();
  return out;
}

// Passes of the L1's stages depend on whole addresses where a warp's lines are more than one: there a representative's
// are an estimate of the others' (src/hardware/arch/MODEL.md).
inline arch::Counts proved_counts(arch::Counts counts, access::Space space) {
  if (space == access::Space::global && counts.tags > counts.requests)
    counts.tag_passes = counts.data_wavefronts = 0;
  return counts;
}

inline void expect_equal(const Counted& folded, const Counted& full) {
  EXPECT_EQ(folded.rejected, "");
  EXPECT_EQ(folded.warp_instructions, full.warp_instructions);
  EXPECT_EQ(folded.thread_instructions, full.thread_instructions);
  ASSERT_EQ(folded.sites.size(), full.sites.size());
  for (std::size_t i = 0; i < full.sites.size(); ++i) {
    const measure::SiteRecord &a = folded.sites[i], &b = full.sites[i];
    SCOPED_TRACE(b.site.opcode + " at PTX line " + std::to_string(b.site.ptx_line));
    EXPECT_EQ(a.space, b.space);
    ASSERT_EQ(a.counters.size(), b.counters.size());
    for (std::size_t n = 0; n < b.counters.size(); ++n)
      EXPECT_TRUE(proved_counts(a.counters[n], a.space) == proved_counts(b.counters[n], b.space))
          << "sm " << arch::sm(*architectures()[n]) << ": sectors " << a.counters[n].sectors << " against "
          << b.counters[n].sectors << ", instructions " << a.counters[n].instructions << " against "
          << b.counters[n].instructions;
    EXPECT_EQ(a.pattern, b.pattern);
    // Blocks that stand for others are taken to update the words that these do.
    measure::Distribution distribution = a.distribution;
    EXPECT_GE(distribution.busiest_word, b.distribution.busiest_word);
    EXPECT_TRUE(distribution.busiest_is_bound || distribution.busiest_word == b.distribution.busiest_word);
    distribution.busiest_word = b.distribution.busiest_word;
    distribution.busiest_is_bound = b.distribution.busiest_is_bound;
    EXPECT_TRUE(distribution == b.distribution);
  }
}

inline Counted expect_folds(Gpu& gpu, const Launch& launch, u32 most_classes = 100000) {
  Counted folded = count_folded(gpu, launch, most_classes);
  expect_equal(folded, emulate(gpu, launch));
  return folded;
}

} // namespace warplens::fold_testing
