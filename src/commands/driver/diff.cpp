// What each side is: a saved report, a baseline, or else a program, which is run here. Then compare, judge and write.
#include "driver/diff.h"
#include "base/characters.h"
#include "diff/gate.h"
#include "diff/words.h"
#include "diff/writers.h"
#include "driver/findings/gates.h"
#include "driver/options/architectures.h"
#include "driver/options/outputs.h"
#include "driver/program/saved.h"
#include "driver/program/source_program.h"
#include "findings/finding.h"
#include "html/page.h"
#include "report/read.h"
#include "summary/access_findings.h"
#include "text/words.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <variant>

namespace warplens::driver {
namespace {

struct Input {
  std::string name;
  std::variant<summary::Model, gates::Baseline> content;
  const summary::Model* run() const { return std::get_if<summary::Model>(&content); }
};

// A baseline says so at its beginning; a list of findings begins right behind the tool's name, and a run's report does not.
bool is_baseline(std::string_view text) {
  const std::string_view begin = text.substr(0, 4096);
  return begin.find("\"warplens-baseline\"") != begin.npos ||
         begin.find("\"findings\"") < std::min(begin.find("\"target\""), begin.find("\"program\""));
}

Result<Input> from_run(Result<report::Saved> saved, const std::string& name, const DiffOptions& options) {
  if (!saved) return failure(saved.error());
  Result<summary::Model> model = report::build(*saved, {options.run.kernel});
  if (!model) return failure(model.error());
  return Input{name, std::move(*model)};
}

Result<Input> from_json(const std::string& text, const std::string& name, const DiffOptions& options) {
  if (is_baseline(text)) {
    Result<gates::Baseline> baseline = gates::read_baseline(text, name);
    if (!baseline) return failure(baseline.error());
    return Input{name, std::move(*baseline)};
  }
  return from_run(report::read_json(text, name), name, options);
}

// Is it to be read? Else it is to be run.
bool is_document(const std::string& side) {
  if (side == "-" || side.ends_with(".json")) return true;
  std::error_code error;
  return std::filesystem::is_regular_file(side, error) && std::ifstream(side).peek() == '{';
}

Result<Input> from_program(const std::string& side, const DiffOptions& options, const RunOutput& output) {
  Result<std::vector<std::string>> words = split_words(side);
  std::error_code error;
  if (std::filesystem::exists(side, error))
    words = std::vector<std::string>{side}; // blanks belong to the name
  if (!words) return failure(words.error());
  if (words->empty())
    return failure(diag::error("no-program", "there is neither a report nor a program in ''", {},
                               "warplens diff OLD NEW: reports of `warplens run --json FILE`, or programs"));
  RunOptions run = options.run;
  run.command = std::move(*words);
  Result<report::Saved> saved = run_saved(std::move(run), output);
  if (saved) return from_run(std::move(saved), side, options);
  diag::Diagnostic refused = saved.error();
  refused.notes.push_back(
      "a saved report is a file that ends in .json; a program is given with its arguments in quotes: "
      "warplens diff './old 64' './new 64'");
  return failure(std::move(refused));
}

Result<Input> read(const std::string& side, const DiffOptions& options, const RunOutput& output) {
  if (!is_document(side)) return from_program(side, options, output);
  Result<std::string> text = saved_text(side);
  if (!text) return failure(text.error());
  return from_json(*text, side, options);
}

// What the run would have as its baseline.
Result<gates::Baseline> baseline_of(const Input& input, std::string_view version) {
  if (input.run() == nullptr) return std::get<gates::Baseline>(input.content);
  const findings::List list = summary::findings_of(*input.run(), from_here);
  return gates::read_baseline(gates::write_baseline(list, version), input.name);
}

Result<u32> asked_architecture(const DiffOptions& options) {
  if (!options.run.sm_given) return 0;
  Result<std::vector<const arch::Architecture*>> all = architectures_named(options.run.sm);
  if (!all) return failure(all.error());
  return all->front()->sm;
}

Result<std::vector<diff::Match>> matches_of(const DiffOptions& options) {
  std::vector<diff::Match> out;
  for (const std::string& match : options.matches) {
    const std::size_t equals = match.find('=');
    if (equals == match.npos || equals == 0 || equals + 1 == match.size())
      return failure(diag::error("diff-match", fmt::format("--match '{}' is not OLD=NEW", match), {},
                                 "write --match OLD=NEW with names of kernels as the report has them"));
    out.emplace_back(match.substr(0, equals), match.substr(equals + 1));
  }
  return out;
}

Result<diff::Model> compare(const Input& before, const Input& after, const DiffOptions& options) {
  Result<u32> sm = asked_architecture(options);
  if (!sm) return failure(sm.error());
  Result<std::vector<diff::Match>> matches = matches_of(options);
  if (!matches) return failure(matches.error());
  if (before.run() != nullptr && after.run() != nullptr)
    return diff::compare(diff::Run{before.name, *before.run()}, diff::Run{after.name, *after.run()}, *sm,
                         *matches);
  if (!matches->empty())
    return failure(diag::error("diff-match", "--match is of runs; findings have no kernels to pair", {},
                               "give reports that `warplens run --json FILE` wrote, or programs"));
  const auto of_check = [](const Input& input) {
    return input.run() == nullptr && !std::get<gates::Baseline>(input.content).of_run.value_or(true);
  };
  if (of_check(before) != of_check(after))
    return failure(diag::error(
        "diff-baseline",
        fmt::format("'{}' is of warplens check, and '{}' of a run", (of_check(before) ? before : after).name,
                    (of_check(before) ? after : before).name),
        {}, "check has the worst case, and a run what it counted: give two of one kind"));
  Result<gates::Baseline> old_findings = baseline_of(before, options.run.version),
                          new_findings = baseline_of(after, options.run.version);
  if (!old_findings) return failure(old_findings.error());
  if (!new_findings) return failure(new_findings.error());
  return diff::compare(diff::Findings{before.name, *old_findings}, diff::Findings{after.name, *new_findings},
                       *sm);
}

Result<Outputs> outputs_of(const DiffOptions& options) {
  const std::vector<std::string> inputs{options.before, options.after};
  if (Result<void> streams = Outputs::check_streams(inputs); !streams) return failure(streams.error());
  Outputs::Named named;
  for (const auto& [option, path] :
       {std::pair("--json", &options.run.json), std::pair("--html", &options.run.html),
        std::pair("--markdown", &options.markdown), std::pair("--report", &options.run.report)})
    if (!path->empty()) named.emplace_back(option, *path);
  return Outputs::prepare(named, inputs, "diff", "what is compared");
}

Result<void> write(const diff::Model& model, const std::vector<std::string>& fails,
                   const DiffOptions& options, const Outputs& outputs, const RunOutput& output) {
  if (Result<void> done = outputs.write("--json", diff::json(model, fails, options.run.version), output);
      !done)
    return done;
  if (!options.run.html.empty())
    if (Result<void> done = outputs.write("--html",
                                          html::diff_page(diff::json(model, fails, options.run.version),
                                                          model.before.name + " → " + model.after.name),
                                          output);
        !done)
      return done;
  if (Result<void> done = outputs.write("--markdown", diff::markdown(model, fails), output); !done)
    return done;
  const bool to_file = !options.run.report.empty() && options.run.report != "-";
  const diff::Shape shape{options.run.width, to_file ? options.run.colour_of_file : options.run.colour,
                          options.top_lines, options.top_kernels};
  if (to_file) return outputs.write("--report", diff::terminal(model, shape), output);
  if (outputs.take_stdout()) return {};
  const std::string text = diff::terminal(model, shape);
  if (output.paged(text) || output.out(text)) return {};
  return failure(diag::error("report-unwritable", "the report could not be written", {},
                             "check the space on the disk, or where the output goes"));
}

// Those of the command line, else those of .warplens.toml.
Result<std::vector<diff::Condition>> conditions_of(const DiffOptions& options) {
  std::vector<std::pair<std::string, diag::Span>> all;
  for (const std::string& words : options.fail_on) all.push_back({words, {}});
  if (all.empty()) {
    Result<gates::Config> config = configuration(options.run.gates);
    if (!config) return failure(config.error());
    all = config->diff_fail_on;
  }
  std::vector<diff::Condition> out;
  for (const auto& [words, where] : all) {
    Result<std::vector<diff::Condition>> some = diff::parse_conditions(words);
    if (!some) {
      diag::Diagnostic error = some.error();
      error.span = where;
      return failure(std::move(error));
    }
    out.insert(out.end(), some->begin(), some->end());
  }
  return out;
}

} // namespace

int diff(const DiffOptions& options, const RunOutput& output) {
  constexpr int cannot = 2;
  auto refuse = [&](const diag::Diagnostic& diagnostic) {
    output.err("warplens: " + diag::render(diagnostic, configuration_at(diagnostic), options.run.colour));
    return cannot;
  };
  Result<std::vector<diff::Condition>> conditions = conditions_of(options);
  if (!conditions) return refuse(conditions.error());
  Result<Outputs> outputs = outputs_of(options);
  if (!outputs) return refuse(outputs.error());
  if (options.before == "-" && options.after == "-")
    return refuse(
        diag::error("diff-one-input", "both sides are standard input", {}, "give one of them as a file"));
  Result<Input> before = read(options.before, options, output);
  if (!before) return refuse(before.error());
  Result<Input> after = read(options.after, options, output);
  if (!after) return refuse(after.error());
  Result<diff::Model> model = compare(*before, *after, options);
  if (!model) return refuse(model.error());
  const std::vector<std::string> fails = diff::failures(*model, *conditions);
  if (Result<void> written = write(*model, fails, options, *outputs, output); !written)
    return refuse(written.error());
  for (const std::string& text : fails)
    output.err("warplens: fails: " + one_line(text::with_plain_blanks(text)) + '\n');
  const bool whole = model->before.complete && model->after.complete;
  if (options.strict && !whole) output.err("warplens: fails: a side is not complete\n");
  if (!diff::is_comparable(*model)) return cannot;
  return fails.empty() && (!options.strict || whole) ? 0 : 1;
}

} // namespace warplens::driver
