// Judgements, compilers' complaints and counts of runs, placed in the text that an editor has. See editor_answers.h.
#include "driver/findings/editor_answers.h"
#include "check/words.h"
#include "driver/findings/clang_edits.h"
#include "driver/findings/examine.h"
#include "driver/findings/gates.h"
#include "driver/program/last_run.h"
#include "driver/program/saved.h"
#include "driver/program/source_program.h"
#include "os/environment.h"
#include "os/file.h"
#include "report/read.h"
#include "source/places.h"
#include "source/source.h"
#include "summary/access_findings.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_run = std::size_t{1} << 30;

std::string absolute(const std::string& file) {
  std::error_code error;
  return file.empty() ? file : fs::absolute(file, error).lexically_normal().string();
}

access::SourceStack absolute(const access::SourceStack& stack) {
  std::vector<access::SourceFrame> frames = stack.all();
  for (access::SourceFrame& frame : frames) frame.file = absolute(frame.file);
  return access::SourceStack(std::move(frames));
}

void make_absolute(findings::List& list) {
  for (findings::JudgedAccess& access : list.accesses) access.place = absolute(access.place);
  for (findings::Finding& finding : list.findings) {
    finding.place = absolute(finding.place);
    for (findings::Note& note : finding.notes)
      if (note.place) note.place->file = absolute(note.place->file);
    if (finding.fix)
      for (findings::Edit& edit : finding.fix->edits) edit.file = absolute(edit.file);
  }
}

lsp::ShownAccess access_of(const check::Judgement& j, const findings::List& list, std::size_t number) {
  lsp::ShownAccess out;
  std::vector<access::SourceFrame> frames = source::user_frames(j.site);
  std::ranges::reverse(frames);
  out.place = absolute(access::SourceStack(std::move(frames)));
  out.kernel = j.kernel;
  out.array = j.array;
  out.what = check::described(j);
  out.verdict = check::name(j.verdict);
  out.pattern = check::pattern_text(j);
  if (number < list.accesses.size()) out.costs = list.accesses[number].costs;
  out.remarks = check::short_remarks(j);
  out.fine = check::is_fine(j.verdict);
  out.other_shape = j.other_shape;
  return out;
}

// "a.cu:3:7" and "a.cu(3)", as compilers say where.
std::optional<lsp::Problem> place_in(std::string_view words) {
  lsp::Problem out;
  auto number_behind = [&](char mark) -> u32 {
    const std::size_t at = words.rfind(mark);
    u32 value = 0;
    if (at == words.npos) return 0;
    auto [end, error] = std::from_chars(words.data() + at + 1, words.data() + words.size(), value);
    if (error != std::errc() || (end != words.data() + words.size() && *end != ')')) return 0;
    words = words.substr(0, at);
    return value;
  };
  if (words.ends_with(')')) {
    out.line = number_behind('(');
  } else {
    out.column = number_behind(':');
    out.line = number_behind(':');
    if (out.line == 0) std::swap(out.line, out.column);
  }
  if (out.line == 0 || words.empty()) return {};
  out.file = absolute(std::string(words));
  return out;
}

// The first error that a compiler, or WarpLens itself, told; else all that there is, at the file's beginning.
lsp::Problem problem_in(std::string_view said, const std::string& file) {
  std::string first;
  for (std::size_t at; !said.empty(); said.remove_prefix(at)) {
    at = std::min(said.find('\n'), said.size() - 1) + 1;
    std::string_view line = said.substr(0, at - (said[at - 1] == '\n'));
    constexpr std::string_view own = "warplens: ", marks[] = {": fatal error: ", ": error: ", ": error #"};
    if (line.starts_with(own)) line.remove_prefix(own.size());
    if (first.empty()) first = line;
    for (std::string_view mark : marks)
      if (const std::size_t found = line.find(mark); found != line.npos)
        if (std::optional<lsp::Problem> out = place_in(line.substr(0, found))) {
          out->message = line.substr(found + mark.size());
          return *out;
        }
  }
  return {file, 1, 0, first.empty() ? "the compiler said nothing" : first};
}

