// Configuration, baseline, comments and thresholds in the order of precedence: what the command line says holds; then
// .warplens.toml; then the table of rules.
#include "driver/gates.h"
#include "driver/outputs.h"
#include "findings/words.h"
#include "findings/writers.h"
#include "gates/own_rules.h"
#include "judge/judge.h"
#include "os/file.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using findings::Finding;
using findings::List;

constexpr double least_excess = 0.01; // of what an access moves: less is an edge, not a finding
constexpr std::size_t largest_baseline = std::size_t{256} << 20;

std::string here() {
  std::error_code error;
  return fs::current_path(error).string();
}

Result<gates::Config> configuration(const GateOptions& options) {
  if (options.no_config) return gates::Config{};
  const std::string file = options.config.empty() ? gates::find_config(here()) : options.config;
  return file.empty() ? gates::Config{} : gates::read_config(file);
}

Result<gates::Baseline> baseline_in(const std::string& file) {
  std::optional<std::string> text = os::read_file(file, largest_baseline);
  if (!text)
    return failure(diag::error("bad-baseline", fmt::format("cannot read the baseline '{}'", file), {},
                               "--write-baseline FILE makes one"));
  return gates::read_baseline(*text, file);
}

// Names of files for findings, and back to what compilers call them.
class Files {
public:
  explicit Files(report::SourceFiles& sources) : sources_(sources), here_(here()) {}

  std::string name(const std::string& file) {
    const std::string& real = sources_.path(file);
    const fs::path whole = (fs::path(here_) / (real.empty() ? file : real)).lexically_normal();
    const fs::path below = whole.lexically_relative(here_);
    std::string out = below.empty() || *below.begin() == ".." ? whole.string() : below.generic_string();
    original_.try_emplace(out, file);
    return out;
  }
  std::string_view text(const std::string& name) {
    auto file = original_.find(name);
    return file == original_.end() ? std::string_view() : std::string_view(sources_.text(file->second));
  }
  std::optional<std::string> line(const std::string& name, u32 number) {
    auto file = original_.find(name);
    return file == original_.end() ? std::nullopt : sources_.line(file->second, number);
  }

private:
  report::SourceFiles& sources_;
  std::string here_;
  std::map<std::string, std::string> original_;
};

Finding changed_since(const std::string& file) {
  Finding out{.rule = std::string(gates::own::unchecked_comment)};
  out.certainty = findings::Certainty::measured;
  out.place = {{file, 1, 0, {}}};
  out.message = "the file is not the one that ran any more: its comments for WarpLens are not read";
  out.fix = findings::Fix{"build and run the program again", {}, {}};
  return out;
}

// Of each file that accesses come from; of one that is not as it was, a finding instead.
std::vector<gates::Comments> comments_of(List& list, Files& files, const gates::Settings& settings,
                                         const std::set<std::string>& changed) {
  std::set<std::string> names, stale = changed;
  for (const findings::Access& access : list.accesses) {
    for (const access::SourceFrame& frame : access.place) names.insert(frame.file);
    if (access.place.empty() || access.source.empty()) continue;
    const access::SourceFrame& at = access.place.front();
    if (std::optional<std::string> now = files.line(at.file, at.line); now && *now != access.source)
      stale.insert(at.file);
  }
  std::vector<gates::Comments> out;
  for (const std::string& name : names) {
    if (!gates::covers(settings, name)) continue;
    gates::Comments of_file = gates::read_comments(name, files.text(name));
    if (of_file.all.empty() && of_file.malformed.empty()) continue;
    if (stale.contains(name))
      list.findings.push_back(changed_since(name));
    else
      out.push_back(std::move(of_file));
  }
  return out;
}

