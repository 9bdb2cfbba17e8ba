// The words of the command line become a Question, a case or a pool; the answer becomes text, JSON or a drawing. What is wrong
// with the words or with the access is explain/'s to say.
#include "driver/explain.h"
#include "arch/profiler_counters.h"
#include "base/closest.h"
#include "driver/options/architectures.h"
#include "driver/options/outputs.h"
#include "driver/pages/access_page.h"
#include "explain/expr/pool.h"
#include "explain/model/cases.h"
#include "explain/model/explanation.h"
#include "explain/view/render.h"
#include "text/words.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

namespace warplens::driver {
namespace {

using diag::Diagnostic;
using warplens::explain::Explanation;
using warplens::explain::Question;
using warplens::explain::Rejection;

// Every line of `source` is an argument of the command line, and so line 1 of its own.
std::string told(Diagnostic diagnostic, std::string_view source, bool colour) {
  for (u32 line = 1; line < diagnostic.span.line && !source.empty(); ++line)
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  if (diagnostic.span.line != 0) diagnostic.span.line = 1;
  return (diagnostic.span.file.empty() ? "warplens: " : "") + diag::render(diagnostic, source, colour);
}

Output refuse(const Diagnostic& diagnostic, const ExplainOptions& options, const std::string& source = {}) {
  return {2, {}, told(diagnostic, source, options.colour)};
}

// One form of the answer: the option that asks for it, and how it is made.
struct Form {
  std::string option;
  std::function<Result<std::string>()> text;
};

// Each form to where it was asked for, and the words, where nothing else is on standard output.
Result<void> write(std::string_view what, const std::vector<Form>& forms, const std::string& words,
                   const ExplainOptions& o, std::string& out) {
  Outputs::Named named;
  for (const auto& [option, file] : {std::pair("--json", o.json ? "-" : std::string()),
                                     std::pair("--svg", o.svg), std::pair("--html", o.html)})
    if (!file.empty()) named.emplace_back(option, file);
  for (const auto& [option, file] : named)
    if (std::ranges::find(forms, option, &Form::option) == forms.end())
      return failure(diag::error("bad-option", fmt::format("{} is not of {}", option, what), {},
                                 "--html and --svg are of an expression or of --case NAME"));
  Result<Outputs> outputs = Outputs::prepare(named, {}, "explain", "what is explained");
  if (!outputs) return failure(outputs.error());
  const RunOutput output{[&](std::string_view text) { return out += text, true; }, {}};
  for (const Form& form : forms) {
    if (std::ranges::find(named, form.option, &Outputs::Named::value_type::first) == named.end()) continue;
    Result<std::string> text = form.text();
    if (!text) return failure(text.error());
    if (Result<void> written = outputs->write(form.option, *text, output); !written) return written;
  }
  if (!outputs->take_stdout()) out += words;
  return {};
}

Output answer(const Explanation& e, const ExplainOptions& options) {
  Output out;
  Result<void> written = write("an expression",
                               {{"--json", [&] { return json(e).dump(2) + "\n"; }},
                                {"--svg", [&] { return svg(e, ""); }},
                                {"--html", [&] { return explain_page(e, options.version); }}},
                               terminal(e, {options.unicode, options.colour}), options, out.out);
  if (!written) return refuse(written.error(), options);
  for (const Diagnostic& warning : e.warnings) out.err += told(warning, e.source, options.colour);
  if (e.fault) {
    out.exit_code = 1;
    out.err += told(*e.fault, e.source, options.colour);
  }
  return out;
}

// The drawing in a page of its own, for those who show it.
std::string case_page(const warplens::explain::Case& shown) {
  std::string drawing = svg(shown);
  drawing.erase(0, drawing.find("<svg")); // without the prologue of a file
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{}</title>\n"
      "<style>body{{margin:0 auto;max-width:60rem}}svg{{width:100%;height:auto}}</style>\n{}</html>\n",
      shown.title, drawing);
}

Output built_in(const ExplainOptions& options) {
  const warplens::explain::Case* found = warplens::explain::find_case(options.case_name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const warplens::explain::Case& one : warplens::explain::cases()) names.emplace_back(one.name);
    const std::string near = closest(options.case_name, names);
    return refuse(diag::error("explain-case", fmt::format("there is no case '{}'", options.case_name), {},
                              near.empty() ? "`warplens explain --case` lists them"
                                           : fmt::format("did you mean '{}'?", near)),
                  options);
  }
  Output out;
  Result<void> written = write("--case",
                               {{"--json", [&] { return json(*found).dump(2) + "\n"; }},
                                {"--svg", [&] { return svg(*found); }},
                                {"--html", [&] { return case_page(*found); }}},
                               terminal(*found, {options.unicode, options.colour}), options, out.out);
  return written ? out : refuse(written.error(), options);
}

