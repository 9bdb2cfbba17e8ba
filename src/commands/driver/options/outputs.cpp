// Which options name files, what may go to standard output, and the check that no output is an input. See outputs.h.
#include "driver/options/outputs.h"
#include "base/characters.h"
#include "driver/options/rank_names.h"
#include "html/page.h"
#include "report/json.h"
#include "report/terminal.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

using Named = Outputs::Named;

bool is_file(const std::string& output) { return output != "-"; }

// Those that were given.
Named given(Named outputs) {
  std::erase_if(outputs, [](const auto& output) { return output.second.empty(); });
  return outputs;
}

bool is_data_on_stdout(const std::string& option, const std::string& path) {
  return option != "--report" && path == "-";
}

// Named as source code is, which no report is: of a program, of which not all sources are known.
bool is_source_code(const std::string& path) {
  constexpr std::string_view extensions[] = {".cu", ".cuh", ".c",   ".cc",  ".cpp", ".cxx", ".h",
                                             ".hh", ".hpp", ".hxx", ".inl", ".ptx", ".py",  ".jl"};
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::ranges::find(extensions, std::filesystem::path(path).extension().string()) !=
             std::end(extensions);
}

Result<void> check(const Named& outputs, const std::vector<std::string>& inputs, std::string_view command,
                   std::string_view whose) {
  for (const auto& [option, output] : outputs) {
    if (!is_file(output)) continue;
    for (const std::string& input : inputs)
      if (os::is_same_file(output, input))
        return failure(diag::error(
            "output-is-input",
            fmt::format("{} would write over '{}', which belongs to {}", option, input, whose), {},
            fmt::format("give {} another file: warplens {} {} FILE …", option, command, option)));
    if (is_source_code(output))
      return failure(diag::error(
          "output-is-source", fmt::format("{} would write over '{}', which is source code", option, output),
          {}, fmt::format("give {} another file: warplens {} {} FILE …", option, command, option)));
  }
  for (std::size_t a = 0; a < outputs.size(); ++a)
    for (std::size_t b = a + 1; b < outputs.size(); ++b) {
      const auto& [first, one] = outputs[a];
      const auto& [second, other] = outputs[b];
      const bool same = is_file(one) && is_file(other) ? os::is_same_file(one, other) : one == other;
      // `report` has its text on standard output, unless that is wanted for something else.
      if (!same || (first == "--report" || second == "--report" ? !is_file(one) : false)) continue;
      return failure(diag::error("output-is-output",
                                 fmt::format("{} and {} would both write '{}'", first, second, one), {},
                                 "give each a file of its own"));
    }
  return {};
}

report::Grouping grouping(std::string_view word) {
  using report::Grouping;
  return word == "line"     ? Grouping::line
         : word == "kernel" ? Grouping::kernel
         : word == "file"   ? Grouping::file
         : word == "array"  ? Grouping::array
         : word == "range"  ? Grouping::range
                            : Grouping::none;
}

} // namespace

Named Outputs::named(const RunOptions& options) {
  Named out = given({{"--json", options.json}, {"--html", options.html}, {"--report", options.report}});
  for (auto& output : named(options.gates)) out.push_back(std::move(output));
  return out;
}

Named Outputs::named(const GateOptions& options) {
  return given({{"--sarif", options.sarif},
                {"--findings", options.findings},
                {"--junit", options.junit},
                {"--gitlab", options.gitlab},
                {"--markdown", options.markdown},
                {"--write-baseline", options.write_baseline},
                {"--fix-dry-run", options.fix_dry_run ? "-" : ""}}); // a diff for `patch`, and nothing else
}

Result<Outputs> Outputs::prepare(Named outputs, const std::vector<std::string>& inputs,
                                 std::string_view command, std::string_view whose) {
  for (auto& [option, path] : outputs) {
    Result<std::string> filled = filled_in(path, job_of_launcher());
    if (!filled) return failure(filled.error());
    path = std::move(*filled);
  }
  return open(outputs, inputs, command, whose);
}

Result<Outputs> Outputs::open(const Named& outputs, const std::vector<std::string>& inputs,
                              std::string_view command, std::string_view whose) {
  Outputs out;
  if (Result<void> fine = check(outputs, inputs, command, whose); !fine) return failure(fine.error());
  for (const auto& [option, path] : outputs) {
    out.outputs_.push_back({option, path, {}});
    if (!is_file(path)) continue;
    Result<os::OutputFile> prepared = os::OutputFile::prepare(path);
    if (!prepared) return failure(prepared.error());
    out.outputs_.back().file = std::move(*prepared);
  }
  return out;
}

Result<Outputs> Outputs::prepare(const RunOptions& options, const std::vector<std::string>& inputs,
                                 std::string_view command, std::string_view whose) {
  return open(named(options), inputs, command, whose);
}

bool Outputs::takes_stdout(const RunOptions& options) {
  return std::ranges::any_of(
      named(options), [](const auto& output) { return is_data_on_stdout(output.first, output.second); });
}

bool Outputs::take_stdout() const {
  return std::ranges::any_of(
      outputs_, [](const Output& output) { return is_data_on_stdout(output.option, output.path); });
}

const Outputs::Output* Outputs::at(std::string_view option) const {
  auto found = std::ranges::find(outputs_, option, &Output::option);
  return found == outputs_.end() ? nullptr : &*found;
}

Result<void> Outputs::write(std::string_view option, std::string_view text, const RunOutput& output) const {
  const Output* to = at(option);
  if (to == nullptr) return {};
  if (to->file) return to->file->write(text);
  if (output.out(text)) return {};
  return failure(diag::error("report-unwritable", "the report could not be written", {},
                             "check the space on the disk, or where the output goes"));
}

Result<void> Outputs::check_streams(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    for (const char* stream : {"/dev/stdout", "/dev/stderr"})
      if (os::is_same_file(stream, input == "-" ? "/dev/stdin" : input))
        return failure(diag::error("output-is-input",
                                   fmt::format("the output would go into '{}', which is read", input), {},
                                   "send the output to another file"));
  return {};
}

Result<void> Outputs::write(const RunOptions& options, const summary::Model& model,
                            source::SourceFiles& sources, const RunOutput& output) const {
  Result<void> json, html, text;
  if (at("--json") != nullptr) json = write("--json", report::json(model, options.version), output);
  if (at("--html") != nullptr) {
    auto source = [&](const std::string& file) { return sources.text(file); };
    html = write("--html", html::page(model, source, options.version), output);
  }
  const Output* report = at("--report");
  const bool to_file = report != nullptr && report->file;
  report::TerminalOptions shape{
      options.width,
      to_file ? options.colour_of_file : options.colour,
      options.details,
      options.top_lines,
      options.top_kernels,
      options.lines,
      grouping(options.group_by),
      options.annotate,
      [&](const std::string& file) { return std::string_view(sources.text(file)); }};
  if (to_file) {
    text = write("--report", report::terminal(model, shape), output);
    if (text && options.report != nowhere)
      output.err(fmt::format("warplens: the report is in {}\n", one_line(options.report)));
  } else if (!takes_stdout(options)) { // else a program reads this run
    const std::string shown = report::terminal(model, shape);
    if (output.paged(shown)) return json ? html : json;
    if (report != nullptr)
      text = write("--report", shown, output);
    else if (!output.err(shown))
      text = failure(diag::error("report-unwritable", "the report could not be written", {},
                                 "check the space on the disk, or where the output goes"));
  }
  return !json ? json : !html ? html : text;
}

} // namespace warplens::driver
