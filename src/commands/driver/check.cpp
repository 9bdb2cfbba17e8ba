// What examine() found, held to the gates and said.
#include "driver/check.h"
#include "arch/table.h"
#include "base/characters.h"
#include "check/findings.h"
#include "check/verdicts.h"
#include "check/words.h"
#include "driver/findings/clang_edits.h"
#include "driver/findings/examine.h"
#include "driver/findings/fix_check.h"
#include "driver/findings/gates.h"
#include "driver/options/outputs.h"
#include "driver/pages/access_page.h"
#include "findings/writers.h"
#include "source/places.h"
#include "text/words.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <set>

namespace warplens::driver {
namespace {

std::string place_text(const check::Judgement& j) {
  access::SourceFrame at = source::user_frame(j.site);
  if (at.file.empty()) return fmt::format("{}: PTX line {}", j.kernel, j.site.ptx_line);
  return fmt::format("{}:{}:{}", from_here(at.file), at.line, at.column);
}

// What findings do not say: what is fine, and what is not known and why.
std::string others_text(const std::vector<check::Judgement>& all,
                        const std::vector<const arch::Architecture*>& rows) {
  using Kind = check::Remark::Kind;
  std::vector<std::pair<std::string, u64>> lines; // and how many instructions say the same
  for (const check::Judgement& j : all) {
    bool told = !check::is_fine(j.verdict) && j.verdict != check::Verdict::unknown &&
                j.verdict != check::Verdict::not_judged;
    if (told) continue;
    std::string line = fmt::format("{}: {}: {}", place_text(j), check::name(j.verdict), check::described(j));
    for (std::size_t i = 0; i < j.costs.size(); ++i)
      line += fmt::format("; {}{}",
                          rows.size() > 1 ? fmt::format("{}: ", text::compute_capability(rows[i]->sm)) : "",
                          check::counts_text(j, i));
    if (j.verdict == check::Verdict::not_judged && !j.address.empty()) line += " at " + j.address;
    if (const std::string pattern = check::pattern_text(j);
        j.verdict == check::Verdict::not_judged && !pattern.empty())
      line += "; " + pattern;
    for (const check::Multiple& one : j.conditions)
      line += fmt::format("; {} if {}", j.needed, check::text(one));
    for (const check::Multiple& demand : j.demands) line += "; if " + check::text(demand);
    for (const check::Remark& remark : check::remarks(j))
      if (remark.kind == Kind::cause || remark.kind == Kind::premise) line += "; " + remark.text;
    line = one_line(line);
    if (auto known = std::ranges::find(lines, line, &std::pair<std::string, u64>::first);
        known != lines.end())
      ++known->second;
    else
      lines.emplace_back(std::move(line), 1);
  }
  std::string out;
  for (const auto& [line, count] : lines)
    out += count == 1 ? line + "\n" : fmt::format("{} ({} instructions)\n", line, count);
  return out;
}

std::string summary(const std::vector<check::Judgement>& all, u64 kernels) {
  u64 fine = 0, conditional = 0, unknown = 0, of_library = 0;
  std::map<std::string, std::map<std::string, check::Multiple>> demands; // by kernel, then of what
  for (const check::Judgement& j : all) {
    if (!j.other_shape && !check::is_of_library(j.site))
      for (const check::Multiple& demand : j.demands) {
        u64& modulus = demands[j.kernel].try_emplace(demand.of, demand).first->second.modulus;
        modulus = std::lcm(modulus, demand.modulus);
      }
    if (j.fault) continue;
    const bool undecided = j.verdict == check::Verdict::unknown || j.verdict == check::Verdict::not_judged;
    unknown += undecided;
    if (check::is_fine(j.verdict))
      ++(j.conditional || !j.demands.empty() ? conditional : fine);
    else if (!undecided)
      of_library += check::is_of_library(j.site);
  }
  std::string out = fmt::format(
      "{} access{} in {} kernel{}: {} fine, {} fine under a condition, {} not decided, {} not fine",
      all.size(), all.size() == 1 ? "" : "es", kernels, kernels == 1 ? "" : "s", fine, conditional, unknown,
      all.size() - fine - conditional - unknown);
  out += of_library == 0 ? "\n" : fmt::format(" ({} of them in code of libraries)\n", of_library);
  if (unknown != 0)
    out += "what is not decided passes: --set NAME=VALUE may decide it, warplens run does, --all says why\n";
  for (const auto& [kernel, of_kernel] : demands) {
    std::vector<std::string> all;
    for (const auto& [_, demand] : of_kernel) all.push_back(check::text(demand));
    out += diag::without_controls(fmt::format("{}: asks that {}\n", kernel, fmt::join(all, " and ")));
  }
  return out;
}

Output refuse(const diag::Diagnostic& bad, const CheckOptions& o) {
  return {2, {}, "warplens: " + diag::render(bad, configuration_at(bad), o.colour)};
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
        if (gates::is_of_run(limit->measure))
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
  if (Result<void> fine = out.gates.complete(out.options); !fine) return failure(fine.error());
  Outputs::Named files = Outputs::named(asked.gates);
  if (asked.json && asked.inputs.size() > 1 && std::ranges::find(asked.inputs, "-") != asked.inputs.end())
    return failure(diag::error("bad-option", "'-' is PTX or a source from standard input", {},
                               "leave it out: --json of check takes no file, and prints to standard output"));
  if (asked.json) files.emplace_back("--json", "-");
  if (!asked.verdicts.empty()) files.emplace_back("--verdicts", asked.verdicts);
  if (!asked.html.empty()) files.emplace_back("--html", asked.html);
  Result<Outputs> outputs = Outputs::prepare(files, asked.inputs, "check", "what is checked");
  if (!outputs) return failure(outputs.error());
  out.outputs = std::move(*outputs);
  return out;
}

// Makes the fixes, or shows them on standard output. What failed has failed, also where it is mended: a hook that goes on would
// commit what was there before.
Result<void> make_fixes(const Prepared& run, const std::vector<CheckInput>& inputs, const Examined& examined,
                        SourceTexts& sources, Output& out) {
  const GateOptions& asked = run.options.gates;
  if (!asked.fix && !asked.fix_dry_run) return {};
  Result<CheckedFixes> fixes = check_fixes(run.options, inputs, examined, sources);
  if (!fixes) return failure(fixes.error());
  if (asked.fix_dry_run) fixes->said += fixes->patch.diff_hint();
  out.err += diag::without_controls(fixes->said);
  const RunOutput output{[&](std::string_view text) { return out.out += text, true; }, {}};
  if (Result<void> shown = run.outputs.write("--fix-dry-run", fixes->patch.diff(), output); !shown)
    return shown;
  if (!asked.fix || fixes->patch.empty()) return {};
  if (Result<void> written = fixes->patch.write(); !written) return written;
  const auto failed = [](const findings::Finding* finding) { return !finding->standing.fails.empty(); };
  if (const auto count = std::ranges::count_if(fixes->answered, failed); count != 0)
    out.err += fmt::format("warplens: {} that failed {} fixed, and pass{} the next time\n",
                           count == 1 ? "a finding" : fmt::format("{} findings", count),
                           count == 1 ? "is" : "are", count == 1 ? "es" : "");
  return {};
}

// Holds the findings to the gates and says them; `more`: what text says beyond them.
Result<void> say(const Prepared& run, const std::set<std::string>& judged, findings::List& list,
                 SourceTexts& sources, const std::string& more, Output& out) {
  const CheckOptions& o = run.options;
  const auto text_of = [&](const std::string& file) { return sources.text(file); };
  const Gates::Held held = run.gates.hold(list, {text_of, {}, checked_rules(), judged, !o.kernel.empty()});
  auto append = [](std::string& to) { return [&to](std::string_view text) { return to += text, true; }; };
  const RunOutput output{append(out.out), append(out.err)};
  if (Result<void> done = run.outputs.write("--json", findings::json(list, o.version), output); !done)
    return failure(done.error());
  if (Result<void> done = write_findings(list, text_of, o.gates, o.version, run.outputs, output); !done)
    return failure(done.error());
  std::string& to = run.outputs.take_stdout() ? out.err : out.out;
  if (!run.outputs.take_stdout()) out.out += findings::text(list, text_of, o.colour) + more;
  if (o.gates.github) to += findings::github(list);
  out.err += held.said;
  if (!held.answered) out.exit_code = 2;
  if (out.exit_code == 0 && held.failing != 0) out.exit_code = 1;
  return {};
}

Result<void> write_page(const Prepared& run, const Examined& examined, SourceTexts& sources, Output& out) {
  if (run.options.html.empty()) return {};
  Result<std::string> page = check_page(run.options.inputs, examined, sources, run.options.version);
  if (!page) return failure(page.error());
  return run.outputs.write("--html", *page,
                           {[&](std::string_view text) { return out.out += text, true; }, {}});
}

} // namespace

Output check(const CheckOptions& asked) {
  Result<Prepared> prepared = prepare(asked);
  if (!prepared) return refuse(prepared.error(), asked);
  const CheckOptions& o = prepared->options;
  Result<std::vector<CheckInput>> inputs =
      inputs_of(o, [&](const std::string& file) { return prepared->gates.covers(file); });
  if (!inputs) return refuse(inputs.error(), o);
  if (inputs->empty())
    return refuse(diag::error("no-input", "[paths] of .warplens.toml leaves out every file that was given",
                              {}, "name a file itself, or change [paths]"),
                  o);
  SourceTexts sources(*inputs);
  Result<Examined> examined = examine(o, *inputs, sources);
  if (!examined) return refuse(examined.error(), o);
  const auto text_of = [&](const std::string& file) { return sources.text(file); };
  fix::propose(examined->list, text_of, clang_editor(*inputs, examined->architectures[0]->sm, text_of));
  Output out;
  out.err = std::move(examined->said);
  out.exit_code = examined->failed ? 2 : 0;
  const std::vector<check::Judgement>& judgements = examined->judgements;
  findings::List& list = examined->list;
  std::string more = o.all ? others_text(judgements, examined->architectures) : "";
  if (!o.kernel.empty() && examined->kernels == 0 && judgements.empty() && out.exit_code == 0)
    return refuse(diag::error("no-such-kernel", fmt::format("no kernel's name contains '{}'", o.kernel), {},
                              "--kernel takes a part of a kernel's name"),
                  o);
  if (out.exit_code == 0 || !judgements.empty()) more += summary(judgements, examined->kernels);
  if (!o.verdicts.empty()) {
    const RunOutput output{[&](std::string_view text) { return out.out += text, true; }, {}};
    const std::string text =
        check::verdicts_json(judgements, list, examined->architectures, from_here, o.version);
    if (Result<void> done = prepared->outputs.write("--verdicts", text, output); !done)
      return refuse(done.error(), o);
  }
  std::set<std::string> judged; // where an input was not, nothing is known of what it includes
  for (const CheckInput& input : *inputs)
    if (!examined->failed) judged.insert(from_here(input.path));
  if (Result<void> said = say(*prepared, judged, list, sources, more, out); !said)
    return refuse(said.error(), o);
  if (Result<void> written = write_page(*prepared, *examined, sources, out); !written)
    return refuse(written.error(), o);
  if (Result<void> made = make_fixes(*prepared, *inputs, *examined, sources, out); !made) {
    out.err += refuse(made.error(), o).err;
    out.exit_code = 2;
  }
  return out;
}

} // namespace warplens::driver
