// Find the library, run the program for each pass, put what its processes wrote into one file.
#include "driver/record.h"
#include "driver/program/program.h"
#include "measured/recording.h"
#include "os/file.h"
#include "os/foreground.h"
#include "os/output_file.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

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

Result<os::ForegroundEnd> run_pass(const RecordOptions& options, const std::string& recorder,
                                   const std::string& folder, const char* pass) {
  os::Foreground process{{found(options.command[0]), options.command, {}}};
  process.command.environment = {
      {"CUDA_INJECTION64_PATH", recorder},
      {"WARPLENS_RECORD", folder},
      {"WARPLENS_RECORD_PASS", pass},
      {"WARPLENS_RECORD_LAUNCHES", options.launches ? std::to_string(*options.launches) : ""}};
  return os::run_foreground(process);
}

// What the processes of a pass wrote, those that began first first.
std::string gathered(const std::string& folder, const std::string& pass) {
  std::vector<std::pair<fs::file_time_type, std::string>> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(pass + '.'))
      files.emplace_back(entry.last_write_time(error), entry.path().string());
  std::sort(files.begin(), files.end());
  std::string out;
  for (const auto& [time, path] : files) {
    out += os::read_file(path).value_or("");
    if (!out.empty() && out.back() != '\n') out += '\n'; // the last line of a process that was killed
  }
  return out;
}

diag::Diagnostic nothing_recorded() {
  return diag::error(
      "nothing-recorded", "no launch was recorded", {},
      "is there a GPU, and may its counters be read? NVIDIA's page ERR_NVGPUCTRPERM says how to allow it");
}

} // namespace

int record(const RecordOptions& options, const RunOutput& output) {
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, {}, options.colour));
    return cannot;
  };
  Result<std::string> recorder = find_recorder();
  if (!recorder) return refuse(recorder.error());
  Result<os::OutputFile> file = os::OutputFile::prepare(options.output);
  if (!file) return refuse(file.error());
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return refuse(folder.error());
  std::string text;
  std::optional<int> code;
  for (const char* pass : {"instructions", "counters"}) {
    if (code && !options.counters) break;
    Result<os::ForegroundEnd> end = run_pass(options, *recorder, folder->path(), pass);
    if (!end) return refuse(end.error());
    if (!code) code = end->exit_code;
    text += gathered(folder->path(), pass);
  }
  Result<measured::Measured> read = text.empty() ? Result<measured::Measured>(failure(nothing_recorded()))
                                                 : measured::read_recording(text, options.output);
  if (!read) return refuse(read.error());
  if (Result<void> written = file->write(text); !written) return refuse(written.error());
  output.err(fmt::format("warplens: {} launches are in {}; 'warplens import {}' shows them\n",
                         read->launches.size(), options.output, options.output));
  return *code;
}

} // namespace warplens::driver
