// SARIF by the OASIS standard 2.1.0; section numbers below are of that text. What it asks for beyond its schema: where one
// result has a baselineState or suppressions, all have (3.27.24, 3.27.23); a region's end column is one past the last
// character (3.30.8); rules are referred to by index, too (3.27.6).
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warplens::findings {
namespace {

using json_t = nlohmann::ordered_json;

// A path as a URI (RFC 3986): what is not allowed in a path is escaped byte by byte.
std::string uri_of(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-._~/!$&'()*+,;=@").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<u8>(c));
  }
  return out;
}

json_t artifact(const std::string& file) {
  json_t out{{"uri", uri_of(file)}};
  if (!file.starts_with('/')) out["uriBaseId"] = "SRCROOT";
  return out;
}

json_t physical(const access::SourceFrame& place, const std::string& source) {
  json_t out{{"artifactLocation", artifact(place.file)}};
  if (place.line == 0) return out;
  json_t& region = out["region"];
  region["startLine"] = place.line;
  if (place.column != 0) region["startColumn"] = place.column;
  if (!source.empty()) region["snippet"]["text"] = source;
  return out;
}

json_t location(const access::SourceFrame& place, const std::string& text) {
  json_t out{{"physicalLocation", physical(place, "")}};
  if (!text.empty()) out["message"]["text"] = text;
  return out;
}

json_t place_json(const Finding& finding) {
  json_t out = json_t::object();
  if (!finding.place.empty() && !finding.place.front().file.empty())
    out["physicalLocation"] = physical(finding.place.front(), finding.source);
  if (!finding.kernel.empty())
    out["logicalLocations"].push_back({{"fullyQualifiedName", finding.kernel}, {"kind", "function"}});
  return out;
}

// The calls that were inlined, outermost first, then the access.
json_t code_flow(const Finding& finding) {
  json_t locations = json_t::array();
  for (std::size_t i = finding.place.size(); i-- > 0;) {
    json_t one = location(finding.place[i], i == 0 ? finding.message : "a call that was inlined");
    locations.push_back({{"location", std::move(one)}, {"nestingLevel", finding.place.size() - 1 - i}});
  }
  json_t out;
  out["threadFlows"].push_back({{"locations", std::move(locations)}});
  return out;
}

json_t related(const Finding& finding) {
  json_t out = json_t::array();
  auto add = [&](const access::SourceFrame& place, const std::string& text) {
    if (place.file.empty()) return;
    json_t one = location(place, text);
    one["id"] = out.size() + 1;
    out.push_back(std::move(one));
  };
  for (std::size_t i = 1; i < finding.place.size(); ++i) add(finding.place[i], "inlined here");
  for (const Note& note : finding.notes)
    if (note.place) add(*note.place, note.text);
  return out;
}

json_t sarif_fix(const Fix& fix) {
  json_t out;
  out["description"]["text"] = fix.text;
  json_t& changes = out["artifactChanges"] = json_t::array();
  for (const Edit& edit : fix.edits) {
    json_t where = artifact(edit.file);
    auto same =
        std::ranges::find_if(changes, [&](const json_t& c) { return c["artifactLocation"] == where; });
    if (same == changes.end()) {
      changes.push_back({{"artifactLocation", where}, {"replacements", json_t::array()}});
      same = changes.end() - 1;
    }
    (*same)["replacements"].push_back({{"deletedRegion",
                                        {{"startLine", edit.line},
                                         {"startColumn", edit.column},
                                         {"endLine", edit.end_line},
                                         {"endColumn", edit.end_column}}},
                                       {"insertedContent", {{"text", edit.replacement}}}});
  }
  return out;
}

// What SARIF has no member for.
json_t properties(const Finding& finding) {
  json_t out{{"certainty", name(finding.certainty)}};
  if (!finding.array.empty()) out["array"] = finding.array;
  for (const std::string& condition : finding.conditions) out["conditions"].push_back(condition);
  for (const Cost& cost : finding.costs) {
    json_t one{{"sm", cost.sm}, {"counter", cost.counter}, {"least", cost.least}, {"most", cost.most}};
    if (cost.average) one["average"] = *cost.average;
    if (cost.needed != 0) one["needed"] = cost.needed;
    if (cost.fixed) one["fixed"] = *cost.fixed;
    out["costs"].push_back(std::move(one));
  }
  if (const auto& weight = finding.weight) {
    out["weight"] = {{"movedBytes", weight->moved_bytes},
                     {"excessBytes", weight->excess_bytes},
                     {"share", weight->share},
                     {"saved", weight->saved}};
    if (weight->sampled) out["weight"]["sampled"] = true;
  }
  if (!finding.standing.fails.empty()) out["fails"] = finding.standing.fails;
  return out;
}

const char* baseline_state(Standing::Baseline baseline) {
  switch (baseline) {
  case Standing::Baseline::none: return nullptr;
  case Standing::Baseline::fresh: return "new";
  case Standing::Baseline::unchanged: return "unchanged";
  case Standing::Baseline::worse: return "updated";
  }
  return nullptr;
}

json_t rule_json(Rule rule) {
  const RuleEntry& known = entry(rule);
  json_t out{{"id", known.id}};
  out["shortDescription"]["text"] = fmt::format("{}.", known.summary);
  out["fullDescription"]["text"] = fmt::format("{}.", known.summary);
  out["help"] = {{"text", known.help}, {"markdown", known.help}};
  out["defaultConfiguration"]["level"] = name(known.severity);
  out["properties"]["tags"] = {"cuda", "performance", "memory"};
  return out;
}

json_t result_json(const Finding& finding, std::size_t rule_index, const std::string& fingerprint,
                   bool any_suppressed) {
  json_t out{{"ruleId", name(finding.rule)},
             {"ruleIndex", rule_index},
             {"level", name(finding.severity)},
             {"message", {{"text", paragraph(finding)}}}};
  out["locations"] = json_t::array();
  if (json_t place = place_json(finding); !place.empty()) out["locations"].push_back(std::move(place));
  if (json_t others = related(finding); !others.empty()) out["relatedLocations"] = std::move(others);
  if (finding.place.size() > 1) out["codeFlows"].push_back(code_flow(finding));
  if (finding.fix && !finding.fix->edits.empty()) out["fixes"].push_back(sarif_fix(*finding.fix));
  if (const char* state = baseline_state(finding.standing.baseline)) out["baselineState"] = state;
  if (any_suppressed) out["suppressions"] = json_t::array();
  if (finding.standing.suppressed)
    out["suppressions"].push_back({{"kind", "inSource"}, {"justification", *finding.standing.suppressed}});
  if (finding.weight) out["rank"] = std::clamp(finding.weight->share * 100, 0.0, 100.0);
  out["partialFingerprints"]["warplens/v1"] = fingerprint;
  out["properties"] = properties(finding);
  return out;
}

// Columns count bytes in findings, and UTF-16 code units in SARIF (3.14.17).
class Columns {
public:
  explicit Columns(const SourceText& source) : source_(source) {}

  u32 utf16(const access::SourceFrame& place) {
    const std::vector<std::string_view>* lines = source_ && place.line != 0 ? lines_of(place.file) : nullptr;
    if (lines == nullptr || place.line > lines->size()) return place.column;
    const std::string_view before =
        (*lines)[place.line - 1].substr(0, place.column == 0 ? 0 : place.column - 1);
    u32 out = place.column;
    for (char c : before) { // UTF-8: bytes behind the first count nothing, four of them are two units
      const u8 byte = static_cast<u8>(c);
      out -= (byte & 0xc0) == 0x80;
      out += byte >= 0xf0;
    }
    return out;
  }

private:
  // None of a file that is ASCII.
  const std::vector<std::string_view>* lines_of(const std::string& file) {
    auto [known, fresh] = files_.try_emplace(file);
    std::vector<std::string_view>& lines = known->second;
    if (std::string_view text = fresh ? source_(file) : "";
        !std::ranges::all_of(text, [](char c) { return c >= 0; }))
      while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
    return lines.empty() ? nullptr : &lines;
  }

  const SourceText& source_;
  std::map<std::string, std::vector<std::string_view>> files_;
};

std::vector<Finding> with_utf16_columns(std::vector<Finding> findings, const SourceText& source) {
  Columns columns(source);
  for (Finding& finding : findings) {
    std::vector<access::SourceFrame> frames = finding.place.all();
    for (access::SourceFrame& frame : frames) frame.column = columns.utf16(frame);
    finding.place = access::SourceStack(std::move(frames));
    for (Note& note : finding.notes)
      if (note.place) note.place->column = columns.utf16(*note.place);
  }
  return findings;
}

// Whether all was judged (3.20.14), and what was not (3.20.21). Who reads results must not take those that are absent for mended.
json_t invocation(const List& list) {
  json_t out{{"executionSuccessful", is_conclusive(list)}};
  for (const diag::Diagnostic& gap : list.gaps) {
    json_t one{{"level", diag::name(gap.severity)}, {"message", {{"text", gap_text(gap)}}}};
    one["descriptor"]["id"] = gap.kind;
    if (!gap.span.file.empty())
      one["locations"].push_back(location({gap.span.file, gap.span.line, gap.span.column, {}}, ""));
    out["toolExecutionNotifications"].push_back(std::move(one));
  }
  return out;
}

} // namespace

