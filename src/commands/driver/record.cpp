// Find the library, run the program, put what its processes wrote in all runs into one file (measured/recording.h reads it).
#include "driver/record.h"
#include "base/characters.h"
#include "driver/cupti.h"
#include "driver/program/program.h"
#include "measured/recording.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/foreground.h"
#include "os/interrupt.h"
#include "os/output_file.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <span>
#include <thread>
#include <utility>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

constexpr int cannot_record = 2;

// It lies where the runtime library does.
Result<std::string> find_recorder() {
  std::error_code error;
  const fs::path binary = fs::canonical("/proc/self/exe", error);
  for (const char* folder : {"../lib/warplens", "lib/warplens", "lib"})
    if (fs::path path = binary.parent_path() / folder / "libwarplens-recorder.so"; fs::exists(path, error))
      return fs::canonical(path, error).string();
  return failure(diag::error(
      "recorder-missing", "this build of WarpLens has no recorder", {},
      "build WarpLens on a machine with CUPTI of CUDA 12.8 or newer, and run it on one with a GPU. Or "
      "measure with 'ncu --section SourceCounters -o FILE' and read that with 'warplens import'"));
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

  // The first run: which launches there are, and their counters; without these their instructions at once, where `cupti` counts them.
  Result<Run> first(const std::string& cupti) {
    const char* without = cupti.empty() ? "launches" : "instructions";
    return alone({options_.counters ? "counters" : without, {}, cupti, false});
  }
  // The instructions of these launches, as far as that CUPTI counts them.
  Result<Run> instructions(const std::string& cupti, std::span<const u64> launches) {
    return alone({"instructions", fmt::format("{}", fmt::join(launches, ",")), cupti, true});
  }
  // Those of one launch in each run, side by side, by the CUPTI that the recorder was built for.
  std::vector<Result<Run>> instructions_of(std::span<const u64> launches) {
    std::vector<What> runs;
    for (u64 launch : launches) runs.push_back({"instructions", std::to_string(launch), {}, true});
    return side_by_side(runs);
  }

private:
  struct What {
    std::string pass, launches, cupti;
    bool again = false;
  };

  Result<Run> alone(const What& run) { return std::move(side_by_side({run}).front()); }

  std::vector<Result<Run>> side_by_side(const std::vector<What>& runs) {
    std::vector<os::Foreground> processes;
    std::vector<std::string> folders;
    for (const What& run : runs) {
      folders.push_back(fmt::format("{}/{}", folder_, ++runs_));
      std::error_code error;
      fs::create_directory(folders.back(), error);
      os::Foreground& process =
          processes.emplace_back(os::Command{found(options_.command[0]), options_.command, {}});
      process.again = run.again;
      process.command.environment = {{"CUDA_INJECTION64_PATH", recorder_},
                                     {"WARPLENS_RECORD", folders.back()},
                                     {"WARPLENS_RECORD_PASS", run.pass},
                                     {"WARPLENS_RECORD_LAUNCHES", std::to_string(options_.launches)},
                                     {"WARPLENS_RECORD_LAUNCH", run.launches},
                                     {"WARPLENS_RECORD_RUN", std::to_string(runs_)},
                                     {"WARPLENS_RECORD_CUPTI", run.pass == "counters" ? "" : run.cupti}};
    }
    const std::vector<Result<os::ForegroundEnd>> ends = os::run_side_by_side(processes);
    std::vector<Result<Run>> out;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (ends[i])
        out.emplace_back(Run{*ends[i], gathered(folders[i])});
      else
        out.emplace_back(failure(ends[i].error()));
    return out;
  }

  static std::string gathered(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      files.push_back(entry.path().string());
    std::ranges::sort(files); // their names begin with the time
    std::string out;
    for (const std::string& file : files) {
      out += os::read_file(file).value_or("");
      if (!out.empty() && out.back() != '\n') out += '\n'; // of a process that was killed while it wrote
    }
    return out;
  }

  const RecordOptions& options_;
  std::string recorder_, folder_;
  u64 runs_ = 0;
};

