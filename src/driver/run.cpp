// The steps of `run`, in order: check everything that can be checked before the program starts (options,
// program, report files, runtime library), start it, read its events, build the model, write the reports.
// What each process does is described in docs/ARCHITECTURE.md.
#include "driver/run.h"
#include "driver/child.h"
#include "driver/events.h"
#include "driver/gpus.h"
#include "driver/program.h"
#include "driver/source_program.h"
#include "report/json.h"
#include "report/source.h"
#include "report/terminal.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <regex>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int cannot = 2;

Result<std::vector<u32>> check_options(const RunOptions& options) {
  if (options.memory != "gpu" && options.memory != "strict")
    return failure(diag::error("bad-option", fmt::format("'--memory={}' is not known", options.memory), {},
                               "use --memory=gpu or --memory=strict"));
  if (!(options.timeout >= 0))
    return failure(diag::error("bad-option", "the time limit is not a positive number of seconds", {},
                               "e.g. --timeout 60"));
  try {
    std::regex expression(options.kernel);
  } catch (const std::regex_error& error) {
    return failure(
        diag::error("bad-kernel-filter",
                    fmt::format("'{}' is not a regular expression: {}", options.kernel, error.what()), {},
                    "give part of the kernel's name, e.g. --kernel 'matmul|transpose'"));
  }
  Result<std::vector<const arch::Architecture*>> architectures = architectures_named(options.sm);
  if (!architectures) return failure(architectures.error());
  std::vector<u32> sm;
  for (const arch::Architecture* architecture : *architectures)
    if (std::find(sm.begin(), sm.end(), arch::sm(*architecture)) == sm.end())
      sm.push_back(arch::sm(*architecture));
  return sm;
}

// Opened before the program runs: a report that cannot be written must not cost an hour of emulation.
Result<std::ofstream> open_report(const std::string& path) {
  std::ofstream file;
  if (path.empty() || path == "-") return file;
  file.open(path, std::ios::binary | std::ios::trunc);
  if (!file)
    return failure(diag::error("report-unwritable",
                               fmt::format("cannot write '{}': {}", path, strerror(errno)), {},
                               "give another path"));
  return file;
}

// The folder of the runtime libraries: beside an installed binary (../lib/warplens) or in the build folder.
Result<std::string> runtime_folder() {
  std::error_code error;
  fs::path binary = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* relative : {"../lib/warplens", "lib/warplens", "lib"}) {
    fs::path folder = binary / relative;
    if (fs::exists(folder / "libcudart.so.13", error)) return fs::canonical(folder, error).string();
  }
  return failure(
      diag::error("runtime-missing",
                  fmt::format("the runtime library 'libcudart.so.13' is not beside '{}'", binary.string()),
                  {}, "build all of WarpLens, or install it with cmake --install"));
}

// The variant that the program asks for; every variant where it is not known who will ask.
Result<std::string> preload_of(const Program& program, const std::string& folder) {
  std::vector<std::string> names;
  if (program.linkage == Linkage::shared)
    names = {program.soname};
  else if (program.linkage == Linkage::static_)
    names = {"libcudart.so.13"};
  else
    names = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
  std::string out;
  std::error_code error;
  for (const std::string& name : names)
    if (fs::path path = fs::path(folder) / name; fs::exists(path, error))
      out += fmt::format("{}{}", out.empty() ? "" : ":", path.string());
  if (out.empty())
    return failure(diag::error("runtime-version",
                               fmt::format("the program needs {}, which WarpLens does not replace", names[0]),
                               {}, "build it with CUDA 11, 12 or 13"));
  if (const char* before = std::getenv("LD_PRELOAD"); before != nullptr && *before != 0)
    out += fmt::format(":{}", before);
  return out;
}

ChildSpec child_spec(const RunOptions& options, const Program& program, const std::vector<u32>& sm,
                     const std::string& preload, const std::string& events, const cache::Settings& cache) {
  ChildSpec spec{program.path, options.command, {}, options.json == "-"};
  if (std::string& name = spec.arguments[0]; is_source_file(name)) name.resize(name.size() - strlen(".cu"));
  std::string list;
  for (u32 value : sm) list += fmt::format("{}{}", list.empty() ? "" : ",", value);
  spec.environment = {{"LD_PRELOAD", preload},
                      {"WARPLENS_EVENTS", events},
                      {"WARPLENS_SM", list},
                      {"WARPLENS_WORKERS", fmt::format("{}", options.workers)},
                      {"WARPLENS_MEMORY", options.memory},
                      {"WARPLENS_CACHE_DIR", cache.folder},
                      {"WARPLENS_CACHE_SIZE", fmt::format("{}", cache.limit >> 20)},
                      {"WARPLENS_COUNT_ONLY", options.count_only ? "1" : ""},
                      {"WARPLENS_TIMEOUT", options.timeout > 0 ? fmt::format("{}", options.timeout) : ""}};
  return spec;
}

