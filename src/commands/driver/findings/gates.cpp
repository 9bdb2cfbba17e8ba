// Configuration, baseline, comments and thresholds in the order of precedence: what the command line says holds; then
// .warplens.toml; then the table of rules.
#include "driver/findings/gates.h"
#include "base/characters.h"
#include "driver/findings/compile_command.h"
#include "driver/options/outputs.h"
#include "driver/program/source_program.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "gates/own_rules.h"
#include "launcher/words.h"
#include "os/file.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

Result<gates::Baseline> baseline_in(const std::string& file) {
  std::optional<std::string> text = os::read_file(file, largest_baseline);
  if (!text)
    return failure(diag::error("bad-baseline", fmt::format("cannot read the baseline '{}'", file), {},
                               "--write-baseline FILE makes one"));
  return gates::read_baseline(*text, file);
}

Finding changed_since(const std::string& file) {
  constexpr findings::Rule rule = findings::Rule::unchecked_comment;
  Finding out{.rule = rule, .severity = findings::entry(rule).severity};
  out.certainty = findings::Certainty::measured;
  out.place = {{file, 1, 0, {}}};
  out.message = "the file is not the one that was judged any more: its comments for WarpLens are not read";
  out.fix = findings::Fix{"build and run the program again", {}, {}};
  return out;
}

// That accesses come from.
std::set<std::string> files_of(const List& list) {
  std::set<std::string> out;
  for (const findings::JudgedAccess& access : list.accesses)
    for (const access::SourceFrame& frame : access.place) out.insert(frame.file);
  return out;
}

std::set<std::string> kernels_of(const List& list) {
  std::set<std::string> out;
  for (const findings::JudgedAccess& access : list.accesses) out.insert(access.kernel);
  return out;
}

// Of each file that accesses come from; of one that is not as it was, a finding instead.
std::vector<gates::Comments> comments_of(List& list, const FindingSources& sources,
                                         const gates::Settings& settings) {
  std::vector<gates::Comments> out;
  for (const std::string& name : files_of(list)) {
    if (!gates::covers(settings, name)) continue;
    gates::Comments of_file = gates::read_comments(name, sources.text(name));
    std::erase_if(of_file.all, [&](const gates::Comment& comment) {
      return comment.ignore && comment.ignore != findings::Rule::over_threshold && !sources.rules.empty() &&
             std::ranges::find(sources.rules, *comment.ignore) == sources.rules.end();
    });
    if (of_file.all.empty() && of_file.malformed.empty()) continue;
    if (sources.changed.contains(name))
      list.findings.push_back(changed_since(name));
    else
      out.push_back(std::move(of_file));
  }
  return out;
}

std::string counted(u64 count) { return count == 1 ? "a finding" : fmt::format("{} findings", count); }

// "2 of 3 files were not judged: a.cu, b.cu"
std::string gaps_with_files(const List& list) {
  constexpr std::size_t most = 10;
  std::set<std::string> files;
  for (const diag::Diagnostic& gap : list.gaps)
    if (!gap.span.file.empty()) files.insert(gap.span.file);
  std::string out = findings::gaps_text(list);
  std::size_t n = 0;
  for (const std::string& file : files)
    if (++n <= most) out += (n == 1 ? ": " : ", ") + one_line(file);
  return n > most ? fmt::format("{} and {} more", out, n - most) : out;
}

} // namespace

Result<gates::Config> configuration(const GateOptions& options) {
  if (options.no_config) return gates::Config{};
  const std::string file = options.config.empty() ? gates::find_config(here()) : options.config;
  return file.empty() ? gates::Config{} : gates::read_config(file);
}

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
  out.write_baseline_ = options.write_baseline;
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

template <class Options> Result<void> Gates::complete_compiling(Options& o) const {
  if (!o.sm_given && !config_.sm.empty()) o.sm = fmt::format("{}", fmt::join(config_.sm, ","));
  if (!o.compiler_given && !config_.compiler.empty()) o.compiler = config_.compiler;
  if (o.compile_options.empty() && !config_.compile_options.empty()) {
    Result<std::vector<std::string>> words = split_words(config_.compile_options);
    if (!words) {
      diag::Diagnostic error = words.error();
      error.kind = "bad-config";
      error.span = config_.compile_options_place;
      return failure(std::move(error));
    }
    o.compile_options = config_.compile_options;
    if (!config_.folder.empty() && config_.folder != here()) { // paths are from the file, as others in it
      std::vector<std::string> quoted;
      for (const std::string& word : with_absolute_paths(*words, config_.folder, o.compiler != "clang"))
        quoted.push_back(launcher::quoted(word));
      o.compile_options = fmt::format("{}", fmt::join(quoted, " "));
    }
  }
  return {};
}

Result<void> Gates::complete(RunOptions& o) const { return complete_compiling(o); }

Result<void> Gates::complete(CheckOptions& o) const {
  if (Result<void> done = complete_compiling(o); !done) return done;
  if (o.block.empty() && config_.block)
    o.block = fmt::format("{},{},{}", config_.block->x, config_.block->y, config_.block->z);
  o.usual_arguments = config_.set;
  return {};
}