// What all runs wrote. Machine code that one before has is not kept again.
class Lines {
public:
  void add(std::string_view text) {
    for (; !text.empty();) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const bool code = line.starts_with("{\"cubin\":");
      if (!line.empty() && (!code || code_.emplace(line).second)) text_.append(line) += '\n';
    }
  }
  const std::string& text() const { return text_; }

private:
  std::string text_;
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

constexpr const char* same_twice = "the program runs several times: let it do the same each time (same "
                                   "input, same seed, files that a run leaves "
                                   "behind removed)";

using Say = std::function<void(const diag::Diagnostic&)>;

// How many runs are made side by side, where nobody says: as many as half of the processors have room for, and half of the
// memory, of this machine and of its GPU, at the most that the first run had of each.
u64 side_by_side(const Run& first, const measured::Measured& launched) {
  constexpr u64 most = 8;
  u64 out = std::min<u64>(most, std::thread::hardware_concurrency() / 2);
  if (first.end.peak_bytes > 0) out = std::min(out, os::physical_memory() / 2 / first.end.peak_bytes);
  if (launched.gpu_memory_share > 0)
    out = std::min(out, static_cast<u64>(0.5 / std::min(launched.gpu_memory_share, 1.0)));
  return std::max<u64>(out, 1);
}

// The instructions of each launch: of all in one run, once more of those that CUPTI left out, and then a run for each, several side by
// side. It ends where a signal comes, or a run cannot be started; what was counted until then is kept.
class Counting {
public:
  Counting(Recording& recording, const Run& first, Say say)
      : recording_(recording), first_(first), say_(std::move(say)) {
    add(first);
  }

  // In one run all that are left, and again as long as that counts several. A run that went otherwise than the first is not believed.
  void count_all(const std::string& cupti) {
    for (std::vector<u64> left = uncounted(); !left.empty() && !ended_;) {
      const Result<Run> run = recording_.instructions(cupti, left);
      if (!was_stopped(run) && !is_like_first(*run)) return say_(left_out(*run));
      add(run);
      const std::size_t before = std::exchange(left, uncounted()).size();
      if (before - left.size() < 2) return;
    }
  }

  // A run each. One that went otherwise than the first while others ran is made again by itself, since they may have been in its
  // way: a file that all write, a GPU whose memory is full.
  void count(std::span<const u64> launches, u64 at_once) {
    std::vector<u64> again;
    while (!launches.empty() && !ended_) {
      const std::span<const u64> some = launches.first(std::min<u64>(at_once, launches.size()));
      launches = launches.subspan(some.size());
      const std::vector<Result<Run>> runs = recording_.instructions_of(some);
      for (std::size_t i = 0; i < some.size(); ++i)
        if (some.size() > 1 && !was_stopped(runs[i]) && !is_like_first(*runs[i]))
          again.push_back(some[i]);
        else
          keep(some[i], runs[i]);
    }
    for (std::size_t i = 0; i < again.size() && !ended_; ++i)
      keep(again[i], recording_.instructions_of(std::span(&again[i], 1)).front());
  }

  // The numbers of launches that have no counts by instruction yet, in one process or another.
  std::vector<u64> uncounted() const {
    std::set<u64> out;
    if (Result<measured::Measured> all = read(text(), ""))
      for (const measured::Launch& launch : all->launches)
        if (launch.instructions.empty()) out.insert(launch.number);
    return {out.begin(), out.end()};
  }

  // Before all were counted: no run is begun any more.
  bool ended() const { return ended_; }
  // What all runs wrote, the first with them.
  const std::string& text() const { return lines_.text(); }

private:
  // By a signal, or it could not even be started.
  static bool was_stopped(const Result<Run>& run) {
    return !run || run->end.signalled || os::DelayedSignals::seen();
  }

  // What can be told of a run without a look at its launches: "ended with exit code 1, the first with 0".
  std::vector<std::string> differences(const Run& run) const {
    std::vector<std::string> out;
    if (run.end.exit_code != first_.end.exit_code)
      out.push_back(
          fmt::format("ended with exit code {}, the first with {}", run.end.exit_code, first_.end.exit_code));
    if (run.text.find("{\"launch\":") == run.text.npos) out.emplace_back("did not come to it");
    return out;
  }

