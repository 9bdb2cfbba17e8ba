// The program runs with the emulating runtime preloaded, and writes events into a file. Behind its end the events become the input of
// the model, with messages on what is not in it. docs/ARCHITECTURE.md says what each process does.
#include "driver/run/observe.h"
#include "driver/program/chosen.h"
#include "driver/program/events.h"
#include "driver/program/host_places.h"
#include "driver/program/progress.h"
#include "driver/program/python.h"
#include "os/environment.h"
#include "source/names.h"
#include "source/places.h"
#include "text/words.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

std::string library_path(const Prepared& run) {
  const std::string before = os::variable("LD_LIBRARY_PATH");
  return run.runtime + "/" + libraries_folder + (before.empty() ? "" : ":" + before);
}

// A program that gcc built with AddressSanitizer refuses to start where another library comes before the sanitizer's. What is
// preloaded leaves the program's memory alone, so the order does not matter. The last of several settings counts.
std::string sanitizer_options() {
  const std::string before = os::variable("ASAN_OPTIONS");
  return before + (before.empty() ? "" : ":") + "verify_asan_link_order=0";
}

os::Foreground process_of(const Prepared& run, const EventFile& events) {
  const RunOptions& options = run.options;
  os::Foreground out{{run.program.path, options.command, {}}, Outputs::takes_stdout(options)};
  if (std::string& name = out.command.arguments[0]; is_source_file(name))
    name.resize(name.size() - strlen(".cu"));
  out.command.environment = {{"LD_PRELOAD", run.preload},
                             {"LD_LIBRARY_PATH", library_path(run)},
                             {"ASAN_OPTIONS", sanitizer_options()},
                             {"WARPLENS_EVENTS", events.path()},
                             {"WARPLENS_LEDGER", events.ledger_name()},
                             {"WARPLENS_CACHE_DIR", run.cache.folder},
                             {"WARPLENS_CACHE_SIZE", fmt::format("{}", run.cache.limit >> 20)}};
  ProgramOptions passed = options_of_program(options);
  passed.sm = fmt::format("{}", fmt::join(run.sm, ",")); // "h100" is for people
  passed.nvtx |= options.group_by == "range";
  for (auto& variable : environment_of(passed)) out.command.environment.push_back(std::move(variable));
  if (passed.nvtx || !options.nvtx_include.empty() ||
      !options.nvtx_exclude.empty()) // NVTX in the program asks for its tool by this name
    out.command.environment.emplace_back("NVTX_INJECTION64_PATH", run.runtime + "/libwarplens-runtime.so");
  if (const std::string trial = os::variable("WARPLENS_TRIAL"); !trial.empty()) {
    out.stderr_to = trial + "/stderr";
    out.command.environment[0].second += ":" + run.runtime + "/" + changed_files;
  }
  for (auto& variable : python_environment(run.cache)) out.command.environment.push_back(std::move(variable));
  return out;
}

diag::Diagnostic still_running(const std::vector<std::string>& names) {
  diag::Diagnostic out =
      diag::warning("processes-left",
                    fmt::format("{} of the program still {}: what they launch from now on is not counted",
                                names.size() == 1 ? "a process" : fmt::format("{} processes", names.size()),
                                names.size() == 1 ? "runs" : "run"));
  constexpr std::size_t most_named = 10;
  std::span shown(names.data(), std::min(names.size(), most_named));
  out.notes.push_back(
      fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < names.size() ? ", and others" : ""));
  out.help = "let the program wait for the processes that it starts";
  return out;
}

diag::Diagnostic stopped_before_launch() {
  return diag::warning("stopped-before-launch", "the program was stopped before its first kernel launch", {},
                       "let it run longer: the progress line says when a kernel runs");
}

bool has_budget(const RunOptions& options) { return options.budget != 0 || options.budget_work != 0; }

// Whether a budget would have had more to say in the time.
bool budget_would_help(const RunOptions& options, const summary::Input& input) {
  return !has_budget(options) && options.checks.empty() &&
         std::ranges::any_of(input.launches, [](const summary::Launch& launch) {
           return launch.record.status == measure::Status::partial;
         });
}

diag::Diagnostic budget_help() {
  return diag::note(
      "budget-is-faster",
      "--budget 60s gives an answer within a minute of launches, by proof or by a sample of their blocks");
}

diag::Diagnostic shared_assumed(u32 bytes) {
  return diag::note("shared-assumed",
                    fmt::format("{} bytes of dynamic shared memory for each block are assumed", bytes), {},
                    "--shared BYTES, after the file, says how many the program's launch has");
}

// What a run that did not come to its end has not shown.
std::optional<diag::Diagnostic> not_launched(const summary::Input& input) {
  constexpr std::size_t most_named = 10;
  std::vector<std::string> names = source::short_names(input.never_launched);
  if (names.empty()) return {};
  return diag::note(
      "kernels-not-launched",
      fmt::format("{} not launched so far: {}",
                  names.size() == 1 ? "1 kernel was" : fmt::format("{} kernels were", names.size()),
                  text::listed(names, most_named)));
}

