// Edits grouped by finding, those that collide left out, and files replaced as a whole. See fixing.h.
#include "driver/findings/fixing.h"
#include "findings/words.h"
#include "fix/edits.h"
#include "os/file.h"
#include "os/output_file.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using findings::Edit;
using findings::Finding;

bool same_edits(const std::vector<Edit>& a, const std::vector<Edit>& b) {
  return std::ranges::equal(a, b, fix::same);
}

bool collide(const std::vector<Edit>& a, const std::vector<Edit>& b) {
  for (const Edit& one : a)
    for (const Edit& other : b)
      if (fix::collide(one, other)) return true;
  return false;
}

std::string whole_path(const std::string& path) {
  std::error_code error;
  const fs::path out = fs::weakly_canonical(path, error);
  return error ? path : out.string();
}

Result<void> put(const std::string& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  Result<os::OutputFile> file = os::OutputFile::prepare(path);
  return file ? file->write(text) : Result<void>(failure(file.error()));
}

} // namespace

std::vector<FixGroup> fix_groups(const findings::List& list, std::string& said) {
  std::vector<FixGroup> out;
  for (const Finding& finding : list.findings) {
    if (!findings::is_open(finding) || !finding.fix || finding.fix->edits.empty()) continue;
    const std::vector<Edit>& edits = finding.fix->edits;
    auto known = std::ranges::find_if(out, [&](const FixGroup& g) { return same_edits(g.edits, edits); });
    if (known != out.end()) {
      known->findings.push_back(&finding);
    } else if (std::ranges::any_of(out, [&](const FixGroup& g) { return collide(g.edits, edits); })) {
      const access::SourceFrame at = findings::place_of(finding);
      said += fmt::format(
          "warplens: the fix for {}:{} would change what another one changes: it is left for the next time\n",
          at.file, at.line);
    } else {
      out.push_back({edits, {&finding}});
    }
  }
  return out;
}

Patch patch_of(const std::vector<FixGroup>& groups, const findings::SourceText& text_of,
               const std::function<std::string(const std::string&)>& path_of) {
  std::map<std::string, std::vector<Edit>> by_file;
  for (const FixGroup& group : groups)
    for (const Edit& edit : group.edits) by_file[edit.file].push_back(edit);
  Patch out;
  for (const auto& [file, edits] : by_file) {
    const std::string before(text_of(file)), path = path_of(file);
    std::optional<std::string> after = fix::applied(before, edits);
    if (!before.empty() && !path.empty() && after && *after != before)
      out.files.push_back({file, path, before, std::move(*after)});
  }
  return out;
}

std::string Patch::folder() const {
  auto is_here = [](const File& file) {
    return fs::path(file.name).is_relative() && *fs::path(file.name).begin() != "..";
  };
  if (std::ranges::all_of(files, is_here)) return {};
  fs::path out = fs::path(files.front().path).parent_path();
  auto holds_all = [&] {
    return std::ranges::all_of(files, [&](const File& file) {
      return *fs::path(file.path).lexically_relative(out).begin() != "..";
    });
  };
  while (!holds_all() && out != out.parent_path()) out = out.parent_path();
  return out.string();
}

std::string Patch::diff() const {
  const std::string from = folder();
  std::string out;
  for (const File& file : files)
    out += fix::unified_diff(from.empty() ? file.name
                                          : fs::path(file.path).lexically_relative(from).generic_string(),
                             file.before, file.after);
  return out;
}

std::string Patch::diff_hint() const {
  const std::string from = folder();
  return from.empty() ? ""
                      : fmt::format("warplens: the diff's paths are from {}: patch -p1 -d {}\n", from, from);
}

Result<void> Patch::write() const {
  std::vector<os::OutputFile> outputs; // before any is written: all can be
  for (const File& file : files) {
    if (os::read_file(file.path) != file.before)
      return failure(diag::error("source-changed",
                                 fmt::format("'{}' was changed since it was read", file.name), {},
                                 "nothing is written; start again"));
    Result<os::OutputFile> to = os::OutputFile::prepare(file.path);
    if (!to) return failure(to.error());
    outputs.push_back(std::move(*to));
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    if (Result<void> written = outputs[i].write(files[i].after); !written) return written;
  return {};
}

std::string fixes_text(const std::vector<FixGroup>& groups, const Patch& patch) {
  std::string files;
  for (std::size_t i = 0; i < patch.files.size(); ++i)
    files += (i == 0 ? "" : i + 1 == patch.files.size() ? " and " : ", ") + patch.files[i].name;
  return fmt::format("{} fix{} in {}", groups.size(), groups.size() == 1 ? "" : "es", files);
}

Result<Shadow> Shadow::create(const Patch& patch, const std::vector<std::string>& sources) {
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  Shadow out(std::move(*folder));
  for (const std::string& source : sources)
    if (std::optional<std::string> text = os::read_file(source))
      if (Result<void> done = put(out.path_of(source), *text); !done) return failure(done.error());
  for (const Patch::File& file : patch.files)
    if (Result<void> done = put(out.path_of(file.path), file.after); !done) return failure(done.error());
  return out;
}

std::string Shadow::path_of(const std::string& original) const {
  return folder_.path() + whole_path(original);
}

std::string Shadow::original(std::string text) const {
  const std::string& prefix = folder_.path();
  for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at))
    text.erase(at, prefix.size());
  return text;
}

} // namespace warplens::driver
