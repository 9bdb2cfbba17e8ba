// Options read, inputs judged by several threads in turn, and findings placed in their sources. See examine.h.
#include "driver/findings/examine.h"
#include "arch/count.h"
#include "arch/table.h"
#include "base/characters.h"
#include "base/launch_limits.h"
#include "check/findings.h"
#include "driver/findings/gates.h"
#include "driver/options/architectures.h"
#include "driver/program/source_program.h"
#include "fix/propose.h"
#include "ir/module.h"
#include "os/environment.h"
#include "os/file.h"
#include "ptx/parse.h"
#include "source/names.h"
#include "summary/array_names.h"
#include "text/lines.h"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <system_error>
#include <thread>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

struct InputResult {
  std::vector<check::Judgement> judgements;
  u64 kernels = 0, most_shared = 0;
  std::vector<std::string> unused;
  std::string said; // by compilers and about what cannot be read
  std::vector<diag::Diagnostic> gaps;
};

Result<std::optional<Dim3>> three(const std::string& text, std::string_view option) {
  if (text.empty()) return std::optional<Dim3>();
  u32 value[3] = {1, 1, 1};
  const char* at = text.data();
  const char* end = at + text.size();
  for (u32 n = 0; n < 3; ++n) {
    auto [next, error] = std::from_chars(at, end, value[n]);
    bool more = next != end;
    if (error != std::errc() || value[n] == 0 || (more && (*next != ',' && *next != 'x')) || (more && n == 2))
      return failure(diag::error("bad-option", fmt::format("{} '{}' is not a size", option, text), {},
                                 "for example 256, or 32,8"));
    if (!more) return std::optional(Dim3{value[0], value[1], value[2]});
    at = next + 1;
  }
  return std::optional<Dim3>();
}

Result<std::map<std::string, i64>> arguments_in(const std::vector<std::string>& settings) {
  std::map<std::string, i64> out;
  for (const std::string& one : settings) {
    std::size_t equals = one.find('=');
    i64 value = 0;
    const char* end = one.data() + one.size();
    auto [next, error] = std::from_chars(one.data() + std::min(equals, one.size() - 1) + 1, end, value);
    if (equals == one.npos || equals == 0 || error != std::errc() || next != end)
      return failure(diag::error(
          "bad-option", fmt::format("--set '{}' is not NAME=NUMBER", one), {},
          "a parameter by its name in the source or in PTX, or by its number from 1: --set n=1024"));
    out[one.substr(0, equals)] = value;
  }
  return out;
}

// Verdicts compare sectors: what an ordinary load moves has to be some.
bool moves_sectors(const arch::Architecture& row) {
  return arch::moves_sectors(row, {.space = access::Space::global}) &&
         arch::moves_sectors(row, {.space = access::Space::local});
}

Result<check::Options> options_of(const CheckOptions& o) {
  check::Options out;
  auto rows = architectures_named(o.sm);
  if (!rows) return failure(rows.error());
  if (const arch::Architecture& first = *rows->front(); !moves_sectors(first))
    return failure(diag::error(
        "bad-option",
        fmt::format("--sm {} cannot come first: check judges sectors, which move from 5.0 on", first.sm), {},
        fmt::format("put another in front, then check has the counts of both: --sm 90,{}", first.sm)));
  out.architectures = *rows;
  auto block = three(o.block, "--block"), grid = three(o.grid, "--grid");
  if (!block) return failure(block.error());
  if (!grid) return failure(grid.error());
  if (*block && (*block)->count() > rows->front()->limits.threads_per_block)
    return failure(
        diag::error("bad-option", fmt::format("--block {} is {} threads: a block has at most {}", o.block,
                                              (*block)->count(), rows->front()->limits.threads_per_block)));
  out.block = *block;
  out.grid = *grid;
  auto arguments = arguments_in(o.settings);
  if (!arguments) return failure(arguments.error());
  out.arguments = *arguments;
  out.arguments.insert(o.usual_arguments.begin(), o.usual_arguments.end());
  out.kernel = o.kernel;
  return out;
}

// Of the arrays that the function itself names.
u64 shared_bytes(const ir::Module& module, const ir::Function& f) {
  std::set<u32> used;
  for (const ir::Operand& o : f.operands)
    if (o.variable.valid() && module.variables[o.variable.value].space == ir::StateSpace::shared)
      used.insert(o.variable.value);
  u64 out = 0;
  for (u32 variable : used) out += module.variables[variable].size;
  return out;
}

// "a.cu:3:4: error: …", of what a compiler said; empty where there is none.
std::string first_error(std::string_view said) {
  const std::size_t word = std::min(said.find("error"), said.find("fatal"));
  if (word >= said.size()) return {};
  const std::size_t newline = said.rfind('\n', word), begin = newline == said.npos ? 0 : newline + 1;
  return std::string(said.substr(begin, said.find('\n', word) - begin));
}

