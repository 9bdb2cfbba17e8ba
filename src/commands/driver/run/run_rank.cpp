// Each rank runs its program and leaves its report where rank 0 finds it. Rank 0 waits for them, adds them up and writes one report,
// which says of ranks that are missing why.
#include "driver/run/run_rank.h"
#include "driver/program/saved.h"
#include "driver/run/conclude.h"
#include "os/file.h"
#include "report/json.h"
#include "report/read.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

namespace warplens::driver {
namespace {

diag::Diagnostic without_first(u32 rank) {
  return diag::warning(
      "rank-missing",
      fmt::format(
          "rank 0 reports nothing: this is rank {} alone, and its number is in the names of its files", rank),
      {}, "rank 0 was killed, or runs without WarpLens");
}

// What is to be written on all ranks: "--html all.html", a line each.
std::string files_of(const RunOptions& all) {
  std::string out;
  for (const auto& [option, path] : Outputs::named(all)) out += option + ' ' + path + '\n';
  return out;
}

// Lines of other ranks that are not rank 0's, and the first rank that has them: programs of one job may have options of their own.
std::map<std::string, u32> files_of_others_alone(const RankReports& ranks, const Job& job,
                                                 const std::string& own) {
  std::map<std::string, u32> out;
  for (u32 rank = 1; rank < job.ranks; ++rank) {
    std::istringstream lines(ranks.files_of(rank));
    for (std::string line; std::getline(lines, line);)
      if (('\n' + own).find('\n' + line + '\n') == own.npos) out.emplace(line, rank);
  }
  return out;
}

} // namespace

int run_rank(RankOutputs outputs, const Job& job, const RunOutput& output) {
  const RunOutput mine = outputs.own.every_rank ? prefixed(output, job.rank) : output;
  constexpr std::chrono::seconds longest_wait(60), after_signal(10);
  RunOptions &own = outputs.own, &all = outputs.all, &alone = outputs.alone;
  if (own.workers == 0)
    own.workers = all.workers = alone.workers =
        std::max(1u, std::thread::hardware_concurrency() / job.ranks_here);
  Result<RankReports> ranks = RankReports::join(job);
  if (!ranks) return refuse(own, mine, ranks.error());
  Result<Observed> seen = observe(job.rank == 0 ? all : own, job, &*ranks, mine);
  if (!seen) {
    ranks->leave_refusal(seen.error().message);
    return refuse(own, mine, seen.error());
  }
  const bool first_is_there = job.rank == 0 || ranks->first_is_there(); // it may end once it has this report
  const std::string json = report::json(seen->model, own.version);
  Result<void> left = ranks->leave(json, files_of(all));
  if (left && !outputs.json_of_rank.empty()) {
    Result<os::OutputFile> file = os::OutputFile::prepare(outputs.json_of_rank);
    left = file ? file->write(json) : failure(file.error());
  }
  if (!left) {
    ranks->leave_refusal(left.error().message);
    return refuse(own, mine, left.error());
  }
  Outputs prepared = std::move(seen->prepared.outputs);
  auto conclude_with = [&](RunOptions& options) {
    Result<Outputs> others = Outputs::prepare(options, {}, "run", "the program");
    if (!others) return refuse(options, mine, others.error());
    seen->prepared.outputs = std::move(*others);
    return conclude(options, *seen, job, mine);
  };
  if (!first_is_there) {
    seen->model.warnings.push_back({without_first(job.rank), {}, 1});
    return conclude_with(alone);
  }
  if (job.rank != 0) {
    seen->prepared.outputs = std::move(prepared);
    const int code = conclude(own, *seen, job, mine);
    const std::optional<int> failed = ranks->failed_with();
    if (ranks->is_budget_spent() || failed)
      ranks->wait_for_first(std::chrono::hours(24)); // it may go on
    else if (seen->end.signalled)
      ranks->wait_for_first(after_signal);
    return code != 0 ? failed.value_or(code) : code;
  }
  if (outputs.writes_own && conclude_with(own) == cannot && seen->end.exit_code != cannot) return cannot;
  RankReports::Others others = ranks->wait(longest_wait);
  others.files.insert(others.files.begin(), ranks->report_of(0));
  Result<report::Saved> saved = read_saved(others.files);
  if (!saved) return refuse(all, output, saved.error());
  if (!others.missing.empty()) saved->complete = false;
  for (const auto& [rank, why] : others.missing)
    saved->input.messages.push_back(
        diag::warning("rank-missing", fmt::format("rank {} is not in this report: {}", rank, why)));
  for (const auto& [line, rank] : files_of_others_alone(*ranks, job, files_of(all)))
    saved->input.messages.push_back(diag::warning(
        "rank-files",
        fmt::format("'{}' of rank {} is not written: what rank 0 writes has all ranks", line, rank), {},
        "%r in a name gives each rank a file of its own"));
  Result<summary::Model> model = report::build(*saved, {all.kernel});
  if (!model) return refuse(all, output, model.error());
  if (!outputs.json_of_rank.empty()) {
    diag::Diagnostic note = diag::note(
        "ranks",
        fmt::format("'{}' has all ranks; each rank's own is '{}' and so on", all.json, outputs.json_of_rank),
        {}, "%r in a name is the rank");
    model->warnings.push_back({std::move(note), {}, 1});
  }
  if (seen->end.exit_code != 0) seen->end.exit_code = ranks->failed_with().value_or(seen->end.exit_code);
  seen->prepared.outputs = std::move(prepared);
  seen->model = std::move(*model);
  return conclude(all, *seen, job, output);
}

} // namespace warplens::driver