diag::Diagnostic no_launch_left(const RunOptions& options, u64 left_out,
                                const std::set<std::string>& ranges) {
  diag::Diagnostic out = diag::warning(
      "no-launch-left",
      fmt::format("the options leave out {} of the program",
                  left_out == 1 ? "the only launch" : fmt::format("all {} launches", left_out)),
      {},
      !options.nvtx_include.empty()
          ? "write 'phase/' for an NVTX range that is pushed, and 'phase' for one that is started"
          : "--launch-skip leaves out the first launches of each process; --launches and --per-kernel limit "
            "the rest");
  constexpr std::size_t most_named = 12;
  std::vector<std::string> names(ranges.begin(), ranges.end());
  if (names.size() > most_named) names.resize(most_named), names.emplace_back("…");
  if (!names.empty()) out.notes.push_back(fmt::format("launches were in: {}", fmt::join(names, ", ")));
  return out;
}

summary::Input gather(const Prepared& run, const EventFile& events, const os::ForegroundEnd& end) {
  summary::Input input;
  input.command = run.options.command;
  input.sm = run.sm;
  input.outcome = {end.exit_code, end.signal};
  if (run.compiled) input.local_use = local_use(*run.compiled, run.sm[0], cache::Store(run.cache));
  Tally tally = events.tally(); // before the events: processes that still run go on to add to both
  std::ifstream stream(events.source(), std::ios::binary);
  const std::set<std::string> ranges = add_events(stream, tally, input);
  if (run.compiled) // by a compiler that may not make code for a GPU that old
    std::erase_if(input.messages, [](const diag::Diagnostic& d) { return d.kind == "ptx-too-new"; });
  name_host_places(input);
  leave_out_unchosen(run.options, input);
  input.outcome.stopped = tally.stopped;
  input.outcome.launch_seconds = tally.launch_seconds;
  if (end.signalled || end.signal != 0 || input.outcome.was_stopped())
    if (std::optional<diag::Diagnostic> message = not_launched(input))
      input.messages.push_back(std::move(*message));
  if (run.plan)
    for (diag::Diagnostic& message : input.messages)
      if (message.kind == "no-machine-code" && given(run).ends_with(".ptx"))
        message.help = fmt::format("make it: ptxas -lineinfo -arch=sm_{} {} -o k.cubin; and run that",
                                   run.sm[0], given(run));
  if (run.plan && run.plan->is_shared_assumed) input.messages.push_back(shared_assumed(run.plan->shared));
  if (budget_would_help(run.options, input)) input.messages.push_back(budget_help());
  input.missing.processes += end.left.size();
  if (!end.left.empty()) input.messages.push_back(still_running(end.left));
  std::error_code error;
  if (input.left_out != 0 && input.launches.empty())
    input.messages.push_back(no_launch_left(run.options, input.left_out, ranges));
  const bool was_told_to_end =
      end.signalled || end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGHUP;
  if (tally.begun == 0 && was_told_to_end) {
    input.messages.push_back(stopped_before_launch());
  } else if (tally.begun == 0 && input.launches.empty() && input.interrupted.empty()) {
    std::vector<std::string> unsupported;
    for (const measure::Unsupported& call : input.unsupported)
      if (std::find(unsupported.begin(), unsupported.end(), call.function) == unsupported.end())
        unsupported.push_back(call.function);
    // A program whose kernels are all of libraries has been told of each, or what is not installed for them; one that is
    // stripped, that nothing can be seen of it.
    const bool told = std::ranges::any_of(input.messages, [](const diag::Diagnostic& d) {
      return d.kind == "library-kernel" || d.kind == "library-missing" || d.kind == "static-runtime-stripped";
    });
    if (!told || !unsupported.empty())
      input.messages.push_back(no_launch_seen(run.program, fs::file_size(events.source(), error) > 0,
                                              unsupported, end.signal == 0 ? end.exit_code : 0,
                                              end.signal != 0));
  }
  return input;
}

// One line for all files that source lines would be quoted from, were they the program's.
std::optional<diag::Diagnostic> withheld_message(std::set<std::string> files) {
  std::erase_if(files, [](const std::string& file) { return source::is_library_file(file); });
  if (files.empty()) return {};
  fs::path first(*files.begin());
  return diag::warning(
      "sources-withheld",
      fmt::format("lines of {} are not shown: {} outside the program's folders",
                  files.size() == 1 ? fmt::format("'{}'", first.string())
                                    : fmt::format("{} files ('{}' is one)", files.size(), first.string()),
                  files.size() == 1 ? "it lies" : "they lie"),
      {}, fmt::format("--source-root {} shows files in that folder", first.parent_path().string()));
}

