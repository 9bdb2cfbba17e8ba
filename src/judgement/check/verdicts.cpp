#include "check/verdicts.h"
#include "arch/table.h"
#include "check/words.h"
#include "findings/words.h"
#include "source/places.h"
#include <nlohmann/json.hpp>

namespace warplens::check {
namespace {

using json_t = nlohmann::ordered_json;
using NameOf = std::function<std::string(const std::string&)>;

json_t text_or_null(const std::string& text) { return text.empty() ? json_t() : json_t(text); }

json_t place_json(const access::SourceFrame& place, const NameOf& name_of) {
  json_t out;
  out["file"] = place.file.empty() ? json_t() : json_t(name_of(place.file));
  out["line"] = place.line == 0 ? json_t() : json_t(place.line);
  out["column"] = place.column == 0 ? json_t() : json_t(place.column);
  return out;
}

json_t interval_json(const Interval& interval) {
  return {{"least", interval.least}, {"most", interval.most}};
}

json_t costs_json(const Costs& costs) {
  return {{"sectors", interval_json(costs.sectors)},
          {"tags", interval_json(costs.tags)},
          {"tag_passes", costs.tag_passes.most == 0 ? json_t() : interval_json(costs.tag_passes)},
          {"wavefronts", interval_json(costs.wavefronts)},
          {"requests", interval_json(costs.requests)}};
}

std::string_view certainty(const Judgement& j) {
  if (j.verdict == Verdict::unknown || j.verdict == Verdict::not_judged) return "unknown";
  return j.conditional || !j.demands.empty() ? "conditional" : "proved";
}

json_t judgement_json(const Judgement& j, const std::vector<const arch::Architecture*>& rows,
                      const NameOf& name_of) {
  json_t out = place_json(source::user_frame(j.site), name_of);
  out["kernel"] = j.kernel;
  out["array"] = text_or_null(j.array);
  out["access"] = {{"instruction", j.site.opcode},
                   {"ptx_line", j.site.ptx_line},
                   {"kind", access::name(j.site.kind)},
                   {"space", access::name(j.space)},
                   {"bytes", j.row_bytes != 0 ? j.row_bytes : j.site.bytes}};
  out["blocks"] = text(j.blocks);
  out["other_shape"] = j.other_shape;
  out["verdict"] = name(j.verdict);
  out["certainty"] = certainty(j);
  out["pattern"] = text_or_null(pattern_text(j));
  out["address"] = text_or_null(j.address);
  out["conditions"] = texts(j.conditions);
  out["demands"] = texts(j.demands);
  out["fault"] = j.fault ? json_t(fault_text(*j.fault)) : json_t();
  out["overflow"] = j.overflow ? json_t(sizes_text(*j.overflow)) : json_t();
  out["assumed"] = texts(j.assumed);
  for (Premise premise : j.premises) out["assumed"].push_back(text(premise));
  out["reasons"] = texts(j.reasons);
  out["by_stride"] = json_t::array();
  for (const Remark& remark : remarks(j))
    if (remark.kind == Remark::Kind::table) out["by_stride"].push_back(remark.text);
  out["some_lanes"] = j.any_subset;
  out["needed"] = j.needed;
  out["costs"] = json_t::array();
  for (std::size_t i = 0; i < j.costs.size(); ++i) {
    json_t& one = out["costs"].emplace_back(costs_json(j.costs[i]));
    one["sm"] = rows[i]->sm;
    const bool better = j.conditional && i < j.aligned.size() && !(j.aligned[i] == j.costs[i]);
    one["under_conditions"] = better ? costs_json(j.aligned[i]) : json_t();
  }
  return out;
}

} // namespace

std::string verdicts_json(const std::vector<Judgement>& judgements, const findings::List& list,
                          const std::vector<const arch::Architecture*>& rows, const NameOf& name_of,
                          std::string_view version) {
  json_t out{{"schema", 1}, {"tool", {{"name", "warplens"}, {"version", version}}}};
  out["complete"] = list.gaps.empty();
  out["not_judged"] = json_t::array();
  for (const diag::Diagnostic& gap : list.gaps)
    out["not_judged"].push_back({{"file", gap.span.file}, {"message", findings::gap_text(gap)}});
  out["accesses"] = json_t::array();
  for (const Judgement& j : judgements) out["accesses"].push_back(judgement_json(j, rows, name_of));
  return out.dump(1, ' ', false, json_t::error_handler_t::replace) + '\n';
}

} // namespace warplens::check
