// A few blocks are executed, and what they count holds for the others (fold/); the launch itself waits until somebody reads its results
// (deferred.h). What repeats is not even that (repeats.h).
#include "runtime/proof.h"
#include "measure/collect.h"
#include "runtime/allocation_place.h"
#include "runtime/memory.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

// Running a representative takes several times as long as running a CTA among others, so folding has to spare
// many; and a kernel whose CTAs do that many different things is not worth more tries.
// A small grid is only tried as long as that takes no time: its launch may be put off, that is all.
constexpr u64 ctas_per_class = 8, most_classes = 256, steps_of_small_grid = 1 << 19;

// A kernel whose proof failed for a grid that large, or so often for smaller ones, which may have been too small, is not tried again.
constexpr u64 telling = 64;
constexpr u32 most_failures = 16;

// --proofs auto: a kernel is worth a proof once its launches have taken, or this one would take, so many warp instructions: about half
// a second. No clock is asked, so that every run of a program has the same labels.
constexpr u64 work_worth_a_proof = u64{1} << 25, least_ctas = 1 << 12;

// Leaves a launch that was counted by proof to whoever reads its results.
void put_off(Runtime& runtime, const Kernel& kernel, const sim::LaunchSpec& spec,
             const std::vector<fold::TouchedMemory>& touched, u64 index, u64 writes) {
  DeferredLaunch rest{kernel.code().program(runtime),
                      spec.kernel,
                      spec.grid,
                      spec.block,
                      spec.cluster,
                      spec.dynamic_shared,
                      {spec.parameters.begin(), spec.parameters.end()},
                      {},
                      index,
                      writes,
                      kernel.name,
                      runtime.memory().in_use()};
  for (const fold::TouchedMemory& memory : touched) rest.touches.push_back({memory, false});
  runtime.deferrals.add(runtime, std::move(rest));
}

// `met_pending`: a constant has still to be written, so that the next time may be another matter.
std::string try_folding(Runtime& runtime, const Kernel& kernel, const sim::LaunchSpec& spec,
                        const sim::LaunchOptions& options, measure::LaunchRecord& record, bool& met_pending) {
  u64 ctas = spec.grid.count();
  measure::Collector collector(runtime.architectures, kernel.sites, 0);
  fold::FoldOptions folding;
  folding.most_classes = static_cast<u32>(std::clamp<u64>(ctas / ctas_per_class, 1, most_classes));
  if (ctas < ctas_per_class) folding.most_steps = steps_of_small_grid;
  if (!runtime.options.proves_all() && kernel.work < work_worth_a_proof)
    folding.least_work = work_worth_a_proof;
  folding.begin = [&] { return collector.begin_class(); };
  folding.end = [&](const fold::CtaSet& members) {
    collector.end_class(members.count(), members.first_index(spec.grid));
  };
  folding.pending = [&](sim::Memory::Range range) { return met_pending |= runtime.deferrals.writes(range); };
  auto folded = fold::fold_launch(*runtime.device, *kernel.code().program(runtime), spec, options, folding);
  if (!folded) return folded.error();
  for (const fold::TouchedMemory& memory : folded->memory)
    if (!is_hidden(runtime, memory.range.begin))
      return "it uses memory that the host or another process sees too, or that was freed";
  record.status = measure::Status::proved;
  record.reason =
      fmt::format("{} {} of blocks {} for {}", folded->classes, folded->classes == 1 ? "class" : "classes",
                  folded->classes == 1 ? "stands" : "stand", ctas);
  record.warp_instructions = folded->warp_instructions;
  record.sites = collector.finish();
  settle_sites(record.sites, kernel);
  put_off(runtime, kernel, spec, folded->memory, record.index,
          runtime.repeats.add(runtime, kernel, spec, record, *folded));
  return {};
}

} // namespace

void settle_sites(std::vector<measure::SiteRecord>& sites, const Kernel& kernel) {
  for (measure::SiteRecord& record : sites) {
    record.result_unused = kernel.unused.contains(record.site.id);
    record.adds_one = kernel.adding_one.contains(record.site.id);
    record.loads_index = kernel.loading_index.all.contains(record.site.id);
    record.follows_links = kernel.loading_index.links.contains(record.site.id);
  }
  std::erase_if(sites, [&](const measure::SiteRecord& record) {
    for (const arch::Counts& counters : record.counters)
      if (counters.instructions != 0) return false;
    return !kernel.reachable.contains(record.site.function);
  });
}

bool is_worth_a_proof(const Options& options, const Kernel& kernel, const sim::LaunchSpec& spec) {
  if (options.launch_checks().any()) return false; // every block has to be looked at
  if (options.proves_all()) return !(options.has_budget() && kernel.is_unprovable);
  return options.proves() && !kernel.is_unprovable &&
         (kernel.work >= work_worth_a_proof || spec.grid.count() >= least_ctas);
}

bool count_by_repeating(Runtime& runtime, const Kernel& kernel, const sim::LaunchSpec& spec,
                        measure::LaunchRecord& record) {
  if (runtime.incomplete) return false;
  const Repeats::Known* known = runtime.repeats.find(runtime, kernel, spec);
  if (known == nullptr) return false;
  static_cast<measure::LaunchContent&>(record) = known->counts;
  put_off(runtime, kernel, spec, known->memory, record.index, known->writes);
  return true;
}

std::string count_by_folding(Runtime& runtime, Kernel& kernel, const sim::LaunchSpec& spec,
                             const sim::LaunchOptions& options, measure::LaunchRecord& record) {
  if (runtime.incomplete) return "a launch before it did not finish";
  if (std::string known = runtime.repeats.obstacle(runtime, kernel, spec); !known.empty()) return known;
  bool met_pending = false;
  std::string obstacle = try_folding(runtime, kernel, spec, options, record, met_pending);
  if (obstacle.empty() || obstacle == fold::too_small) return obstacle;
  ++kernel.failed_proofs;
  kernel.is_unprovable |= spec.grid.count() >= telling || kernel.failed_proofs >= most_failures;
  if (!met_pending) runtime.repeats.add_obstacle(runtime, kernel, spec, obstacle);
  return obstacle;
}

} // namespace warplens::runtime