std::string sarif(const List& given, std::string_view version, const SourceText& source) {
  const std::vector<Finding> findings = with_utf16_columns(given.findings, source);
  std::vector<Rule> used; // rules, in order of appearance
  const std::vector<std::string> prints = fingerprints(findings);
  const bool any_suppressed =
      std::ranges::any_of(findings, [](const Finding& f) { return f.standing.suppressed.has_value(); });
  json_t results = json_t::array(), rules = json_t::array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    auto place = std::ranges::find(used, finding.rule);
    const auto index = static_cast<std::size_t>(place - used.begin());
    if (place == used.end()) {
      used.push_back(finding.rule);
      rules.push_back(rule_json(finding.rule));
    }
    results.push_back(result_json(finding, index, prints[i], any_suppressed));
  }
  json_t driver{{"name", "WarpLens"}, {"version", version}, {"rules", std::move(rules)}};
  json_t run{
      {"tool", {{"driver", std::move(driver)}}},
      {"originalUriBaseIds", {{"SRCROOT", {{"description", {{"text", "the folder that warplens ran in"}}}}}}},
      {"columnKind", "utf16CodeUnits"}};
  run["invocations"].push_back(invocation(given));
  run["results"] = std::move(results);
  json_t out{{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"},
             {"version", "2.1.0"}};
  out["runs"].push_back(std::move(run));
  return out.dump(1, ' ', false, json_t::error_handler_t::replace) + '\n';
}

} // namespace warplens::findings
