// Read, merge, build, write. What a report was made of is in it (report/read.h), source lines too: the program is not
// looked at, and its source only for the comments that findings are held to, and for --html, which shows a file as long as
// the lines that the report holds are still there.
#include "driver/report.h"
#include "driver/outputs.h"
#include "driver/run_findings.h"
#include "os/environment.h"
#include "os/file.h"
#include "report/read.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <sstream>

namespace warplens::driver {
namespace {

Result<report::Saved> read(const std::vector<std::string>& files) {
  std::vector<report::Saved> runs;
  for (const std::string& file : files) {
    Result<std::string> text = saved_text(file);
    if (!text) return failure(text.error());
    Result<report::Saved> saved = report::read_json(*text, file);
    if (!saved) return failure(saved.error());
    runs.push_back(std::move(*saved));
  }
  return report::merge(std::move(runs));
}

Result<report::Model> prepare_and_build(const ReportOptions& options, std::optional<Outputs>& outputs) {
  if (Result<void> streams = Outputs::check_streams(options.files); !streams) return failure(streams.error());
  if (Result<void> filter = report::check_kernel_filter(options.shown.kernel); !filter)
    return failure(filter.error());
  Result<Outputs> prepared = Outputs::prepare(options.shown, options.files, "report", "what is shown");
  if (!prepared) return failure(prepared.error());
  outputs = std::move(*prepared);
  Result<report::Saved> saved = read(options.files);
  if (!saved) return failure(saved.error());
  return report::build(*saved, {options.shown.kernel});
}

} // namespace

Result<std::string> saved_text(const std::string& path) {
  // A report of a hundred thousand kernels has some hundred megabytes.
  constexpr std::size_t most_bytes = std::size_t{4} << 30;
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  std::string out;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    out.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (out[0] == '\0') break; // /dev/zero has no end; no report begins so
    if (out.size() > most_bytes)
      return failure(diag::error("report-unreadable", fmt::format("'{}' is too large for a report", path)));
  }
  if (in.bad() || (path != "-" && !file.is_open()))
    return failure(diag::error("report-unreadable", fmt::format("cannot read '{}'", path), {},
                               "give a file that 'warplens run --json FILE' wrote"));
  return out;
}

int report(const ReportOptions& options, const RunOutput& output) {
  constexpr int cannot = 2;
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, configuration_at(diagnostic), options.shown.colour));
    return cannot;
  };
  Result<Gates> gates = Gates::prepare(options.shown.gates);
  if (!gates) return refuse(gates.error());
  std::optional<Outputs> outputs;
  Result<report::Model> model = prepare_and_build(options, outputs);
  if (!model) return refuse(model.error());
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  report::SourceFiles sources({here}, {here, here, os::variable("HOME"), {}});
  if (Result<void> written = outputs->write(options.shown, *model, sources, output); !written)
    return refuse(written.error());
  Result<u64> failing = hold_run(*gates, *model, sources, options.shown, *outputs, output);
  if (!failing) return refuse(failing.error());
  return *failing != 0 || (options.shown.strict && !report::passes_strict(*model)) ? 1 : 0;
}

} // namespace warplens::driver