void Gates::fail_by_default(std::string_view condition) {
  if (settings_.fail_on.empty() && !settings_.baseline)
    settings_.fail_on = {*gates::parse_condition(condition, {})};
}

std::string Gates::closing(const List& list, const gates::Outcome& outcome) const {
  std::string out;
  if (!outcome.gone.empty() && write_baseline_.empty())
    out += fmt::format("warplens: {} of the baseline {} no more: --write-baseline makes it anew\n",
                       counted(outcome.gone.size()), outcome.gone.size() == 1 ? "is" : "are");
  if (outcome.left_out != 0)
    out += fmt::format("warplens: {} of the baseline {} left out, by --rule or .warplens.toml\n",
                       counted(outcome.left_out), outcome.left_out == 1 ? "is" : "are");
  for (const std::string& limit : outcome.waived) out += fmt::format("warplens: {}\n", limit);
  for (const std::string& limit : outcome.undecided)
    out += fmt::format("warplens: {}; it passes, and warplens run decides it\n", limit);
  if (outcome.failing != 0)
    out += fmt::format("warplens: {} fail{}\n", counted(outcome.failing), outcome.failing == 1 ? "s" : "");
  if (findings::is_conclusive(list)) return out;
  out += fmt::format("warplens: {}\n", diag::without_controls(gaps_with_files(list)));
  if (!write_baseline_.empty())
    out +=
        fmt::format("warplens: the baseline '{}' is not written: it would lack findings\n", write_baseline_);
  return out;
}

Gates::Held Gates::hold(List& list, const FindingSources& sources) const {
  const std::vector<gates::Comments> comments = comments_of(list, sources, settings_);
  gates::Settings settings = settings_;
  if (sources.judged && settings.baseline) { // of a file that is there and was not judged, nothing is known
    const std::set<std::string> seen = files_of(list);
    std::erase_if(settings.baseline->findings, [&](const gates::Known& known) {
      std::error_code error;
      return !sources.judged->contains(known.file) && !seen.contains(known.file) &&
             fs::exists(known.file, error);
    });
  }
  const std::set<std::string> kernels = kernels_of(list);
  const bool of_run = findings::is_of_run(list);
  const bool of_other = settings_.baseline && settings_.baseline->of_run.value_or(of_run) != of_run;
  gates::Outcome outcome = gates::apply(list, settings, comments);
  if (sources.is_filtered || !findings::is_conclusive(list) || of_other) outcome.gone.clear();
  if (of_run) // of a kernel that was not launched, nothing is known
    std::erase_if(outcome.gone, [&](const gates::Known& known) { return !kernels.contains(known.kernel); });
  const bool gated = settings_.accepts || settings_.baseline.has_value() ||
                     std::ranges::any_of(settings_.fail_on, [](const gates::Condition& condition) {
                       return !std::holds_alternative<gates::Never>(condition.what);
                     });
  const bool answered = !gated || findings::is_conclusive(list);
  std::string said;
  if (of_other)
    said = fmt::format(
        "warplens: the baseline is of warplens {}: a run has averages, and check the worst case\n",
        of_run ? "check" : "run");
  return {outcome.failing, answered, said + closing(list, outcome)};
}

std::string configuration_at(const diag::Diagnostic& diagnostic) {
  if (diagnostic.span.line == 0 || !diagnostic.span.file.ends_with(".toml")) return {};
  return os::read_file(diagnostic.span.file).value_or("");
}

std::string from_here(const std::string& file) {
  const fs::path whole = (fs::path(here()) / file).lexically_normal();
  auto below_here = [](const fs::path& path) {
    const fs::path below = path.lexically_relative(here());
    return below.empty() || *below.begin() == ".." ? std::string() : below.generic_string();
  };
  if (file.empty()) return file;
  if (std::string out = below_here(whole); !out.empty()) return out;
  std::error_code error; // the folder may have been called by a link to it
  const std::string out = below_here(fs::weakly_canonical(whole, error));
  return out.empty() ? whole.generic_string() : out;
}

Result<void> write_findings(const List& list, const findings::SourceText& text_of, const GateOptions& asked,
                            std::string_view version, const Outputs& outputs, const RunOutput& output) {
  if (!asked.sarif.empty())
    if (auto done = outputs.write("--sarif", findings::sarif(list, version, text_of), output); !done)
      return done;
  if (!asked.findings.empty())
    if (auto done = outputs.write("--findings", findings::json(list, version), output); !done) return done;
  if (!asked.junit.empty())
    if (auto done = outputs.write("--junit", findings::junit(list), output); !done) return done;
  if (!asked.gitlab.empty())
    if (auto done = outputs.write("--gitlab", findings::gitlab(list), output); !done) return done;
  if (!asked.markdown.empty())
    if (auto done = outputs.write("--markdown", findings::markdown(list), output); !done) return done;
  if (!asked.write_baseline.empty() && findings::is_conclusive(list))
    if (auto done = outputs.write("--write-baseline", gates::write_baseline(list, version), output); !done)
      return done;
  return {};
}

} // namespace warplens::driver
