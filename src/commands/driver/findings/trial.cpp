// See trial.h. The library changed_files.cpp of the runtime keeps files before they are changed; here they are put back.
#include "driver/findings/trial.h"
#include "os/captured.h"
#include "os/digest.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include "report/read.h"
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <ranges>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

Pieces split(std::string_view text, char end) {
  Pieces out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(end), text.size());
    out.emplace_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return out;
}

// Text by lines, since one may hold a time; other files by blocks.
Pieces pieces_of(const std::string& path, const std::function<std::string(std::string)>& seen) {
  constexpr std::size_t most_text = std::size_t{16} << 20, block = std::size_t{64} << 10;
  const os::MappedFile file(path.c_str());
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (text.size() <= most_text && text.find('\0') == text.npos) return split(seen(std::string(text)), '\n');
  Pieces out;
  for (std::size_t at = 0; at < text.size(); at += block)
    out.push_back(cache::digest_of(text.substr(at, block)).text());
  return out;
}

bool is_regular(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// A file that the program was about to change (changed_files.cpp).
struct Kept {
  bool was_there = false, lost = false;
  std::string before, path; // where it is kept; where it was
};

std::vector<Kept> kept_in(const std::string& folder) {
  constexpr std::size_t digits = 16;
  std::vector<Kept> out;
  for (const std::string& record : split(os::read_file(folder + "/files").value_or(""), '\0'))
    if (record.size() > digits + 2)
      out.push_back({record[0] == 'f', record[0] == 'x', folder + "/before/" + record.substr(1, digits),
                     record.substr(digits + 2)});
  return out;
}

// Into the same file where it is still there, so that its other names and its owner stay.
bool put_back(const Kept& kept) {
  struct stat status;
  if (stat(kept.before.c_str(), &status) != 0) return false;
  std::error_code error;
  fs::create_directories(fs::path(kept.path).parent_path(), error);
  const os::MappedFile before(kept.before.c_str());
  if (!is_regular(kept.path)) fs::remove(kept.path, error);
  const os::Descriptor file(
      open(kept.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, status.st_mode & 07777));
  const timespec times[] = {status.st_atim, status.st_mtim};
  return file && os::write_all(file.get(), before.bytes()) &&
         fchmod(file.get(), status.st_mode & 07777) == 0 && futimens(file.get(), times) == 0;
}

// The last change first: what lies in a folder goes before it.
Result<void> put_back(const std::vector<Kept>& all) {
  std::vector<std::string> lost;
  for (const Kept& kept : all | std::views::reverse) {
    std::error_code error;
    if (kept.lost || (kept.was_there && !put_back(kept)))
      lost.push_back(kept.path);
    else if (!kept.was_there)
      fs::remove(kept.path, error); // a folder that is not empty stays
  }
  if (lost.empty()) return {};
  return failure(
      diag::error("verify-files",
                  fmt::format("'{}' could not be kept as it was: the program changed it once more, "
                              "and runs are not comparable",
                              lost.front()),
                  {}, "check the space on the disk of the temporary folder (TMPDIR)"));
}

Result<summary::Model> model_in(const std::string& folder) {
  const std::string path = folder + "/report.json";
  std::optional<std::string> json = os::read_file(path);
  if (!json || json->empty()) {
    const std::string said = os::read_file(folder + "/said").value_or("");
    return failure(diag::error("verify-failed", "the program could not be compiled or run", {},
                               said.substr(0, said.find('\n'))));
  }
  Result<report::Saved> saved = report::read_json(*json, path);
  if (!saved) return failure(saved.error());
  return report::build(*saved);
}

// Standard output is the program's alone, as the report goes to a file. What the program says on standard error is in a file
// of the trial (run.cpp), apart from what the compiler and WarpLens say.
Result<int> start(const std::vector<std::string>& words, const std::string& folder) {
  std::error_code error;
  fs::create_directory(folder + "/before", error);
  for (const char* name : {"/returned", "/files", "/stderr"}) std::ofstream(folder + name).flush();
  std::vector<std::string> command{
      "/bin/sh",
      "-c",
      "WARPLENS_TRIAL=$1 WARPLENS_RETURNED=$1/returned; export WARPLENS_TRIAL WARPLENS_RETURNED; shift; "
      "exec \"$@\" >\"$WARPLENS_TRIAL/printed\" 2>\"$WARPLENS_TRIAL/said\"",
      "sh",
      folder,
      os::executable(),
      "run",
      "--report",
      folder + "/report",
      "--json",
      folder + "/report.json"};
  command.insert(command.end(), words.begin(), words.end());
  Result<os::Captured> end = os::run_captured(command);
  if (!end) return failure(end.error());
  return end->exit_code;
}

} // namespace

Result<Trial> run_trial(const std::vector<std::string>& words,
                        const std::function<std::string(std::string)>& seen) {
  Result<os::TempDir> temporary = os::TempDir::create();
  if (!temporary) return failure(temporary.error());
  const std::string& folder = temporary->path();
  Result<int> code = start(words, folder);
  if (!code) return failure(code.error());
  Trial out;
  out.exit_code = *code;
  auto lines = [&](const char* name) { return split(seen(os::read_file(folder + name).value_or("")), '\n'); };
  out.printed = lines("/printed"), out.said = lines("/stderr");
  for (const std::string& line : lines("/returned"))
    if (const std::size_t blank = line.find(' '); blank != line.npos)
      (line.starts_with("copy") ? out.copies : out.memory).push_back(line.substr(blank + 1));
  const std::vector<Kept> kept = kept_in(folder);
  for (const Kept& one : kept)
    if (is_regular(one.path)) out.files[one.path] = pieces_of(one.path, seen);
  if (Result<void> back = put_back(kept); !back) return failure(back.error());
  Result<summary::Model> model = model_in(folder);
  if (!model) return failure(model.error());
  out.model = std::move(*model);
  return out;
}

} // namespace warplens::driver
