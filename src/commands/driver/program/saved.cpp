// Which kind of file it is, its first bytes tell: what "run --json" wrote, or what a profiler counted (measured/read.h). See saved.h.
#include "driver/program/saved.h"
#include "measured/launches.h"
#include "measured/read.h"
#include "os/environment.h"
#include "source/places.h"
#include "source/source.h"
#include "text/lines.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <glob.h>
#include <iostream>
#include <unistd.h>

namespace warplens::driver {
namespace {

// A report of a hundred thousand kernels has some hundred megabytes.
constexpr std::size_t most_bytes = std::size_t{4} << 30;

// Lines that sites stand at: of the files that came with the measurement, else of those that are here.
void add_source(const measured::Measured& measured, report::Saved& saved) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  source::SourceFiles files({here}, {here, here, os::variable("HOME"), {}});
  std::map<std::string_view, std::vector<std::string_view>> kept;
  for (const auto& [name, text] : measured.sources) kept[name] = text::lines_of(text);
  for (const summary::Launch& launch : saved.input.launches)
    for (const measure::SiteRecord& site : launch.record.sites) {
      const access::SourceFrame place = source::user_frame(site.site);
      if (place.line == 0 || saved.source.contains({place.file, place.line})) continue;
      auto lines = kept.find(place.file);
      std::optional<std::string> text =
          lines != kept.end() ? text::line_at(lines->second, place.line) : files.line(place.file, place.line);
      if (text) saved.source[{place.file, place.line}] = std::move(*text);
    }
}

report::Saved saved_of(const measured::Measured& measured, const std::string& file) {
  report::Saved out;
  summary::Input& input = out.input;
  const measured::Machine& machine = measured.machine;
  input.measured = {machine.tool, machine.gpu, machine.driver, {file}, measured::lacking(measured)};
  input.sm = {machine.sm};
  input.messages = measured.messages;
  if (std::optional<diag::Diagnostic> without = measured::without_lines(measured))
    input.messages.push_back(std::move(*without));
  summary::LaunchList launches(input.launches);
  for (measured::Counted& counted : measured::launches(measured)) {
    summary::Launch launch(std::move(counted.record));
    launch.counters = std::move(counted.counters);
    launches.add(std::move(launch));
  }
  add_source(measured, out);
  return out;
}

} // namespace

Result<std::string> saved_text(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  std::string out;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    out.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (out[0] == '\0') break; // /dev/zero has no end; nothing that is read here begins so
    if (out.size() > most_bytes)
      return failure(diag::error("report-unreadable", fmt::format("'{}' is too large for a report", path)));
  }
  std::error_code error;
  if (path != "-" && !std::filesystem::exists(path, error))
    return failure(diag::error(
        "report-unreadable", fmt::format("'{}' does not exist", path), {},
        path.find_first_of("*?[") == path.npos ? "check the path" : "no file's name matches this pattern"));
  if (in.bad() || (path != "-" && !file.is_open()))
    return failure(diag::error("report-unreadable", fmt::format("cannot read '{}'", path), {},
                               "give a file that 'warplens run --json FILE' wrote, or one of a profiler"));
  return out;
}

std::vector<std::string> with_patterns(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    glob_t found{};
    if (::access(name.c_str(), F_OK) != 0 && ::glob(name.c_str(), 0, nullptr, &found) == 0)
      out.insert(out.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    else
      out.push_back(name);
    ::globfree(&found);
  }
  return out;
}

static Result<report::Saved> read_with(report::ReportReader& reader, const std::string& file, bool foreign) {
  Result<std::string> text = saved_text(file);
  if (!text) return failure(text.error());
  const bool json = text->starts_with('{');
  if (!measured::is_measured(*text) &&
      (json || !(foreign || file.ends_with(".ncu-rep") || file.ends_with(".csv"))))
    return reader.read(*text, file);
  Result<measured::Measured> measured = measured::read(*text, file);
  if (!measured) return failure(measured.error());
  return saved_of(*measured, file);
}

Result<report::Saved> read_saved(const std::string& file, bool foreign) {
  report::ReportReader reader(0);
  return read_with(reader, file, foreign);
}

Result<report::Saved> read_saved(const std::vector<std::string>& files, bool foreign) {
  report::MergedRuns runs;
  report::ReportReader reader;
  for (const std::string& file : files) {
    Result<report::Saved> saved = read_with(reader, file, foreign);
    if (!saved) return failure(saved.error());
    if (Result<void> added = runs.add(std::move(*saved)); !added) return failure(added.error());
  }
  return std::move(runs).finish();
}

} // namespace warplens::driver
