// Read or run the sides, compare, write.
#include "driver/compare.h"
#include "compare/compare.h"
#include "driver/options/outputs.h"
#include "driver/program/saved.h"
#include "driver/program/source_program.h"
#include "html/page.h"
#include "os/elf.h"
#include "os/environment.h"
#include "os/file.h"
#include "source/source.h"
#include "summary/summable.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

constexpr int cannot = 2;

bool is_program(const std::string& file) {
  if (is_source_file(file)) return true;
  const os::MappedFile content(file.c_str()); // of which its header is read
  return os::elf_kind(content.bytes()) == os::ElfKind::native;
}

Result<report::Saved> run_program(const std::string& program, const CompareOptions& options,
                                  const RunOutput& output) {
  Result<std::vector<std::string>> words = split_words(options.arguments);
  if (!words) return failure(words.error());
  RunOptions run;
  run.command = {program};
  run.command.insert(run.command.end(), words->begin(), words->end());
  run.sm = options.sm, run.sm_given = true;
  run.colour = options.colour;
  run.version = options.version;
  return run_saved(std::move(run), output);
}

Result<std::vector<compare::Reason>> accepted(const std::vector<std::string>& names) {
  std::vector<compare::Reason> out;
  for (const std::string& name : names) {
    std::optional<compare::Reason> reason = compare::reason_called(name);
    if (!reason)
      return failure(
          diag::error("bad-option", fmt::format("--accept '{}' is no reason", name), {},
                      "docs/do/measure-on-a-gpu.md lists them: predicated, widened, merged, registers, "
                      "spilled, contended, timing, …"));
    out.push_back(*reason);
  }
  return out;
}

struct Sides {
  std::vector<report::Saved> runs;
  std::vector<compare::Side> sides; // point into `runs`
};

Result<Sides> read(const CompareOptions& options, const RunOutput& output) {
  Sides out;
  for (const std::string& file : options.sides) {
    Result<report::Saved> saved =
        file != "-" && is_program(file) ? run_program(file, options, output) : read_saved(file, true);
    if (!saved) {
      diag::Diagnostic bad = saved.error();
      if (std::error_code error; file.find(' ') != file.npos && !fs::exists(file, error))
        bad.help =
            "--arguments gives both programs the same arguments; warplens diff takes each with its own";
      return failure(std::move(bad));
    }
    summary::make_summable(saved->input);
    out.runs.push_back(std::move(*saved));
  }
  for (std::size_t i = 0; i < out.runs.size(); ++i)
    out.sides.push_back({options.sides[i], &out.runs[i].input});
  return out;
}

Result<compare::Model> compared(const CompareOptions& options, const Sides& sides) {
  Result<std::vector<compare::Reason>> reasons = accepted(options.accepted);
  if (!reasons) return failure(reasons.error());
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  source::SourceFiles files({here}, {here, here, os::variable("HOME"), {}});
  std::vector<summary::SourceLines> sources;
  for (const report::Saved& run : sides.runs)
    sources.push_back([&](const std::string& file, u32 line) {
      auto found = run.source.find({file, line});
      return found != run.source.end() ? std::optional(found->second) : std::nullopt;
    });
  const auto on_disk = [&](const std::string& file, u32 line) { return files.line(file, line); };
  return compare::compare(sides.sides, sources, on_disk,
                          {options.tolerance, std::move(*reasons), options.kernel});
}

} // namespace

int compare(const CompareOptions& options, const RunOutput& output) {
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, {}, options.colour));
    return cannot;
  };
  Outputs::Named named;
  if (!options.json.empty()) named.emplace_back("--json", options.json);
  if (!options.html.empty()) named.emplace_back("--html", options.html);
  Result<Outputs> outputs = Outputs::prepare(named, options.sides, "compare", "what is compared");
  if (!outputs) return refuse(outputs.error());
  Result<Sides> sides = read(options, output);
  if (!sides) return refuse(sides.error());
  Result<compare::Model> model = compared(options, *sides);
  if (!model) return refuse(model.error());
  if (!options.json.empty())
    if (Result<void> written = outputs->write("--json", compare::json(*model, options.version), output);
        !written)
      return refuse(written.error());
  if (!options.html.empty()) {
    std::string title;
    for (const std::string& side : options.sides)
      title += (title.empty() ? "" : " · ") + fs::path(side).filename().string();
    const std::string page = html::compare_page(compare::json(*model, options.version), title);
    if (Result<void> written = outputs->write("--html", page, output); !written)
      return refuse(written.error());
  }
  if (!outputs->take_stdout() &&
      !output.out(compare::terminal(*model, options.width, options.colour, options.top_lines)))
    return cannot;
  return model->differs ? 1 : 0;
}

} // namespace warplens::driver