std::set<std::string> changed_files(const report::Model& model, Files& files) {
  std::set<std::string> out;
  for (const report::Kernel& kernel : model.kernels)
    for (const report::Line& line : kernel.lines)
      if (line.changed) out.insert(files.name(line.place.file));
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

std::string closing(const gates::Outcome& outcome, bool baseline_is_written) {
  std::string out;
  if (!outcome.gone.empty() && !baseline_is_written)
    out +=
        fmt::format("warplens: {} of the baseline {} no more: --write-baseline makes it anew\n",
                    outcome.gone.size() == 1 ? "a finding" : fmt::format("{} findings", outcome.gone.size()),
                    outcome.gone.size() == 1 ? "is" : "are");
  if (outcome.failing != 0)
    out += fmt::format("warplens: {} fail{}\n",
                       outcome.failing == 1 ? "a finding" : fmt::format("{} findings", outcome.failing),
                       outcome.failing == 1 ? "s" : "");
  return out;
}

Result<void> write_files(const List& list, const RunOptions& options, const Outputs& outputs,
                         const RunOutput& output) {
  const GateOptions& asked = options.gates;
  if (!asked.sarif.empty())
    if (auto done = outputs.write("--sarif", findings::sarif(list, options.version), output); !done)
      return done;
  if (!asked.findings.empty())
    if (auto done = outputs.write("--findings", findings::json(list, options.version), output); !done)
      return done;
  if (!asked.markdown.empty())
    if (auto done = outputs.write("--markdown", findings::markdown(list), output); !done) return done;
  if (!asked.write_baseline.empty())
    if (auto done = outputs.write("--write-baseline", gates::write_baseline(list, options.version), output);
        !done)
      return done;
  return {};
}

} // namespace

Result<Gates> Gates::prepare(const GateOptions& options) {
  Gates out;
  Result<gates::Config> config = configuration(options);
  if (!config) return failure(config.error());
  out.config_ = std::move(*config);
  gates::Settings& settings = out.settings_;
  settings.here = here();
  settings.folder = out.config_.folder.empty() ? settings.here : out.config_.folder;
  settings.include = out.config_.include;
  settings.exclude = out.config_.exclude;
  settings.least_excess = out.config_.least_excess.value_or(least_excess);
  settings.levels = out.config_.levels;
  settings.accepts = !options.write_baseline.empty();
  for (const std::string& level : options.levels)
    if (Result<void> added = gates::add_level(level, settings.levels); !added) return failure(added.error());
  settings.fail_on = out.config_.fail_on.value_or(std::vector<gates::Condition>());
  if (!options.fail_on.empty()) settings.fail_on.clear();
  for (const std::string& words : options.fail_on) {
    Result<std::vector<gates::Condition>> some = gates::parse_conditions(words, {});
    if (!some) return failure(some.error());
    settings.fail_on.insert(settings.fail_on.end(), some->begin(), some->end());
  }
  const std::string& baseline = options.baseline.empty() ? out.config_.baseline : options.baseline;
  if (!baseline.empty() && (!settings.accepts || !options.baseline.empty())) {
    Result<gates::Baseline> known = baseline_in(baseline);
    if (!known) return failure(known.error());
    settings.baseline = std::move(*known);
  }
  return out;
}

std::string Gates::sm() const { return fmt::format("{}", fmt::join(config_.sm, ",")); }

Result<u64> Gates::judge(const report::Model& model, report::SourceFiles& sources, const RunOptions& options,
                         const Outputs& outputs, const RunOutput& output) const {
  Files files(sources);
  List list = judge::findings_of(model, [&](const std::string& file) { return files.name(file); });
  const std::vector<gates::Comments> comments =
      comments_of(list, files, settings_, changed_files(model, files));
  const gates::Outcome outcome = gates::apply(list, settings_, comments);
  if (Result<void> written = write_files(list, options, outputs, output); !written)
    return failure(written.error());
  const auto text_of = [&](const std::string& file) { return files.text(file); };
  const bool on_stdout = options.report == "-" && !Outputs::takes_stdout(options);
  const auto& say = on_stdout ? output.out : output.err;
  std::string text =
      findings::text(options.gates.warnings ? list : worth_saying(list), text_of, options.colour);
  if (options.gates.github) text += findings::github(list);
  text += closing(outcome, settings_.accepts);
  if (!text.empty()) say(text);
  return outcome.failing;
}

} // namespace warplens::driver