// PTX has all local arrays of a function in one; the source may say which of them an access can go to.
void name_local_arrays(std::vector<check::Judgement>& all, SourceTexts& sources) {
  std::vector<check::Judgement*> local;
  measure::LaunchRecord record;
  for (check::Judgement& j : all)
    if (summary::is_any_local(j.site.array)) {
      local.push_back(&j);
      measure::SiteRecord& site = record.sites.emplace_back();
      site.site = j.site;
      site.site.id = {}; // which is of one PTX text alone
    }
  if (local.empty()) return;
  std::map<std::string, std::vector<std::string_view>> files;
  std::vector<summary::Launch> launches{summary::Launch(std::move(record))};
  summary::name_arrays(launches, [&](const std::string& file, u32 line) -> std::optional<std::string> {
    auto [known, fresh] = files.try_emplace(file);
    if (fresh) known->second = text::lines_of(sources.text(file));
    if (line > known->second.size()) return {};
    return std::string(known->second[line - 1]);
  });
  for (std::size_t n = 0; n < local.size(); ++n) {
    const access::Array& array = launches[0].record.sites[n].site.array;
    local[n]->array = summary::is_any_local(array) ? "" : array.name;
  }
}

InputResult judge(const CheckInput& input, const check::Options& options, const CompileFor& how,
                  SourceTexts& sources, bool colour) {
  InputResult out;
  if (input.outside_build)
    out.said = fmt::format("warplens: the build has no command for '{}': it gets --compile-options alone\n",
                           one_line(input.path));
  auto texts = read_ptx(input, how, [&](std::string_view text) { out.said += diag::without_controls(text); });
  auto fail = [&](diag::Diagnostic bad, std::string_view text) {
    const std::string error = first_error(out.said);
    if (bad.kind == "toolchain-compile-failed" && !input.compiler)
      bad.help += "; the compile_commands.json of a build says its options";
    out.said += "warplens: " + diag::render(bad, text, colour);
    if (!error.empty()) bad.notes.push_back(error);
    bad.span.file = from_here(input.path);
    if (!input.path.ends_with(".ptx")) bad.span.line = bad.span.column = 0; // of what a compiler made
    out.gaps.push_back(std::move(bad));
  };
  if (!texts && texts.error().severity == diag::Severity::warning) // an input that is none
    return out.said += "warplens: " + diag::render(texts.error(), {}, colour), out;
  if (!texts) return fail(texts.error(), {}), out;
  for (const PtxText& text : *texts) {
    Result<ptx::Parsed> parsed = ptx::parse(text.text, {text.name, true});
    if (!parsed) {
      fail(parsed.error(), text.text);
      continue;
    }
    check::Checked checked = check::check(parsed->module, options);
    std::move(checked.judgements.begin(), checked.judgements.end(), std::back_inserter(out.judgements));
    out.kernels += checked.kernels;
    for (const ir::Function& f : parsed->module.functions)
      out.most_shared = std::max(out.most_shared, shared_bytes(parsed->module, f));
    if (checked.kernels + checked.functions != 0) out.unused = std::move(checked.unused_arguments);
  }
  name_local_arrays(out.judgements, sources);
  return out;
}

std::vector<InputResult> judge_all(const std::vector<CheckInput>& inputs, const check::Options& options,
                                   const CompileFor& how, SourceTexts& sources, const CheckOptions& o) {
  std::vector<InputResult> out(inputs.size());
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i; (i = next++) < inputs.size();)
      out[i] = judge(inputs[i], options, how, sources, o.colour);
  };
  std::size_t jobs = std::min<std::size_t>(
      inputs.size(), o.jobs != 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  try {
    for (std::size_t t = 1; t < jobs; ++t) threads.emplace_back(work);
  } catch (const std::system_error&) { // the user may have no more: those that there are do the work
  }
  work();
  for (std::thread& thread : threads) thread.join();
  return out;
}

// Names files as they are found from here, and quotes the lines.
void place(findings::List& list, SourceTexts& sources) {
  std::map<std::string, std::string> names; // a file has many accesses
  std::map<std::string, std::vector<std::string_view>> lines;
  auto rename = [&](access::SourceStack& stack) {
    std::vector<access::SourceFrame> frames = stack.all();
    for (access::SourceFrame& frame : frames) {
      auto [known, fresh] = names.try_emplace(frame.file);
      if (fresh) known->second = from_here(frame.file);
      frame.file = known->second;
    }
    stack = access::SourceStack(std::move(frames));
  };
  for (findings::JudgedAccess& access : list.accesses) rename(access.place);
  for (findings::Finding& finding : list.findings) {
    rename(finding.place);
    for (findings::Note& note : finding.notes)
      if (note.place) note.place->file = from_here(note.place->file);
    if (finding.place.empty()) continue;
    const access::SourceFrame& at = finding.place.front();
    auto [known, fresh] = lines.try_emplace(at.file);
    if (fresh) known->second = text::lines_of(sources.text(at.file));
    finding.source = text::line_at(known->second, at.line).value_or("");
  }
}

// The sources of a build, by their real paths.
Result<std::multimap<fs::path, CheckInput>> sources_of_build(const std::string& build,
                                                             const std::vector<std::string>& options) {
  std::multimap<fs::path, CheckInput> out;
  if (build.empty()) return out;
  std::error_code error;
  const fs::path file =
      fs::is_directory(build, error) ? fs::path(build) / "compile_commands.json" : fs::path(build);
  Result<std::vector<CheckInput>> sources = inputs_in(file.string(), options);
  if (!sources) return failure(sources.error());
  for (CheckInput& source : *sources) {
    const fs::path real = fs::weakly_canonical(source.path, error);
    out.emplace(real, std::move(source));
  }
  return out;
}

} // namespace

