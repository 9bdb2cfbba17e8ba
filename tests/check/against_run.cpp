// Holds what `check` says of a program's accesses to what a run of it counted, warp by warp.
//
//   against_run RUN.json PROGRAM     RUN.json as `warplens run --json` writes it; PROGRAM what ran, or its .cu or .ptx
//
// Each launch's block shape is given to the analysis, as --block would; where blockDim.x is a multiple of 32, what is said of
// all such blocks is held to the same counts. A run's report has every warp of an access in a class of equal lanes and equal
// cost, with an example: sectors, wavefronts in shared memory and requests of constant memory are compared for every warp,
// the other counts for the examples and in sum. Rows of tables by sizes of the launch are held to the classes of whole warps,
// and the verdict to its bounds. (Of an access with more than 16 classes the rest is compared in sum.)
//
// Standard output: a line per contradiction, "wrong" ("premise" where something printed was assumed), and one per access and block shape, "site", with tabs between
//   kernel  block  place  instruction  space  how it is decided  warps  what is said  reasons
// scripts/soundness.py adds them up. The exit code is 1 where something is wrong.
#include "arch/table.h"
#include "check/check.h"
#include "check/told.h"
#include "driver/findings/check_inputs.h"
#include "os/file.h"
#include "ptx/parse.h"
#include "report/read.h"
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace warplens {
namespace {

using check::Dependence;
using check::Judgement;
using measure::SiteRecord;

// One warp's, so many times.
bool within(u64 sum, u64 times, const check::Interval& one) {
  return sum >= times * one.least && sum <= times * one.most;
}

class Comparison {
public:
  explicit Comparison(std::vector<ptx::Parsed> modules)
      : modules_(std::move(modules)), places_(modules_.size()) {}

  // False where the program has no such kernel.
  bool launch(const measure::LaunchRecord& record) {
    if (record.sites.empty()) return true;
    const Judged* known = judged(record, record.block);
    if (known == nullptr) return false;
    for (const SiteRecord& site : record.sites) one(record, site, *known, true);
    if (record.block.x % warp_size == 0)
      for (const SiteRecord& site : record.sites) one(record, site, *judged(record, {}), false);
    return true;
  }

  u64 wrong = 0;

  // Each access once in blocks of one shape, however often it was launched.
  void tell_sites() const {
    for (const auto& [site, warps] : executed_) row(*site.second, site.first, warps);
  }

private:
  using Place = std::tuple<std::string, u32, std::string>; // of a site: function, PTX line, instruction
  struct Judged {
    std::vector<Judgement> all;
    // By function and PTX line; whether it is of where an asynchronous copy writes.
    std::map<std::tuple<std::string, u32, bool>, const Judgement*> at;
  };

  // The kernel's judgements from the module whose instructions the record has.
  const Judged* judged(const measure::LaunchRecord& record, std::optional<Dim3> block) {
    for (std::size_t m = 0; m < modules_.size(); ++m) {
      const ir::Module& module = modules_[m].module;
      if (places_[m].empty())
        for (const access::Site& site : module.sites)
          places_[m].insert({site.function, site.ptx_line, site.opcode});
      bool here = std::all_of(record.sites.begin(), record.sites.end(), [&](const SiteRecord& one) {
        return places_[m].contains({one.site.function, one.site.ptx_line, one.site.opcode});
      });
      if (!here || record.sites.empty()) continue;
      auto [known, fresh] = judged_.try_emplace({m, record.sm[0], block ? text(*block) : "any"});
      Judged& out = known->second;
      if (!fresh) return &out;
      check::Options options;
      options.architectures = {arch::find(record.sm[0])};
      options.block = block;
      out.all = check::check(module, options).judgements;
      for (const Judgement& j : out.all)
        if (!j.other_shape) out.at[{j.site.function, j.site.ptx_line, check::is_written(j.site)}] = &j;
      return &out;
    }
    return nullptr;
  }

  void one(const measure::LaunchRecord& record, const SiteRecord& site, const Judged& all, bool block_known) {
    u64 warps = site.distribution.warps();
    if (warps == 0) return;
    const bool written = site.space == access::Space::shared && site.site.kind == access::Kind::async_copy;
    auto found = all.at.find({site.site.function, site.site.ptx_line, written});
    // Copies past the L1 are judged by what they read; the wavefronts are the same.
    if (found == all.at.end() && written && site.site.cache == access::Cache::cg) return;
    if (found == all.at.end()) return tell(record, site, nullptr, block_known, "it was not judged");
    const Judgement& j = *found->second;
    if (block_known) executed_[{text(record.block), found->second}] += warps;
    if (j.verdict == check::Verdict::not_judged) return;
    if (j.verdict == check::Verdict::never_executed)
      return tell(record, site, &j, block_known, "it was said to be never executed");
    if (j.space != site.space)
      return tell(record, site, &j, block_known, fmt::format("it was judged in {}", access::name(j.space)),
                  j.premises.empty());
    for (const measure::WarpClass& some : site.distribution.classes) {
      hold(record, site, j, block_known, some.warps, some.counts, "a warp");
      if (some.counts.threads == some.warps * warp_size) hold_table(record, site, j, block_known, some);
    }
    if (told_apart_.insert(&j).second)
      for (const std::string& what : check_testing::contradictions(j))
        tell(record, site, &j, block_known, what);
    hold(record, site, j, block_known, warps, site.counters[0], "all warps");
  }

  void hold(const measure::LaunchRecord& record, const SiteRecord& site, const Judgement& j, bool block_known,
            u64 warps, const arch::Counts& counts, std::string_view of) {
    auto compare = [&](std::string_view what, u64 n, check::Interval check::Costs::*which) {
      const check::Interval& said = j.costs[0].*which;
      if (within(n, warps, said)) return;
      bool pointer = within(n, warps, j.anywhere.*which); // one into an array: what is printed does not hold
      tell(record, site, &j, block_known,
           fmt::format("{}: {} {}, said {} to {}", of, static_cast<double>(n) / static_cast<double>(warps),
                       what, said.least, said.most),
           j.proved && !pointer);
    };
    compare("sectors", counts.sectors, &check::Costs::sectors);
    compare("tags", counts.tags, &check::Costs::tags);
    compare("tag passes", counts.tag_passes, &check::Costs::tag_passes);
    compare("wavefronts", counts.wavefronts, &check::Costs::wavefronts);
    if (j.space != access::Space::shared) compare("requests", counts.requests, &check::Costs::requests);
  }

  // Tables are of warps all of whose lanes take part. Of a launch's numbers its sizes are known here.
  void hold_table(const measure::LaunchRecord& record, const SiteRecord& site, const Judgement& j,
                  bool block_known, const measure::WarpClass& some) {
    const check_testing::Numbers numbers{
        {"gridDim.x", record.grid.x},   {"gridDim.y", record.grid.y},
        {"gridDim.z", record.grid.z},   {"blockDim.x/32", record.block.x / warp_size},
        {"blockDim.y", record.block.y}, {"blockDim.z", record.block.z}};
    const u64 paid = j.space == access::Space::shared     ? some.counts.wavefronts
                     : j.space == access::Space::constant ? some.counts.requests
                                                          : some.counts.sectors;
    for (const std::string& table : check_testing::tables_of(j))
      if (const std::optional<check::Interval> said = check_testing::row_of(table, numbers);
          said && !within(paid, some.warps, *said))
        tell(record, site, &j, block_known,
             fmt::format("a warp: {}, but the table says: {}", paid / some.warps, table), j.proved);
  }

  void tell(const measure::LaunchRecord& record, const SiteRecord& site, const Judgement* j, bool block_known,
            const std::string& what, bool proved = true) {
    wrong += proved;
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}; {}; {}\n", proved ? "wrong" : "premise", record.name,
               block_known ? text(record.block) : "any", site.site.ptx_line, site.site.opcode,
               access::name(site.space), what, j == nullptr ? "" : j->address,
               j == nullptr ? "" : fmt::format("{}", fmt::join(check::texts(j->premises), ", ")));
  }

  static std::string text(const Dim3& block) { return fmt::format("{}x{}x{}", block.x, block.y, block.z); }

  static bool on_loaded_data(const Judgement& j) {
    return std::ranges::any_of(j.reasons, [](const check::Cause& reason) {
      return reason.kind == check::Cause::Kind::loaded || reason.kind == check::Cause::Kind::atomic;
    });
  }

  static std::string_view decided(const Judgement& j) {
    if (j.verdict == check::Verdict::not_judged) return "not judged";
    if (j.decided) return j.conditions.empty() || !j.assumed.empty() ? "exact" : "condition";
    switch (j.dependence) {
    case Dependence::data: return "data";
    case Dependence::undecided: return on_loaded_data(j) ? "data" : "undecided";
    case Dependence::choice: return "choice";
    default: break;
    }
    if (j.decided_if && j.conditions.size() == 1) return "condition";
    if (j.decided_if && !j.conditions.empty()) return "conditions";
    return j.dependence == Dependence::stride ? "stride" : "bounds";
  }

  static void row(const Judgement& j, const std::string& block, u64 warps) {
    std::string place = fmt::format("PTX {}", j.site.ptx_line);
    if (!j.site.frames.empty()) {
      const access::SourceFrame& frame = j.site.frames.front();
      place = fmt::format("{}:{}", frame.file.substr(frame.file.rfind('/') + 1), frame.line);
    }
    const std::vector<std::string> why =
        j.reasons.empty() ? check::texts(j.conditions) : check::texts(j.reasons);
    fmt::print("site\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{} {}\t{}\n", j.kernel, block, place, j.site.opcode,
               access::name(j.costs.empty() ? j.site.space : j.space), decided(j), warps,
               check::name(j.verdict), check::cost_text(j), fmt::join(why, "; "));
  }

  std::vector<ptx::Parsed> modules_;
  std::map<std::tuple<std::size_t, u32, std::string>, Judged> judged_;
  std::set<const Judgement*> told_apart_;                            // whose words were held to their bounds
  std::map<std::pair<std::string, const Judgement*>, u64> executed_; // warps, by the block's shape
  std::vector<std::set<Place>> places_;                              // [modules]
};