lsp::Answer not_judged(const diag::Diagnostic& why, const std::string& file) {
  lsp::Answer out;
  const bool placed = !why.span.file.empty() && why.span.line != 0;
  out.problem = {placed ? absolute(why.span.file) : file, placed ? why.span.line : 1,
                 placed ? why.span.column : 0,
                 why.help.empty() ? why.message : why.message + ": " + why.help};
  return out;
}

// The folder's compile_commands.json, or the first that builds in folders of their own left.
std::string compile_commands(const std::string& given) {
  if (!given.empty()) return fs::is_directory(given) ? given + "/compile_commands.json" : given;
  constexpr const char* name = "compile_commands.json";
  std::error_code error;
  for (const char* folder : {".", "build"})
    if (fs::path path = fs::path(folder) / name; fs::exists(path, error)) return path.string();
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("build", error))
    if (fs::exists(entry.path() / name, error)) found.push_back((entry.path() / name).string());
  return found.empty() ? std::string() : *std::ranges::min_element(found);
}

std::size_t common_folders(const fs::path& a, const fs::path& b) {
  auto [one, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(std::distance(a.begin(), one));
}

// How the file is compiled. A header is compiled like the source of its name, else like the one that lies nearest.
Result<CheckInput> input_for(const std::string& file, const LspOptions& o) {
  Result<std::vector<std::string>> words = split_words(o.check.compile_options);
  if (!words) return failure(words.error());
  CheckInput out{file, {}};
  if (const std::string commands = compile_commands(o.compile_commands); !commands.empty()) {
    Result<std::vector<CheckInput>> known = inputs_in(commands, {});
    if (!known && (!o.compile_commands.empty() || known.error().kind == "bad-compile-commands"))
      return failure(known.error());
    const bool header = file.ends_with(".cuh");
    std::size_t best = 0;
    for (const CheckInput& one : known ? *known : std::vector<CheckInput>()) {
      const std::string path = absolute(one.path);
      std::size_t near = path == file ? 10000 : 0;
      if (header)
        near = 1 + common_folders(path, file) + (fs::path(path).stem() == fs::path(file).stem()) * 5000;
      if (near <= best) continue;
      best = near;
      out.options = one.options;
      out.compiler = one.compiler;
      out.error = one.error;
    }
  }
  out.options.insert(out.options.end(), words->begin(), words->end());
  return out;
}

// The counts of a saved run or of a profiler's file; null where there are none. A GPU's file names sources as the machine had them that
// compiled them, and often not their text: it is that of files here that are older than what was measured.
std::shared_ptr<const findings::List> counts_in(const std::string& file) {
  std::error_code error;
  if (fs::file_size(file, error) > largest_run || error) return {};
  Result<report::Saved> saved = read_saved(file, true);
  if (!saved) return {};
  Result<summary::Model> model = report::build(*saved);
  if (!model) return {};
  auto list = std::make_shared<findings::List>(
      summary::findings_of(*model, [](const std::string& name) { return absolute(name); }));
  make_absolute(*list);
  const std::string here = fs::current_path(error).string();
  source::SourceFiles files({here}, {here, here, os::variable("HOME"), {}});
  const fs::file_time_type counted = fs::last_write_time(file, error);
  for (findings::JudgedAccess& access : list->accesses) {
    if (access.place.empty()) continue;
    std::vector<access::SourceFrame> frames = access.place.all();
    const std::string& path = files.path(frames.front().file);
    if (path.empty()) continue;
    if (access.source.empty() && files.written(frames.front().file) < counted)
      access.source = files.line(frames.front().file, frames.front().line).value_or("");
    frames.front().file = path;
    access.place = access::SourceStack(std::move(frames));
  }
  return list;
}

// Name, size and time; empty where there is no such file.
std::string version_of(const std::string& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return {};
  return fmt::format("{} {} {}", file, size, fs::last_write_time(file, error).time_since_epoch().count());
}

} // namespace

void EditorAnswers::configure(const lsp::Settings& settings) {
  std::lock_guard lock(mutex_);
  settings_ = settings;
}