SourceTexts::SourceTexts(const std::vector<CheckInput>& inputs)
    : roots_(fs::current_path().string(),
             inputs.empty() ? "" : fs::path(inputs[0].path).parent_path().string(), os::variable("HOME"),
             {}) {
  for (const CheckInput& input : inputs)
    if (input.text) texts_[input.path] = texts_[from_here(input.path)] = *input.text;
}

std::string_view SourceTexts::text(const std::string& file) {
  std::lock_guard lock(mutex_);
  auto [known, fresh] = texts_.try_emplace(file);
  std::error_code error;
  fs::path real = fs::canonical(file, error);
  if (fresh && !error && roots_.contains(real))
    known->second = os::read_file(real, std::size_t{1} << 26).value_or("");
  if (fresh && known->second.find('\0') != std::string::npos) known->second.clear(); // a program is no text
  return known->second;
}

const source::Tokens& SourceTexts::tokens(const std::string& file) {
  const std::string_view of = text(file);
  std::lock_guard lock(mutex_);
  return tokens_.try_emplace(file, of).first->second;
}

std::vector<source::Parameter> SourceTexts::parameters(const std::string& function,
                                                       const access::SourceStack& stack) {
  if (stack.empty()) return {};
  const access::SourceFrame& frame = stack[stack.size() - 1];
  const std::string name = function.starts_with("_Z") ? source::function_name(function) : function;
  std::optional<source::Definition> found = source::definition_of(tokens(frame.file), name, frame.line);
  return found ? std::move(found->parameters) : std::vector<source::Parameter>();
}

std::span<const findings::Rule> checked_rules() { return check::rules(); }

Result<std::vector<CheckInput>> inputs_of(const CheckOptions& o,
                                          const std::function<bool(const std::string&)>& wanted) {
  Result<std::vector<std::string>> words = split_words(o.compile_options);
  if (!words) return failure(words.error());
  Result<std::multimap<fs::path, CheckInput>> build = sources_of_build(o.compile_commands, *words);
  if (!build) return failure(build.error());
  std::vector<CheckInput> out;
  std::set<std::pair<std::string, std::vector<std::string>>>
      known; // a folder and a file in it may both be given
  for (const std::string& path : o.inputs) {
    Result<std::vector<CheckInput>> some = inputs_in(path, *words, wanted);
    if (!some) some = std::vector<CheckInput>{{.path = path, .options = {}, .error = some.error()}};
    for (CheckInput& input : *some) {
      std::error_code error;
      const auto [begin, end] = build->equal_range(fs::weakly_canonical(input.path, error));
      for (auto of_build = begin; of_build != end; ++of_build)
        if (known.emplace(input.path, of_build->second.options).second) {
          out.push_back(of_build->second);
          out.back().path = input.path;
        }
      input.outside_build = !build->empty() && begin == end && is_source(input);
      if (begin == end && known.emplace(input.path, input.options).second) out.push_back(std::move(input));
    }
  }
  return out;
}

Result<Examined> examine(const CheckOptions& o, const std::vector<CheckInput>& inputs, SourceTexts& sources,
                         const std::stop_token& stop) {
  Result<check::Options> options = options_of(o);
  if (!options) return failure(options.error());
  options->names = [&](const std::string& function, const access::SourceStack& stack) {
    return sources.parameters(function, stack);
  };
  const auto was_asked = [&](const std::string& name) { // .warplens.toml is for more files than these
    return std::ranges::any_of(o.settings,
                               [&](const std::string& one) { return one.starts_with(name + "="); });
  };
  CompileFor how{compiler_named(o.compiler), options->architectures[0]->sm,
                 o.no_cache ? cache::Settings{} : cache::settings_from_environment(), stop};
  Examined out;
  out.architectures = options->architectures;
  std::vector<diag::Diagnostic> gaps;
  for (InputResult& one : judge_all(inputs, *options, how, sources, o)) {
    out.said += one.said;
    std::move(one.gaps.begin(), one.gaps.end(), std::back_inserter(gaps));
    out.kernels += one.kernels;
    out.most_shared = std::max(out.most_shared, one.most_shared);
    for (const std::string& name : one.unused)
      if (was_asked(name))
        out.said +=
            "warplens: " +
            diag::render(diag::warning("unused-setting", fmt::format("no kernel has a parameter '{}'", name)),
                         {}, o.colour);
    std::move(one.judgements.begin(), one.judgements.end(), std::back_inserter(out.judgements));
  }
  out.list = check::findings_of(out.judgements, out.architectures);
  out.list.files = inputs.size();
  out.list.gaps = std::move(gaps);
  out.failed = !out.list.gaps.empty();
  place(out.list, sources);
  fix::show(out.list, [&](const std::string& file) { return sources.text(file); });
  return out;
}

} // namespace warplens::driver
