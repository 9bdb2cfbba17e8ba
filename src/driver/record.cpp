// Find the library, run the program, put what its processes wrote in all runs into one file (measured/recording.h reads it).
#include "driver/record.h"
#include "driver/program/program.h"
#include "measured/recording.h"
#include "os/file.h"
#include "os/foreground.h"
#include "os/output_file.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

constexpr int cannot = 2;

// It lies where the runtime library does.
Result<std::string> find_recorder() {
  std::error_code error;
  const fs::path binary = fs::canonical("/proc/self/exe", error);
  for (const char* folder : {"../lib/warplens", "lib/warplens", "lib"})
    if (fs::path path = binary.parent_path() / folder / "libwarplens-recorder.so"; fs::exists(path, error))
      return fs::canonical(path, error).string();
  return failure(diag::error("recorder-missing", "this build of WarpLens has no recorder", {},
                             "build WarpLens on a machine with a CUDA toolkit that has CUPTI "
                             "(cupti_sass_metrics.h: 12.8 and newer), and "
                             "run it on one with a GPU; without a recorder, 'ncu --section SourceCounters -o "
                             "FILE' measures the same, and "
                             "'warplens import' reads it"));
}

std::string found(const std::string& program) {
  return program.find('/') == program.npos ? find_in_path(program) : program;
}

// One run of the program: what its processes wrote, those that began first first.
struct Run {
  os::ForegroundEnd end;
  std::string text;
};

class Recording {
public:
  Recording(const RecordOptions& options, std::string recorder, std::string folder)
      : options_(options), recorder_(std::move(recorder)), folder_(std::move(folder)) {}

  // `counted`: the launch whose instructions are counted; nothing in the first run.
  Result<Run> run(std::optional<u64> counted) {
    const std::string folder = fmt::format("{}/{}", folder_, runs_++);
    std::error_code error;
    fs::create_directory(folder, error);
    os::Foreground process{{found(options_.command[0]), options_.command, {}}};
    process.again = counted.has_value();
    const char* first = options_.counters ? "counters" : "launches";
    process.command.environment = {{"CUDA_INJECTION64_PATH", recorder_},
                                   {"WARPLENS_RECORD", folder},
                                   {"WARPLENS_RECORD_PASS", counted ? "instructions" : first},
                                   {"WARPLENS_RECORD_LAUNCHES", std::to_string(options_.launches)},
                                   {"WARPLENS_RECORD_LAUNCH", counted ? std::to_string(*counted) : ""}};
    Result<os::ForegroundEnd> end = os::run_foreground(process);
    if (!end) return failure(end.error());
    return Run{*end, gathered(folder)};
  }

private:
  // Machine code that a run before wrote is not kept again.
  std::string gathered(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      files.push_back(entry.path().string());
    std::ranges::sort(files); // their names begin with the time
    std::string out;
    for (const std::string& file : files) {
      const std::string text = os::read_file(file).value_or("");
      for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const bool code = line.starts_with("{\"cubin\":");
        if (!line.empty() && (!code || code_.emplace(line).second)) out.append(line) += '\n';
      }
    }
    return out;
  }

  const RecordOptions& options_;
  std::string recorder_, folder_;
  u64 runs_ = 0;
  std::set<std::string, std::less<>> code_;
};

diag::Diagnostic nothing_recorded() {
  return diag::error(
      "nothing-recorded", "no launch was recorded", {},
      "is there a GPU, and may its counters be read? NVIDIA's page ERR_NVGPUCTRPERM says how to allow it");
}

Result<measured::Measured> read(const std::string& text, const std::string& name) {
  if (text.empty()) return failure(nothing_recorded());
  return measured::read_recording(text, name);
}

// The most launches that one process made.
u64 launches_of(const measured::Measured& first) {
  std::map<i64, u64> launches;
  for (const measured::Launch& launch : first.launches) ++launches[launch.process];
  u64 most = 0;
  for (const auto& [process, count] : launches) most = std::max(most, count);
  return most;
}

constexpr const char* same_twice =
    "the program runs once for each launch that is counted by instruction: let it do the same each time "
    "(same input, same seed, files that a run leaves behind removed)";

using Say = std::function<void(const diag::Diagnostic&)>;

// The instructions of each launch, a run each. Says what a run did otherwise than the first.
Result<std::string> count_instructions(Recording& recording, u64 launches, int code, const Say& say) {
  std::string text;
  for (u64 launch = 0; launch < launches; ++launch) {
    Result<Run> run = recording.run(launch);
    if (!run) return failure(run.error());
    text += run->text;
    if (run->end.signal == SIGINT || run->end.signal == SIGTERM) {
      say(diag::warning("record-interrupted",
                        fmt::format("interrupted: launches {} to {} are without counts by instruction",
                                    launch, launches - 1)));
      break;
    }
    if (run->end.exit_code != code)
      say(diag::warning("record-differs",
                        fmt::format("the run for launch {} ended with exit code {}, the first with {}",
                                    launch, run->end.exit_code, code),
                        {}, same_twice));
    if (run->text.find("{\"launch\":") == run->text.npos)
      say(diag::warning("record-differs", fmt::format("the run for launch {} did not come to it", launch), {},
                        same_twice));
  }
  return text;
}

} // namespace

int record(const RecordOptions& options, const RunOutput& output) {
  auto say = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, {}, options.colour));
  };
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    say(diagnostic);
    return cannot;
  };
  Result<std::string> recorder = find_recorder();
  if (!recorder) return refuse(recorder.error());
  Result<os::OutputFile> file = os::OutputFile::prepare(options.output);
  if (!file) return refuse(file.error());
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return refuse(folder.error());
  Recording recording(options, *recorder, folder->path());
  Result<Run> first = recording.run({});
  if (!first) return refuse(first.error());
  std::string text = first->text;
  Result<measured::Measured> launched = read(text, options.output);
  if (!launched) return refuse(launched.error());
  const u64 launches = launches_of(*launched);
  output.err(fmt::format(
      "warplens: the program runs {} more {}, without its output, for the instructions of each launch\n",
      launches, launches == 1 ? "time" : "times"));
  Result<std::string> counted = count_instructions(recording, launches, first->end.exit_code, say);
  if (!counted) return refuse(counted.error());
  text += *counted;
  Result<measured::Measured> all = read(text, options.output);
  if (!all) return refuse(all.error());
  if (Result<void> written = file->write(text); !written) return refuse(written.error());
  for (const diag::Diagnostic& message : all->messages) say(message);
  output.err(fmt::format("warplens: {} {} in {}; 'warplens import {}' shows them\n", all->launches.size(),
                         all->launches.size() == 1 ? "launch is" : "launches are", options.output,
                         options.output));
  return first->end.exit_code;
}

} // namespace warplens::driver