std::string program_of(const Prepared& run) {
  return run.compiled || run.plan ? given(run) : run.program.path;
}

source::SourceFiles sources_of(const Prepared& run) {
  std::error_code error;
  std::string here = fs::current_path(error).string(),
              beside = fs::path(program_of(run)).parent_path().string();
  std::vector<std::string> folders = {here, beside};
  std::vector<std::string> named = run.options.source_roots;
  if (std::string kept = python_sources(run.cache); !kept.empty()) named.push_back(std::move(kept));
  folders.insert(folders.end(), named.begin(), named.end());
  return {folders, {here, beside, os::variable("HOME"), named}};
}

Result<summary::Model> model_of(const Prepared& run, summary::Input input, source::SourceFiles& sources) {
  std::error_code error;
  const std::string program = program_of(run), here = fs::current_path(error).string();
  auto line_of = [&](const std::string& file, u32 line) { return sources.line(file, line); };
  // A library's own device code may be newer or older than the program that loads it: nothing is said of that.
  std::optional<fs::file_time_type> built;
  if (!run.compiled && (run.program.device_code || run.plan))
    if (fs::file_time_type time = fs::last_write_time(program, error); !error) built = time;
  auto changed = [&](const std::string& file) {
    std::optional<fs::file_time_type> written = built ? sources.written(file) : std::nullopt;
    return written && *written > *built;
  };
  Result<summary::Model> model =
      summary::build(std::move(input), line_of, {run.options.kernel, here, changed});
  if (!model) return model;
  if (std::optional<diag::Diagnostic> withheld = withheld_message(sources.withheld()))
    model->warnings.push_back({std::move(*withheld), {}, 1});
  return model;
}

// Of what is asked, what cannot be done with such a program.
Result<void> check_verifying(const RunOptions& options) {
  if (options.verify_fix && options.no_results)
    return failure(diag::error("bad-option",
                               "--verify-fix compares results, and with --no-results there are none", {},
                               "leave one of them out"));
  if (!options.verify_fix || is_source_file(options.command[0])) return {};
  return failure(diag::error("bad-option",
                             "--verify-fix compiles the program anew, and this one is no source", {},
                             "warplens run --verify-fix FILE.cu; or --fix-dry-run, which shows the changes"));
}

summary::Ranks rank_of(const summary::Input& input, const Job& job) {
  summary::Ranks out{job.ranks, {}, fmt::format("{:016x}", std::hash<std::string>()(job.id))};
  std::set<i64>& processes = out.processes[job.rank];
  for (const summary::Launch& launch : input.launches)
    for (const summary::Occurrences& some : launch.when)
      some.each_process([&](i64 process) { processes.insert(process); });
  for (const measure::LaunchStarted& launch : input.interrupted) processes.insert(launch.process);
  return out;
}

} // namespace

Result<Observed> observe(RunOptions& options, const Job& job, const RankReports* ranks,
                         const RunOutput& output) {
  if (Result<void> fine = check_verifying(options); !fine) return failure(fine.error());
  Result<Gates> gates = Gates::prepare(options.gates);
  if (!gates) return failure(gates.error());
  if (Result<void> fine = gates->complete(options); !fine) return failure(fine.error());
  cache::Settings cache = cache::settings_from_environment();
  if (options.no_cache) cache.limit = 0;
  Result<Prepared> prepared = prepare(options, output, cache);
  if (!prepared) return failure(prepared.error());

  // A file rather than a pipe: nobody has to read while the program runs, and its children append too.
  Result<EventFile> events = EventFile::create();
  if (!events) return failure(events.error());
  const auto begin = std::chrono::steady_clock::now();
  Result<os::ForegroundEnd> end = [&] {
    ProgressLine line(events->ledger(), !options.no_progress, !has_budget(options));
    EndsTogether together(has_budget(options) || job.ends_all ? ranks : nullptr, events->ledger());
    os::Foreground process = process_of(*prepared, *events);
    if (job.ends_all) process.command.environment.emplace_back("WARPLENS_RANK", fmt::format("{}", job.rank));
    Result<os::ForegroundEnd> end = os::run_foreground(process);
    if (end) together.settle(*end, job.ends_all);
    return end;
  }();
  if (!end) return failure(end.error());

  // From here on the program has ended, however it did: what it left is worth a report.
  summary::Input input = gather(*prepared, *events, *end);
  if (job.has_several()) input.ranks = rank_of(input, job);
  input.outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  source::SourceFiles sources = sources_of(*prepared);
  Result<summary::Model> model = model_of(*prepared, std::move(input), sources);
  if (!model) return failure(model.error());
  return Observed{std::move(*gates), std::move(*prepared), *end, std::move(sources), std::move(*model)};
}

} // namespace warplens::driver
