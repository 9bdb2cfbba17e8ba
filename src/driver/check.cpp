// Inputs become PTX and then judgements side by side; what is said of them comes in the order of the inputs.
#include "driver/check.h"
#include "arch/table.h"
#include "base/launch_limits.h"
#include "check/findings.h"
#include "driver/check_inputs.h"
#include "driver/gates.h"
#include "driver/gpus.h"
#include "driver/outputs.h"
#include "driver/source_program.h"
#include "findings/writers.h"
#include "os/environment.h"
#include "os/file.h"
#include "ptx/parse.h"
#include "report/declarations.h"
#include "report/names.h"
#include "report/places.h"
#include "report/source_roots.h"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
constexpr u32 oldest = 50; // whose rules hold for any set of lanes as check uses them

// The text of source files that belong to what is checked.
class Sources {
public:
  explicit Sources(const std::string& program)
      : roots_(fs::current_path().string(), program, os::variable("HOME"), {}) {}

  std::string_view text(const std::string& file) {
    std::lock_guard lock(mutex_);
    auto [known, fresh] = texts_.try_emplace(file);
    std::error_code error;
    fs::path real = fs::canonical(file, error);
    if (fresh && !error && roots_.contains(real))
      known->second = os::read_file(real, std::size_t{1} << 26).value_or("");
    return known->second;
  }

  // What the definition of the kernel calls its parameters, where it begins above that code.
  std::vector<std::string> parameters(const std::string& function, const access::SourceStack& stack) {
    if (stack.empty()) return {};
    const access::SourceFrame& frame = stack[stack.size() - 1];
    std::string plain = report::without_comments(text(frame.file));
    std::size_t end = 0;
    for (u32 line = 0; line < frame.line && end < plain.size(); ++line)
      end = std::min(plain.find('\n', end), plain.size() - 1) + 1;
    std::string name = function.starts_with("_Z") ? report::function_name(function) : function;
    std::vector<std::string> out;
    if (std::optional<report::Definition> found = report::definition_of(plain, name, end))
      for (report::Parameter& parameter : found->parameters) out.push_back(std::move(parameter.name));
    return out;
  }

private:
  report::SourceRoots roots_;
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

struct InputResult {
  std::vector<check::Judgement> judgements;
  u64 kernels = 0;
  std::vector<std::string> unused;
  std::string said; // by compilers and about what cannot be read
  bool failed = false;
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
      return failure(
          diag::error("bad-option", fmt::format("--set '{}' is not NAME=NUMBER", one), {},
                      "a parameter by its name in the source, or by its number from 0: --set n=1024"));
    out[one.substr(0, equals)] = value;
  }
  return out;
}

Result<check::Options> options_of(const CheckOptions& o) {
  check::Options out;
  auto rows = architectures_named(o.sm);
  if (!rows) return failure(rows.error());
  for (const arch::Architecture* row : *rows)
    if (row->sm < oldest)
      return failure(diag::error(
          "bad-option", fmt::format("check knows no compute capability below 5.0, and {} is", row->sm), {},
          "`warplens gpus` lists them"));
  out.architectures = *rows;
  auto block = three(o.block, "--block"), grid = three(o.grid, "--grid");
  if (!block) return failure(block.error());
  if (!grid) return failure(grid.error());
  if (*block && (*block)->count() > rows->front()->limits.threads_per_block)
    return failure(
        diag::error("bad-option", fmt::format("a block of {} has {} threads, more than {}", o.block,
                                              (*block)->count(), rows->front()->limits.threads_per_block)));
  out.block = *block;
  out.grid = *grid;
  auto arguments = arguments_in(o.settings);
  if (!arguments) return failure(arguments.error());
  out.arguments = *arguments;
  out.kernel = o.kernel;
  return out;
}

toolchain::Compiler compiler_named(const std::string& name) {
  return name == "nvcc"    ? toolchain::Compiler::nvcc
         : name == "clang" ? toolchain::Compiler::clang
                           : toolchain::Compiler::automatic;
}

InputResult judge(const CheckInput& input, const check::Options& options, const CompileFor& how,
                  bool colour) {
  InputResult out;
  auto texts = read_ptx(input, how, [&](std::string_view text) { out.said += diag::without_controls(text); });
  auto fail = [&](const diag::Diagnostic& bad, std::string_view text) {
    out.said += "warplens: " + diag::render(bad, text, colour);
    out.failed = true;
  };
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
    if (checked.kernels + checked.functions != 0) out.unused = std::move(checked.unused_arguments);
  }
  return out;
}