  bool is_like_first(const Run& run) const {
    Result<measured::Measured> both = read(first_.text + run.text, "");
    return differences(run).empty() && both && both->mismatches == 0;
  }

  diag::Diagnostic left_out(const Run& run) const {
    diag::Diagnostic out = diag::warning(
        "record-differs",
        "the run for the instructions of all launches differed from the first; its counts are left out", {},
        same_twice);
    for (const std::string& difference : differences(run)) out.notes.push_back("it " + difference);
    if (Result<measured::Measured> both = read(first_.text + run.text, ""))
      for (const diag::Diagnostic& message : both->messages) out.notes.push_back(message.message);
    return out;
  }

  // Of a run for one launch. What launches of it are others is said by who reads the whole.
  void keep(u64 launch, const Result<Run>& run) {
    if (!was_stopped(run))
      for (const std::string& difference : differences(*run))
        say_(diag::warning("record-differs", fmt::format("the run for launch {} {}", launch, difference), {},
                           same_twice));
    add(run);
  }

  void add(const Result<Run>& run) {
    if (run)
      lines_.add(run->text);
    else
      say_(run.error());
    ended_ = ended_ || was_stopped(run);
  }

  Recording& recording_;
  const Run& first_;
  Say say_;
  Lines lines_;
  bool ended_ = false;
};

} // namespace

int record(const RecordOptions& options, const RunOutput& output) {
  auto say = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, {}, options.colour));
  };
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    say(diagnostic);
    return cannot_record;
  };
  Result<std::string> recorder = find_recorder();
  if (!recorder) return refuse(recorder.error());
  Result<os::OutputFile> file = os::OutputFile::prepare(options.output);
  if (!file) return refuse(file.error());
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return refuse(folder.error());
  std::string cupti = options.cupti ? *options.cupti : find_cupti_that_counts_all();
  if (!cupti.empty()) {
    std::error_code error;
    cupti = fs::absolute(cupti, error).string(); // for the loader, which looks elsewhere for mere names
    if (!fs::is_regular_file(cupti, error))
      return refuse(diag::error("cupti-missing", fmt::format("there is no file '{}'", cupti), {},
                                "leave '--cupti' out, or name a CUPTI of CUDA 12.8 or 12.9"));
  }
  const os::DelayedSignals until_it_is_written;
  Recording recording(options, *recorder, folder->path());
  Result<Run> first = recording.first(cupti);
  if (!first) return refuse(first.error());
  Result<measured::Measured> launched = read(first->text, options.output);
  if (!launched) return refuse(launched.error());
  Counting counting(recording, *first, say);
  if (!cupti.empty() && !counting.uncounted().empty() && !counting.ended())
    output.err(
        "warplens: the program runs again, without its output, for the instructions of its launches\n");
  if (!cupti.empty()) counting.count_all(cupti);
  if (const std::vector<u64> left = counting.uncounted(); !left.empty() && !counting.ended()) {
    const u64 at_once =
        std::min<u64>(left.size(), options.jobs != 0 ? options.jobs : side_by_side(*first, *launched));
    output.err(fmt::format("warplens: the program runs {} more {}{}, without its output, for the "
                           "instructions of a launch each\n",
                           left.size(), left.size() == 1 ? "time" : "times",
                           at_once > 1 ? fmt::format(", {} at once (--jobs)", at_once) : ""));
    counting.count(left, at_once);
  }
  if (const std::vector<u64> left = counting.uncounted(); !left.empty() && counting.ended())
    say(diag::warning("record-interrupted",
                      fmt::format("interrupted: {} of the launches {} without counts by instruction",
                                  left.size(), left.size() == 1 ? "is" : "are")));
  if (Result<void> written = file->write(counting.text()); !written) return refuse(written.error());
  Result<measured::Measured> all = read(counting.text(), options.output);
  if (!all) return refuse(all.error());
  for (const diag::Diagnostic& message : all->messages) say(message);
  output.err(fmt::format("warplens: {} {} in {}; 'warplens import {}' shows them\n", all->launches.size(),
                         all->launches.size() == 1 ? "launch is" : "launches are", one_line(options.output),
                         one_line(options.output)));
  return first->end.exit_code;
}

} // namespace warplens::driver
