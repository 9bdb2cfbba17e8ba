// Findings of a run: where its report says that accesses are, in the files that it may quote.
#include "driver/findings/run_findings.h"
#include "driver/findings/clang_edits.h"
#include "driver/options/architectures.h"
#include "driver/options/outputs.h"
#include "driver/program/source_program.h"
#include "findings/writers.h"
#include "fix/propose.h"
#include "gates/own_rules.h"
#include "summary/access_findings.h"
#include <fmt/format.h>

namespace warplens::driver {
namespace {

using findings::Finding;
using findings::List;

// Names of files for findings, and back to what compilers call them.
class Files {
public:
  explicit Files(source::SourceFiles& sources) : sources_(sources) {}

  std::string name(const std::string& file) {
    const std::string& real = sources_.path(file);
    const std::string out = from_here(real.empty() ? file : real);
    original_.try_emplace(out, file);
    return out;
  }
  std::string_view text(const std::string& name) {
    auto file = original_.find(name);
    return file == original_.end() ? std::string_view() : std::string_view(sources_.text(file->second));
  }
  std::string path(const std::string& name) {
    auto file = original_.find(name);
    return file == original_.end() ? std::string() : sources_.path(file->second);
  }
  std::optional<std::string> line(const std::string& name, u32 number) {
    auto file = original_.find(name);
    return file == original_.end() ? std::nullopt : sources_.line(file->second, number);
  }

private:
  source::SourceFiles& sources_;
  std::map<std::string, std::string> original_;
};

// Files whose lines are not those that ran: newer than the program, or not as the report has them.
std::set<std::string> changed_files(const summary::Model& model, const List& list, Files& files) {
  std::set<std::string> out;
  for (const summary::Kernel& kernel : model.kernels)
    for (const summary::Line& line : kernel.lines)
      if (line.changed) out.insert(files.name(line.place.file));
  for (const findings::JudgedAccess& access : list.accesses) {
    if (access.place.empty() || access.source.empty()) continue;
    const access::SourceFrame& at = access.place.front();
    if (std::optional<std::string> now = files.line(at.file, at.line); now && *now != access.source)
      out.insert(at.file);
  }
  return out;
}

// What is said on the terminal where --warnings does not ask for everything: what fails, and what comments want.
List worth_saying(const List& list) {
  List out{.all = list.all};
  for (const Finding& finding : list.findings)
    if (!finding.standing.fails.empty() || gates::is_about_comments(finding.rule))
      out.findings.push_back(finding);
  return out;
}

bool wants_findings(const RunOptions& options) {
  return options.warnings || options.verify_fix || options.gates.github || options.gates.fix ||
         !Outputs::named(options.gates).empty();
}

// Most programs have none, and nobody asks for their findings.
bool has_comments(const summary::Model& model, source::SourceFiles& sources) {
  std::set<std::string> seen;
  for (const summary::Kernel& kernel : model.kernels)
    for (const summary::Line& line : kernel.lines)
      for (const summary::AccessRow& row : line.rows)
        for (const access::SourceFrame& frame : row.site.frames)
          if (!source::is_library_file(frame.file) && seen.insert(frame.file).second) {
            const gates::Comments comments = gates::read_comments(frame.file, sources.text(frame.file));
            if (!comments.all.empty() || !comments.malformed.empty()) return true;
          }
  return false;
}

// The sources that findings are in, as they were compiled. Of a program that was compiled elsewhere, its parts may have been
// linked with each other.
Result<std::vector<CheckInput>> sources_of(const List& list, Files& files, const RunOptions& options) {
  Result<std::vector<std::string>> words = split_words(options.compile_options);
  if (!words) return failure(words.error());
  if (options.command.empty() || !is_source_file(options.command[0])) words->push_back("-rdc=true");
  std::map<std::string, std::string> paths;
  for (const Finding& finding : list.findings)
    if (!finding.place.empty()) paths[finding.place.front().file];
  std::vector<CheckInput> out;
  for (auto& [name, path] : paths)
    if (path = files.path(name); !path.empty()) out.push_back({path, *words, {}});
  return out;
}

Result<void> make_fixes(const List& list, Files& files, const RunOptions& options, const Outputs& outputs,
                        const RunOutput& output, Patch& out) {
  if (!options.gates.fix && !options.gates.fix_dry_run && !options.verify_fix) return {};
  std::string said;
  const std::vector<FixGroup> groups = fix_groups(list, said);
  out = patch_of(
      groups, [&](const std::string& file) { return files.text(file); },
      [&](const std::string& file) { return files.path(file); });
  said += out.empty() ? "warplens: no finding has a fix that could be made in the source\n"
                      : fmt::format("warplens: {}\n", fixes_text(groups, out));
  if (options.gates.fix_dry_run) said += out.diff_hint();
  output.err(diag::without_controls(said));
  return outputs.write("--fix-dry-run", out.diff(), output);
}

} // namespace

Result<HeldRun> hold_run(const Gates& gates, const summary::Model& model, source::SourceFiles& sources,
                         const RunOptions& options, const Outputs& outputs, const RunOutput& output) {
  HeldRun out;
  if (!gates.asks() && !wants_findings(options) && !has_comments(model, sources)) return out;
  Files files(sources);
  List list = summary::findings_of(model, [&](const std::string& file) { return files.name(file); });
  const auto text_of = [&](const std::string& file) { return files.text(file); };
  const std::set<std::string> changed = changed_files(model, list, files);
  const auto as_it_ran = [&](const std::string& file) {
    return changed.contains(file) ? "" : files.text(file);
  };
  fix::show(list, as_it_ran);
  if (gates.asks() || wants_findings(options)) {
    Result<std::vector<CheckInput>> compiled = sources_of(list, files, options);
    auto rows = architectures_named(options.sm);
    if (!compiled || !rows) return failure(compiled ? rows.error() : compiled.error());
    fix::propose(list, as_it_ran, clang_editor(std::move(*compiled), rows->front()->sm, as_it_ran));
  }
  const bool is_filtered = !options.kernel.empty() || !options.nvtx_include.empty() || options.launches ||
                           options.per_kernel || options.launch_skip != 0;
  const Gates::Held held = gates.hold(list, {text_of, changed, {}, {}, is_filtered});
  out.failing = held.failing;
  out.answered = held.answered;
  if (Result<void> written = write_findings(list, text_of, options.gates, options.version, outputs, output);
      !written)
    return failure(written.error());
  std::string text = findings::text(options.warnings ? list : worth_saying(list), as_it_ran, options.colour);
  if (options.gates.github) text += findings::github(list);
  text += held.said;
  const bool on_stdout = options.report == "-" && !Outputs::takes_stdout(options);
  if (!text.empty()) (on_stdout ? output.out : output.err)(text);
  if (Result<void> made = make_fixes(list, files, options, outputs, output, out.fixes); !made)
    return failure(made.error());
  return out;
}

} // namespace warplens::driver