std::vector<InputResult> judge_all(const std::vector<CheckInput>& inputs, const check::Options& options,
                                   const CompileFor& how, const CheckOptions& o) {
  std::vector<InputResult> out(inputs.size());
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i; (i = next++) < inputs.size();) out[i] = judge(inputs[i], options, how, o.colour);
  };
  std::size_t jobs = std::min<std::size_t>(
      inputs.size(), o.jobs != 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < jobs; ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return out;
}

std::string place_text(const check::Judgement& j) {
  access::SourceFrame at = report::user_frame(j.site);
  if (at.file.empty()) return fmt::format("{}: PTX line {}", j.kernel, j.site.ptx_line);
  return fmt::format("{}:{}:{}", at.file, at.line, at.column);
}

// What findings do not say: what is fine, and what is not known and why.
std::string others_text(const std::vector<check::Judgement>& all) {
  std::string out;
  for (const check::Judgement& j : all) {
    bool told = !check::is_fine(j.verdict) && j.verdict != check::Verdict::unknown &&
                j.verdict != check::Verdict::not_judged;
    if (told) continue;
    std::string line = fmt::format("{}: {}: {}", place_text(j), check::name(j.verdict), check::described(j));
    if (std::string cost = check::cost_text(j); !cost.empty()) line += fmt::format("; {}", cost);
    for (const std::string& condition : j.conditions) line += fmt::format("; {} if {}", j.needed, condition);
    for (const std::string& reason : j.reasons) line += "; it depends on " + reason;
    for (const std::string& assumed : j.assumed) line += "; assumed: " + assumed;
    out += diag::without_controls(line) + "\n";
  }
  return out;
}

std::string summary(const std::vector<check::Judgement>& all, u64 kernels, std::size_t findings) {
  u64 fine = 0, conditional = 0, unknown = 0;
  for (const check::Judgement& j : all) {
    unknown += j.verdict == check::Verdict::unknown || j.verdict == check::Verdict::not_judged;
    if (check::is_fine(j.verdict)) ++(j.conditional ? conditional : fine);
  }
  return fmt::format(
      "{} accesses in {} kernels: {} fine, {} fine under a condition, {} not decided; {} findings\n",
      all.size(), kernels, fine, conditional, unknown, findings);
}

Output refuse(const diag::Diagnostic& bad, const CheckOptions& o) {
  return {2, {}, "warplens: " + diag::render(bad, configuration_at(bad), o.colour)};
}

// What code alone tells (check/findings.cpp). Comments that ignore other rules are for runs.
constexpr std::string_view rules[] = {"uncoalesced-load",    "uncoalesced-store", "uncoalesced-atomic",
                                      "scattered-access",    "misaligned-access", "bank-conflict",
                                      "constant-serialised", "local-array"};

// Names files as they are found from here, and quotes the lines.
void place(findings::List& list, Sources& sources) {
  auto rename = [](access::SourceStack& stack) {
    std::vector<access::SourceFrame> frames = stack.all();
    for (access::SourceFrame& frame : frames) frame.file = from_here(frame.file);
    stack = access::SourceStack(std::move(frames));
  };
  for (findings::Access& access : list.accesses) rename(access.place);
  for (findings::Finding& finding : list.findings) {
    rename(finding.place);
    for (findings::Note& note : finding.notes)
      if (note.place) note.place->file = from_here(note.place->file);
    if (finding.place.empty()) continue;
    std::string_view text = sources.text(finding.place.front().file);
    for (u32 line = 1; line < finding.place.front().line && !text.empty(); ++line)
      text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    finding.source = std::string(text.substr(0, text.find('\n')));
    finding.source.erase(0, finding.source.find_first_not_of(" \t"));
  }
}

// Everything that is ready before an input is read.
struct Prepared {
  CheckOptions options; // with what .warplens.toml says
  Gates gates;
  Outputs outputs;
};