Output check_pool(const ExplainOptions& options) {
  Result<const arch::Architecture*> row = architecture_named(options.sm);
  if (!row) return refuse(row.error(), options);
  ResultOr<warplens::explain::Pool, Rejection> pool = warplens::explain::pool(options.pool, arch::sm(**row));
  if (!pool) return refuse(pool.error().diagnostic, options, pool.error().source);
  Output out{all_fit(*pool) ? 0 : 1, {}, {}};
  Result<void> written = write("--pool", {{"--json", [&] { return json(*pool).dump(2) + "\n"; }}},
                               terminal(*pool, {options.unicode, options.colour}), options, out.out);
  return written ? out : refuse(written.error(), options);
}

// "sectors per request" is in the names of counters; a mistyped name is like one of them.
std::string counter_like(std::string words) {
  std::ranges::replace(words, ' ', '_');
  const std::vector<std::string> names = arch::counter_names();
  const auto with =
      std::ranges::find_if(names, [&](const std::string& one) { return one.find(words) != one.npos; });
  return with != names.end() ? *with : closest(words, names);
}

// What a profiler's counter means, and what a value of it says.
Output counter(const ExplainOptions& options) {
  const std::string& name = options.counter[0];
  std::optional<arch::CounterMeaning> meaning = arch::counter_meaning(name);
  if (!meaning) {
    const std::string near = counter_like(name);
    return refuse(diag::error("explain-counter",
                              fmt::format("neither a profiler nor WarpLens has a counter '{}'", name), {},
                              near.empty()
                                  ? "take the name as Nsight Compute or nvprof prints it, for example "
                                    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum or gld_efficiency"
                                  : fmt::format("did you mean '{}'?", near)),
                  options);
  }
  std::string said;
  if (options.counter.size() > 1) {
    std::string text = options.counter[1];
    std::erase_if(text, [](char c) { return c == ',' || c == '%'; });
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
      return refuse(diag::error("explain-numbers", fmt::format("'{}' is not a number", options.counter[1]),
                                {}, "write --counter NAME 12.5"),
                    options);
    said = arch::judge_counter(name, value);
    if (said.empty()) said = "No value of it is good or bad alone: hold it against that of another version.";
  }
  Output out;
  if (options.json) {
    nlohmann::json json = {
        {"schema", 1}, {"counter", name}, {"counts", meaning->counts}, {"memory", meaning->memory}};
    if (!meaning->costs.empty()) json["costs"] = meaning->costs;
    if (!meaning->ours.empty()) json["warplens"] = meaning->ours;
    if (!said.empty()) json["value"] = said;
    out.out = json.dump(2) + "\n";
    return out;
  }
  constexpr u32 width = 100;
  out.out = name + '\n' + text::wrap(meaning->counts, "  counts: ", width);
  if (!said.empty()) out.out += text::wrap(said, "  value: ", width);
  if (!meaning->costs.empty()) out.out += text::wrap(meaning->costs, "  costs time: ", width);
  if (!meaning->ours.empty())
    out.out += text::wrap(meaning->ours, "  in WarpLens: ", width);
  else if (!meaning->memory)
    out.out += "  WarpLens does not count it: it is not of memory.\n";
  return out;
}

// "bank conflict", "coalesced": the case that has it in its name. Null where none has, or it is an access after all.
const warplens::explain::Case* case_like(std::string words) {
  constexpr std::size_t least = 4; // letters: "i" is a mistyped index
  std::ranges::replace(words, ' ', '-');
  for (const warplens::explain::Case& one : warplens::explain::cases())
    if (words.size() >= least && one.name.find(words) != one.name.npos) return &one;
  return nullptr;
}

} // namespace

Output explain(const ExplainOptions& options) {
  if (!options.counter.empty()) return counter(options);
  if (options.list_cases) {
    Output out;
    Result<void> written =
        write("the list of cases", {}, warplens::explain::terminal_list({options.unicode, options.colour}),
              options, out.out);
    return written ? out : refuse(written.error(), options);
  }
  if (!options.case_name.empty()) return built_in(options);
  if (!options.pool.empty()) return check_pool(options);
  Result<const arch::Architecture*> row = architecture_named(options.sm);
  if (!row) return refuse(row.error(), options);
  Result<Question> question = question_of(options.asked, arch::sm(**row));
  if (!question) return refuse(question.error(), options);
  ResultOr<Explanation, Rejection> explanation = warplens::explain::explain(*question);
  if (explanation) return answer(*explanation, options);
  if (const warplens::explain::Case* one = case_like(options.asked.access))
    return refuse(diag::error("explain-case", fmt::format("'{}' is no access", options.asked.access), {},
                              fmt::format("`warplens explain --case {}` draws one", one->name)),
                  options);
  return refuse(explanation.error().diagnostic, options, explanation.error().source);
}

} // namespace warplens::driver