// One line on the terminal that says what runs, once the program has run for a while; erased at the end.
class ProgressLine {
public:
  ProgressLine(const RunOptions& options, const RunOutput& output, EventFile& events)
      : options_(options), output_(output), events_(events) {}
  ~ProgressLine() {
    if (shown_) output_.err("\r\x1b[K");
  }
  void tick() {
    Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(500);
    std::optional<measure::Event> event = events_.latest();
    if (!event) return;
    if (auto* started = std::get_if<measure::LaunchStarted>(&*event))
      name_ = started->name, show(started->index, "");
    if (auto* progress = std::get_if<measure::Progress>(&*event); progress != nullptr && progress->total != 0)
      show(progress->index, fmt::format(" {:.0f}%", 100.0 * static_cast<double>(progress->done) /
                                                        static_cast<double>(progress->total)));
  }

private:
  void show(u64 index, const std::string& done) {
    shown_ = true;
    std::string text = fmt::format("warplens: launch {}{} {}", index, done, name_);
    output_.err("\r" + text.substr(0, options_.width > 1 ? options_.width - 1 : 0) + "\x1b[K");
  }
  const RunOptions& options_;
  const RunOutput& output_;
  EventFile& events_;
  std::string name_;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(2);
};

bool all_exact(const report::Input& input) {
  return input.interrupted.empty() &&
         std::all_of(input.launches.begin(), input.launches.end(), [](const measure::LaunchRecord& launch) {
           return launch.status == measure::Status::exact || launch.status == measure::Status::proved;
         });
}

bool write_to(std::ofstream& file, const std::string& text) {
  file << text;
  file.flush();
  return static_cast<bool>(file);
}

// Everything that is ready before the program starts.
struct Prepared {
  std::optional<SourceProgram> compiled;
  Program program;
  std::vector<u32> sm;
  std::ofstream json, text;
  std::string preload;
};

Result<Prepared> prepare(const RunOptions& options, const cache::Store& cache, const RunOutput& output) {
  Prepared out;
  Result<std::vector<u32>> sm = check_options(options);
  if (!sm) return failure(sm.error());
  out.sm = std::move(*sm);
  Result<std::string> folder = runtime_folder();
  if (is_source_file(options.command.at(0))) {
    if (!folder) return failure(folder.error());
    Result<SourceProgram> compiled = compile_source(options, out.sm[0], *folder, cache, output);
    if (!compiled) return failure(compiled.error());
    out.compiled = std::move(*compiled);
  }
  Result<Program> program = inspect_program(out.compiled ? out.compiled->executable : options.command[0]);
  if (!program) return failure(program.error());
  out.program = std::move(*program);
  Result<std::ofstream> json = open_report(options.json), text = open_report(options.report);
  if (!json) return failure(json.error());
  if (!text) return failure(text.error());
  out.json = std::move(*json), out.text = std::move(*text);
  if (!folder) return failure(folder.error());
  Result<std::string> preload = preload_of(out.program, *folder);
  if (!preload) return failure(preload.error());
  out.preload = std::move(*preload);
  return out;
}

bool write_reports(const RunOptions& options, const RunOutput& output, Prepared& prepared,
                   const report::Model& model) {
  bool written = true;
  if (options.json == "-")
    written = output.out(report::json(model, options.version));
  else if (!options.json.empty())
    written = write_to(prepared.json, report::json(model, options.version));
  if (!options.report.empty() && options.report != "-")
    return write_to(prepared.text,
                    report::terminal(model, {options.width, false, options.details, options.top})) &&
           written;
  if (options.json == "-") return written; // a program reads this run
  std::string text = report::terminal(model, {options.width, options.colour, options.details, options.top});
  return (options.report == "-" ? output.out(text) : output.err(text)) && written;
}

int refuse(const RunOptions& options, const RunOutput& output, const diag::Diagnostic& diagnostic) {
  output.err("warplens: " + diag::render(diagnostic, {}, options.colour));
  return cannot;
}

} // namespace

int run(const RunOptions& options, const RunOutput& output) {
  cache::Settings settings = cache::settings_from_environment();
  if (options.no_cache) settings.limit = 0;
  const cache::Store cache(settings);
  Result<Prepared> prepared = prepare(options, cache, output);
  if (!prepared) return refuse(options, output, prepared.error());
  Result<EventFile> events = EventFile::create();
  if (!events) return refuse(options, output, events.error());

  ChildSpec spec =
      child_spec(options, prepared->program, prepared->sm, prepared->preload, events->path(), settings);
  Result<ChildEnd> end = [&] {
    ProgressLine progress(options, output, *events);
    return run_child(spec, options.progress ? std::function<void()>([&] { progress.tick(); }) : nullptr);
  }();
  if (!end) return refuse(options, output, end.error());

  report::Input input;
  input.command = options.command;
  input.sm = prepared->sm;
  input.outcome = {end->exit_code, end->signal};
  if (prepared->compiled) input.local_use = local_use(*prepared->compiled, prepared->sm[0], cache);
  std::ifstream stream(events->path(), std::ios::binary);
  add_events(stream, input);
  if (input.launches.empty() && input.interrupted.empty())
    input.messages.push_back(no_launch_seen(prepared->program));
  bool exact = all_exact(input);

  std::error_code error;
  report::SourceFiles sources(
      {fs::current_path(error).string(),
       fs::path(prepared->compiled ? options.command[0] : prepared->program.path).parent_path().string()});
  auto line_of = [&](const std::string& file, u32 line) { return sources.line(file, line); };
  Result<report::Model> model = report::build(std::move(input), line_of, {options.kernel});
  if (!model) return refuse(options, output, model.error());
  if (!write_reports(options, output, *prepared, *model))
    return refuse(options, output,
                  diag::error("report-unwritable", "the report could not be written", {},
                              "check the space on the disk"));
  return options.strict && !exact && end->exit_code == 0 ? 1 : end->exit_code;
}

} // namespace warplens::driver