int run(const std::string& report, const std::string& program) {
  auto refuse = [](const diag::Diagnostic& bad) {
    fmt::print(stderr, "{}", diag::render(bad, {}));
    return 2;
  };
  Result<report::Saved> saved = report::read_json(os::read_file(report).value_or(""), report);
  if (!saved) return refuse(saved.error());
  if (saved->input.launches.empty()) return 0;
  driver::CompileFor how{toolchain::Compiler::clang, saved->input.sm[0], cache::settings_from_environment()};
  auto texts =
      driver::read_ptx({program, {}, {}}, how, [](std::string_view said) { fmt::print(stderr, "{}", said); });
  if (!texts) return refuse(texts.error());
  std::vector<ptx::Parsed> modules;
  for (const driver::PtxText& text : *texts) {
    Result<ptx::Parsed> parsed = ptx::parse(text.text, {text.name, true});
    if (!parsed) return refuse(parsed.error());
    modules.push_back(std::move(*parsed));
  }
  Comparison comparison(std::move(modules));
  std::set<std::string> missing;
  for (const summary::Launch& launch : saved->input.launches)
    if (measure::is_counted(launch.record.status) && !comparison.launch(launch.record))
      missing.insert(launch.record.name);
  comparison.tell_sites();
  for (const std::string& name : missing) fmt::print("missing\t{}\n", name);
  return comparison.wrong == 0 ? 0 : 1;
}

} // namespace
} // namespace warplens

int main(int count, char** words) {
  if (count == 3) return warplens::run(words[1], words[2]);
  fmt::print(stderr, "usage: against_run RUN.json PROGRAM\n");
  return 2;
}
