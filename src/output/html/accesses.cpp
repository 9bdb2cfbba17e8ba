// One access, with its warps, and one cause with its accesses.
#include "arch/count.h"
#include "html/report_data.h"
#include "measure/totals.h"
#include "summary/findings.h"
#include "summary/pattern_text.h"
#include <algorithm>

namespace warplens::html {
namespace {

using measure::WarpClass;
using summary::AccessRow;

Json cost_json(Scribe& scribe, const summary::Cost& cost) {
  return {rounded(cost.actual), rounded(cost.ideal), scribe.text(std::string(cost.unit))};
}

// What a class's warps look like, in words.
std::string text_of(const WarpClass& c, const access::Site& site) {
  measure::Pattern pattern{.shape = c.shape, .lanes = c.one.lanes, .ways = c.ways, .share = 1};
  pattern.units = c.shape.form == measure::Form::conflict             ? c.ways
                  : c.shape.form == measure::Form::distinct_constants ? c.one.cost
                  : c.warps == 0                                      ? 0
                                 : static_cast<u32>((c.counts.sectors + c.warps / 2) / c.warps);
  return summary::describe(pattern, site);
}

// Instructions that are one access to a reader have classes of their own: those that look and cost the same are one here.
std::vector<WarpClass> joined(const std::vector<WarpClass>& classes) {
  std::vector<WarpClass> out;
  for (const WarpClass& c : classes) {
    auto same = std::ranges::find_if(
        out, [&](const WarpClass& other) { return other.shape == c.shape && other.one == c.one; });
    if (same == out.end())
      out.push_back(c);
    else
      same->warps += c.warps, same->counts += c.counts;
  }
  return out;
}

// The classes that are drawn: the first, which costs most beyond need in all, the one whose warps cost most each, and the
// one with most warps.
std::vector<std::size_t> drawn(const std::vector<WarpClass>& classes) {
  if (classes.empty()) return {};
  std::size_t worst = 0, most = 0;
  for (std::size_t i = 1; i < classes.size(); ++i) {
    if (classes[i].one.cost > classes[worst].one.cost) worst = i;
    if (classes[i].warps > classes[most].warps) most = i;
  }
  return {0, worst, most};
}

// [warps, cost each, ideal cost each], and of those that are drawn: what they look like, and the picture.
Json classes_json(Scribe& scribe, const AccessRow& row) {
  const std::vector<WarpClass> classes = joined(row.distribution.classes);
  const std::vector<std::size_t> shown = drawn(classes);
  Json out = Json::array();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const summary::Cost cost = summary::cost_of(classes[i].counts, row.space, row.site, scribe.device());
    Json one = {classes[i].warps, rounded(cost.actual), rounded(cost.ideal)};
    if (std::ranges::find(shown, i) != shown.end()) {
      one.push_back(scribe.text(text_of(classes[i], row.site)));
      one.push_back(scribe.picture(classes[i].example));
    }
    out.push_back(std::move(one));
  }
  return out;
}

// [before, after] of the metric by device; null where that is not known.
Json effects_json(const std::vector<std::optional<summary::Effect>>& effects) {
  Json out = Json::array();
  for (const std::optional<summary::Effect>& effect : effects)
    out.push_back(effect ? Json{effect->before, effect->after} : Json());
  return out;
}

Json fix_json(Scribe& scribe, const advise::Advice& advice,
              const std::vector<std::optional<summary::Effect>>& effects) {
  Json out{{"rule", scribe.text(std::string(findings::name(advice.rule)))},
           {"title", scribe.text(advice.title)},
           {"cause", scribe.text(advice.cause)},
           {"change", scribe.text(advice.change)},
           {"sure", scribe.text(std::string(advise::name(advice.confidence)))},
           {"metric", scribe.text(std::string(advise::name(advice.metric)))},
           {"effect", effects_json(effects)}};
  if (!advice.example.empty()) out["example"] = scribe.text(advice.example);
  if (advice.wait_cycles != 0) out["wait"] = advice.wait_cycles;
  if (advice.by_itself) out["itself"] = advise::value(advice.metric, *advice.by_itself);
  if (advice.lanes) out["pic"] = scribe.picture(*advice.lanes);
  return out;
}

Json costs_json(Scribe& scribe, const AccessRow& row) {
  std::vector<Json> out;
  for (std::size_t a = 0; a < scribe.architectures.size(); ++a)
    out.push_back(
        cost_json(scribe, summary::cost_of(a < row.counters.size() ? row.counters[a] : arch::Counts{},
                                           row.space, row.site, scribe.architectures[a])));
  return by_device(std::move(out));
}

Json judged_json(Scribe& scribe, const Judged& judged) {
  static constexpr std::string_view standings[] = {"fine", "conditional", "costly", "possible", "undecided"};
  Json out{{"standing", standings[static_cast<std::size_t>(judged.standing)]},
           {"verdict", scribe.text(judged.verdict)},
           {"needed", judged.needed},
           {"wide", judged.any_stride},
           {"bounds", Json::array()}};
  for (const auto& [least, most] : judged.bounds) out["bounds"].push_back({least, most});
  for (const std::string& condition : judged.conditions) out["if"].push_back(scribe.text(condition));
  for (const std::string& note : judged.notes) out["notes"].push_back(scribe.text(note));
  return out;
}

} // namespace