// What the editor sets goes before what the command line says, and that before .warplens.toml.
LspOptions EditorAnswers::options() const {
  std::lock_guard lock(mutex_);
  LspOptions out = options_;
  if (settings_.sm) out.check.sm = *settings_.sm, out.check.sm_given = true;
  if (settings_.compiler) out.check.compiler = *settings_.compiler, out.check.compiler_given = true;
  if (settings_.compile_options) out.check.compile_options = *settings_.compile_options;
  if (settings_.block) out.check.block = *settings_.block;
  if (settings_.compile_commands) out.compile_commands = *settings_.compile_commands;
  if (settings_.last_run) out.last_run = *settings_.last_run;
  if (out.last_run.empty()) out.last_run = last_run_file;
  if (settings_.measured) out.measured = *settings_.measured;
  if (out.measured.empty()) out.measured = ".warplens/measured.ncu-rep";
  return out;
}

lsp::Answer EditorAnswers::answer(const lsp::Question& question, const std::stop_token& stop,
                                  const Early& early) const {
  LspOptions o = options();
  Result<Gates> gates = Gates::prepare(o.check.gates);
  if (!gates) return not_judged(gates.error(), question.file);
  if (Result<void> fine = gates->complete(o.check); !fine) return not_judged(fine.error(), question.file);
  Result<CheckInput> input = input_for(question.file, o);
  if (!input) return not_judged(input.error(), question.file);
  if (os::read_file(question.file) != question.text) input->text = question.text;
  SourceTexts sources({*input});
  Result<Examined> examined = examine(o.check, {*input}, sources, stop);
  if (!examined) return not_judged(examined.error(), question.file);
  if (examined->failed) {
    lsp::Answer out;
    out.problem = problem_in(examined->said, question.file);
    return out;
  }
  const auto text_of = [&](const std::string& file) { return sources.text(file); };
  const auto told = [&] {
    lsp::Answer out;
    std::size_t counted = 0; // judgements that have costs, and with them a row in the list, in this order
    for (const check::Judgement& j : examined->judgements)
      out.accesses.push_back(access_of(j, examined->list, j.costs.empty() ? SIZE_MAX : counted++));
    out.list = examined->list;
    gates->hold(out.list, {text_of, {}, checked_rules()});
    make_absolute(out.list);
    auto keep = [&](const access::SourceStack& stack) {
      for (const access::SourceFrame& frame : stack)
        if (!out.texts.contains(frame.file)) out.texts[frame.file] = sources.text(from_here(frame.file));
    };
    for (const lsp::ShownAccess& access : out.accesses) keep(access.place);
    for (const findings::Finding& finding : out.list.findings) keep(finding.place);
    return out;
  };
  const fix::Editor editor = clang_editor({*input}, examined->architectures[0]->sm, text_of, stop);
  bool first = true;
  fix::propose(examined->list, text_of, [&](const std::string& file, const std::vector<fix::Wish>& wishes) {
    if (std::exchange(first, false)) early(told());
    return editor(file, wishes);
  });
  return told();
}

std::vector<lsp::Run> EditorAnswers::runs() const {
  std::lock_guard lock(mutex_);
  std::vector<lsp::Run> out;
  for (const Kept& kept : kept_)
    if (kept.run.list != nullptr) out.push_back(kept.run);
  return out;
}

bool EditorAnswers::runs_are_old() const {
  const LspOptions o = options();
  const std::string last = version_of(o.last_run), measured = version_of(o.measured);
  std::lock_guard lock(mutex_);
  return last != kept_[0].version || measured != kept_[1].version;
}

bool EditorAnswers::load_runs() {
  const LspOptions o = options();
  bool other = false;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const std::string& file = i == 0 ? o.last_run : o.measured;
    const std::string version = version_of(file);
    {
      std::lock_guard lock(mutex_);
      if (version == kept_[i].version) continue;
    }
    lsp::Run run{i == 0 ? "last run" : "measured", version.empty() ? nullptr : counts_in(file)};
    std::lock_guard lock(mutex_);
    kept_[i] = {std::move(run), version};
    other = true;
  }
  return other;
}

} // namespace warplens::driver