// A configuration that is shared with `run` may say it; who says it to check means something else.
Result<void> refuse_excess(const std::vector<std::string>& conditions) {
  for (const std::string& words : conditions)
    for (const gates::Condition& condition :
         gates::parse_conditions(words, {}).value_or(std::vector<gates::Condition>()))
      if (const auto* limit = std::get_if<gates::Comparison>(&condition.what))
        if (limit->measure == gates::Measure::excess)
          return failure(diag::error(
              "bad-option", fmt::format("'{}' is about a whole run, and check runs nothing", condition.text),
              {}, "give it to warplens run, or hold accesses to e.g. sectors-per-request>8"));
  return {};
}

Result<Prepared> prepare(const CheckOptions& asked) {
  Prepared out{asked, {}, {}};
  if (Result<void> fine = refuse_excess(asked.gates.fail_on); !fine) return failure(fine.error());
  Result<Gates> gates = Gates::prepare(asked.gates);
  if (!gates) return failure(gates.error());
  out.gates = std::move(*gates);
  out.gates.fail_by_default("warning");
  if (!asked.sm_given && !out.gates.sm().empty()) out.options.sm = out.gates.sm();
  Outputs::Named files = Outputs::named(asked.gates);
  if (asked.json) files.emplace_back("--json", "-");
  Result<Outputs> outputs = Outputs::prepare(files, asked.inputs, "check", "what is checked");
  if (!outputs) return failure(outputs.error());
  out.outputs = std::move(*outputs);
  return out;
}

// Holds the findings to the gates and says them; `more`: what text says beyond them.
Result<void> say(const Prepared& run, findings::List& list, Sources& sources, const std::string& more,
                 Output& out) {
  const CheckOptions& o = run.options;
  const auto text_of = [&](const std::string& file) { return sources.text(file); };
  const Gates::Held held = run.gates.hold(list, {text_of, {}, rules});
  auto append = [](std::string& to) { return [&to](std::string_view text) { return to += text, true; }; };
  const RunOutput output{append(out.out), append(out.err)};
  if (Result<void> done = run.outputs.write("--json", findings::json(list, o.version), output); !done)
    return done;
  if (Result<void> done = write_findings(list, o.gates, o.version, run.outputs, output); !done) return done;
  std::string& to = run.outputs.take_stdout() ? out.err : out.out;
  if (!run.outputs.take_stdout()) out.out += findings::text(list, text_of, o.colour) + more;
  if (o.gates.github) to += findings::github(list);
  out.err += held.said;
  if (out.exit_code == 0 && held.failing != 0) out.exit_code = 1;
  return {};
}

} // namespace

Output check(const CheckOptions& asked) {
  Result<Prepared> prepared = prepare(asked);
  if (!prepared) return refuse(prepared.error(), asked);
  const CheckOptions& o = prepared->options;
  Result<check::Options> options = options_of(o);
  if (!options) return refuse(options.error(), o);
  Result<std::vector<std::string>> words = split_words(o.compile_options);
  if (!words) return refuse(words.error(), o);
  std::vector<CheckInput> inputs;
  for (const std::string& path : o.inputs) {
    Result<std::vector<CheckInput>> some = inputs_in(path, *words);
    if (!some) return refuse(some.error(), o);
    std::move(some->begin(), some->end(), std::back_inserter(inputs));
  }
  Sources sources(inputs.empty() ? "" : fs::path(inputs[0].path).parent_path().string());
  options->names = [&](const std::string& function, const access::SourceStack& stack) {
    return sources.parameters(function, stack);
  };
  CompileFor how{compiler_named(o.compiler), options->architectures[0]->sm};
  Output out;
  std::vector<check::Judgement> judgements;
  u64 kernels = 0;
  for (InputResult& one : judge_all(inputs, *options, how, o)) {
    out.err += one.said;
    if (one.failed) out.exit_code = 2;
    kernels += one.kernels;
    for (const std::string& name : one.unused)
      out.err +=
          "warplens: " +
          diag::render(diag::warning("unused-setting", fmt::format("no kernel has a parameter '{}'", name)),
                       {}, o.colour);
    std::move(one.judgements.begin(), one.judgements.end(), std::back_inserter(judgements));
  }
  findings::List list = check::findings_of(judgements, options->architectures);
  place(list, sources);
  std::string more = o.all ? others_text(judgements) : "";
  if (out.exit_code == 0 || !judgements.empty()) more += summary(judgements, kernels, list.findings.size());
  if (Result<void> said = say(*prepared, list, sources, more, out); !said) return refuse(said.error(), o);
  return out;
}

} // namespace warplens::driver