Json access_data(Scribe& scribe, u32 kernel, const summary::Line& line, const AccessRow& row) {
  const access::Site& site = row.site;
  Json out{{"k", kernel}, {"f", line.place.line == 0 ? -1 : scribe.file(line.place.file)}};
  out["l"] = line.place.line;
  if (!line.function.empty()) out["fn"] = scribe.text(line.function);
  for (const access::SourceFrame& call : line.calls)
    out["via"].push_back({scribe.file(call.file), call.line});
  out["what"] = scribe.text(summary::access_name(row));
  out["op"] = scribe.text(std::string(access::name(site.kind)));
  out["space"] = scribe.text(std::string(access::name(row.space)));
  out["ptx"] = scribe.text(site.opcode);
  if (const std::string array = summary::array_name(site.array); !array.empty())
    out["array"] = scribe.text(array);
  const std::optional<Judged> judged = scribe.about.judged ? scribe.about.judged(site) : std::nullopt;
  out["pattern"] = scribe.text(judged && !judged->words.empty() ? judged->words : summary::pattern_text(row));
  if (judged) out["judged"] = judged_json(scribe, *judged);
  if (row.sites > 1) out["sites"] = row.sites;
  if (site.timing_dependent != access::Timing::none)
    out["timing"] = scribe.text(std::string(access::name(site.timing_dependent)));
  out["cost"] = costs_json(scribe, row);
  if (Json parts = parts_json(line.ranks, line.devices); !parts.empty()) out["parts"] = std::move(parts);
  out["n"] =
      counts_by_device(scribe, row.counters, row.space, site, Excess{row.excess_bytes, row.excess_cycles});
  out["classes"] = classes_json(scribe, row);
  if (row.distribution.other_warps != 0) out["other"] = row.distribution.other_warps;
  out["fixes"] = Json::array();
  for (std::size_t i = 0; i < row.advice.size(); ++i)
    out["fixes"].push_back(fix_json(scribe, row.advice[i], row.effects[i]));
  return out;
}

Json finding_data(Scribe& scribe, const summary::Finding& finding,
                  const std::vector<std::vector<u32>>& first) {
  const report::Page& page = scribe.words;
  const AccessRow& worst = report::row_of(page, finding.accesses[0]);
  Json out{{"share", rounded(finding.share)},
           {"bytes", finding.excess_bytes},
           {"cycles", finding.excess_cycles},
           {"wait", finding.wait_cycles},
           {"places", report::places_text(page, finding)},
           {"kernels", report::kernel_names(page, finding)}};
  out["cost"] = cost_json(scribe, finding.cost);
  out["n"] = counts_of(finding.counts, worst.space, worst.site, scribe.device(),
                       Excess{finding.excess_bytes, finding.excess_cycles});
  if (finding.predicted)
    out["predicted"] = {scribe.text(std::string(advise::name(finding.predicted->metric))),
                        finding.predicted->before, finding.predicted->after};
  const advise::Advice* main = summary::main_advice(worst);
  if (main != nullptr) out["fix"] = main - worst.advice.data();
  std::vector<std::string> arrays;
  for (const summary::Finding::Access& access : finding.accesses) {
    out["accesses"].push_back(first[access.kernel][access.line] + access.row);
    if (std::string array = summary::array_name(report::row_of(page, access).site.array); !array.empty())
      text::add_new(arrays, array);
  }
  out["arrays"] = arrays;
  return out;
}

} // namespace warplens::html
