// The steps of `run`: the program is prepared, run and seen (run/observe.h), alone or as one of several ranks (run/run_rank.h),
// and its reports are written (run/conclude.h).
#include "driver/run.h"
#include "driver/program/last_run.h"
#include "driver/program/saved.h"
#include "driver/run/conclude.h"
#include "driver/run/run_rank.h"
#include "os/interrupt.h"
#include "report/read.h"
#include "source/places.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// Of "a.cu b.cu word" the first two are the program, as nvcc would take them, and the word its argument.
RunOptions with_sources(RunOptions options) {
  std::vector<std::string>& words = options.command;
  std::error_code error;
  while (words.size() > 1 && is_source_file(words[0]) && is_source_file(words[1]) &&
         fs::exists(words[1], error)) {
    options.more_sources.push_back(words[1]);
    words.erase(words.begin() + 1);
  }
  return options;
}

// What stands behind the program is its own. A word that is the name of an option of ours may have been meant for us.
std::optional<diag::Diagnostic> misplaced_option(const RunOptions& options) {
#define FLAGS(type, member, initial, flags, ...) flags,
#define OPTION_program FLAGS
#define OPTION_compiler FLAGS
#define OPTION_filter FLAGS
#define OPTION_report FLAGS
#define OPTION_pager FLAGS
#define OPTION_gates FLAGS
#define OPTION_only_run FLAGS
  constexpr std::string_view ours[] = {
#include "base/run_options.def"
  };
#undef FLAGS
  if (source::is_kernel_file(options.command[0])) return {};
  for (std::size_t i = 1; i < options.command.size(); ++i) {
    const std::string word = options.command[i].substr(0, options.command[i].find('='));
    if (!word.starts_with("--") || std::ranges::none_of(ours, [&](std::string_view flags) {
          return flags == word || flags.ends_with("," + word);
        }))
      continue;
    return diag::note(
        "option-of-program", fmt::format("'{}' stands behind the program, which gets it", word), {},
        fmt::format("an option of WarpLens stands in front: warplens run {} … {}", word, options.command[0]));
  }
  return {};
}

} // namespace

int run(const RunOptions& asked, const RunOutput& output) {
  RunOptions options = with_sources(asked);
  os::DelayedSignals signals; // outlives all files that are to be removed
  const Job job = job_of_launcher();
  Result<RankOutputs> named = name_outputs(options, job);
  if (!named) return refuse(options, output, named.error());
  if (const std::optional<diag::Diagnostic> note = misplaced_option(options); note && job.rank == 0)
    output.err("warplens: " + diag::render(*note, "", options.colour));
  if (job.has_several()) return run_rank(std::move(*named), job, output);
  options = std::move(named->own);
  Result<Observed> seen = observe(options, job, nullptr, output);
  if (!seen) return refuse(options, output, seen.error());
  return conclude(options, *seen, job, output);
}

Result<report::Saved> run_saved(RunOptions asked, const RunOutput& output) {
  RunOptions options = with_sources(std::move(asked));
  options.json = "-"; // standard output is taken: what the program prints goes to standard error
  options.html.clear(), options.report.clear();
  options.strict = false;
  options.gates = {};
  os::DelayedSignals signals;
  Result<Observed> seen = observe(options, Job(), nullptr, output);
  if (!seen) return failure(seen.error());
  save_last_run(seen->model, options, output);
  return report::saved_of(std::move(seen->model));
}

bool is_launch_option(std::string_view word) { return launcher::is_launch_option(word); }

} // namespace warplens::driver
