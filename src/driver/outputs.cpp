#include "driver/outputs.h"
#include "report/json.h"
#include "report/terminal.h"
#include <fmt/format.h>

namespace warplens::driver {
namespace {

bool is_file(const std::string& output) { return !output.empty() && output != "-"; }

Result<void> check(const RunOptions& options, const std::vector<std::string>& inputs,
                   std::string_view command, std::string_view whose) {
  for (auto [option, output] : {std::pair("--json", options.json), {"--report", options.report}}) {
    if (!is_file(output)) continue;
    for (const std::string& input : inputs)
      if (os::is_same_file(output, input))
        return failure(diag::error(
            "output-is-input",
            fmt::format("{} would write over '{}', which belongs to {}", option, input, whose), {},
            fmt::format("give {} another file: warplens {} {} FILE …", option, command, option)));
  }
  if (is_file(options.json) && is_file(options.report) && os::is_same_file(options.json, options.report))
    return failure(diag::error("output-is-output",
                               fmt::format("--json and --report would both write '{}'", options.json), {},
                               "give each a file of its own"));
  return {};
}

Result<void> prepare_file(std::optional<os::OutputFile>& file, const std::string& path) {
  if (!is_file(path)) return {};
  Result<os::OutputFile> prepared = os::OutputFile::prepare(path);
  if (!prepared) return failure(prepared.error());
  file = std::move(*prepared);
  return {};
}

} // namespace

Result<Outputs> Outputs::prepare(const RunOptions& options, const std::vector<std::string>& inputs,
                                 std::string_view command, std::string_view whose) {
  Outputs out;
  if (Result<void> fine = check(options, inputs, command, whose); !fine) return failure(fine.error());
  if (Result<void> json = prepare_file(out.json_, options.json); !json) return failure(json.error());
  if (Result<void> text = prepare_file(out.text_, options.report); !text) return failure(text.error());
  return out;
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

Result<void> Outputs::write(const RunOptions& options, const report::Model& model,
                            const RunOutput& output) const {
  auto lost = [] {
    return failure(diag::error("report-unwritable", "the report could not be written", {},
                               "check the space on the disk, or where the output goes"));
  };
  Result<void> json, text;
  if (json_)
    json = json_->write(report::json(model, options.version));
  else if (options.json == "-" && !output.out(report::json(model, options.version)))
    json = lost();
  report::TerminalOptions shape{options.width,       text_ ? options.colour_of_file : options.colour,
                                options.details,     options.top_lines,
                                options.top_kernels, options.summary};
  if (text_) {
    text = text_->write(report::terminal(model, shape));
    if (text) output.err(fmt::format("warplens: the report is in {}\n", options.report));
  } else if (options.json != "-") { // else a program reads this run
    std::string shown = report::terminal(model, shape);
    if (!(options.report == "-" ? output.out(shown) : output.err(shown))) text = lost();
  }
  return json ? text : json;
}

} // namespace warplens::driver
