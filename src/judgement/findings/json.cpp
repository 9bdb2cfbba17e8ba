// The form of findings for programs: --findings, and check's --json. Its schema is docs/schema/findings-1.schema.json.
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <nlohmann/json.hpp>

namespace warplens::findings {
namespace {

using json_t = nlohmann::ordered_json;

json_t text_or_null(const std::string& text) { return text.empty() ? json_t() : json_t(text); }
json_t number_or_null(u64 number) { return number == 0 ? json_t() : json_t(number); }

void put_place(json_t& out, const access::SourceFrame& place) {
  out["file"] = text_or_null(place.file);
  out["line"] = number_or_null(place.line);
  out["column"] = number_or_null(place.column);
}

json_t cost_json(const Cost& cost) {
  return {{"sm", cost.sm},
          {"counter", cost.counter},
          {"least", cost.least},
          {"most", cost.most},
          {"average", cost.average ? json_t(*cost.average) : json_t()},
          {"needed", cost.needed},
          {"fixed", cost.fixed ? json_t(*cost.fixed) : json_t()}};
}

json_t fix_json(const Fix& fix) {
  json_t out{{"text", fix.text}, {"example", text_or_null(fix.example)}};
  out["edits"] = json_t::array();
  for (const Edit& edit : fix.edits)
    out["edits"].push_back({{"file", edit.file},
                            {"line", edit.line},
                            {"column", edit.column},
                            {"end_line", edit.end_line},
                            {"end_column", edit.end_column},
                            {"replacement", edit.replacement}});
  return out;
}

json_t weight_json(const std::optional<Weight>& weight) {
  if (!weight) return {};
  json_t out{{"moved_bytes", weight->moved_bytes},
             {"excess_bytes", weight->excess_bytes},
             {"share", weight->share},
             {"saved", weight->saved}};
  if (weight->sampled) out["sampled"] = true;
  return out;
}

json_t finding_json(const Finding& finding) {
  json_t out{{"rule", name(finding.rule)},
             {"severity", name(finding.severity)},
             {"certainty", name(finding.certainty)}};
  put_place(out, place_of(finding));
  out["inlined_at"] = json_t::array();
  for (std::size_t i = 1; i < finding.place.size(); ++i)
    put_place(out["inlined_at"].emplace_back(), finding.place[i]);
  out["kernel"] = text_or_null(finding.kernel);
  out["array"] = text_or_null(finding.array);
  out["source"] = text_or_null(finding.source);
  out["message"] = finding.message;
  out["conditions"] = finding.conditions;
  out["notes"] = json_t::array();
  for (const Note& note : finding.notes) {
    json_t& one = out["notes"].emplace_back();
    one["text"] = note.text;
    put_place(one, note.place.value_or(access::SourceFrame{}));
  }
  out["costs"] = json_t::array();
  for (const Cost& cost : finding.costs) out["costs"].push_back(cost_json(cost));
  out["fix"] = finding.fix ? fix_json(*finding.fix) : json_t();
  out["weight"] = weight_json(finding.weight);
  const Standing& standing = finding.standing;
  out["baseline"] =
      standing.baseline == Standing::Baseline::none ? json_t() : json_t(name(standing.baseline));
  out["suppressed"] = standing.suppressed ? json_t(*standing.suppressed) : json_t();
  out["fails"] = text_or_null(standing.fails);
  return out;
}

} // namespace

std::string json(const List& list, std::string_view version) {
  json_t out{{"schema", 1}, {"tool", {{"name", "warplens"}, {"version", version}}}};
  out["findings"] = json_t::array();
  for (const Finding& finding : list.findings) out["findings"].push_back(finding_json(finding));
  out["complete"] = list.gaps.empty();
  out["not_judged"] = json_t::array();
  for (const diag::Diagnostic& gap : list.gaps) {
    json_t& one = out["not_judged"].emplace_back();
    put_place(one, {gap.span.file, gap.span.line, gap.span.column, {}});
    one["severity"] = name(gap.severity);
    one["message"] = gap.message;
    one["notes"] = gap.notes;
    one["help"] = text_or_null(gap.help);
  }
  out["accesses"] = list.accesses.size();
  out["all"] = weight_json(list.all);
  return out.dump(1, ' ', false, json_t::error_handler_t::replace) + '\n';
}

} // namespace warplens::findings
