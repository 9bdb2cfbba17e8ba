// The file read and written, and what became of each finding. See baseline.h; which finding is which: partners.h.
#include "gates/baseline.h"
#include "base/nesting.h"
#include "findings/words.h"
#include "gates/own_rules.h"
#include "gates/partners.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace warplens::gates {
namespace {

using findings::Finding;
using json_t = nlohmann::ordered_json;

// Counts are exact, and written to 17 digits: beyond this it is another number.
constexpr double same = 1 + 1e-6;

double value_of(const findings::Cost& cost) { return cost.average.value_or(cost.most); }

Known known_of(const Finding& finding) {
  Known out{std::string(findings::name(finding.rule)), {}, finding.source, finding.kernel};
  out.array = finding.array;
  if (!finding.place.empty()) {
    out.file = finding.place.front().file;
    out.line = finding.place.front().line;
    out.function = finding.place.front().function;
  }
  for (const findings::Cost& cost : finding.costs)
    out.values.push_back({cost.sm, cost.counter, value_of(cost)});
  return out;
}

bool is_worse(const Known& before, const Finding& now) {
  for (const findings::Cost& cost : now.costs)
    for (const Known::Value& value : before.values)
      if (value.sm == cost.sm && value.counter == cost.counter && value_of(cost) > value.value * same)
        return true;
  return false;
}

diag::Diagnostic
bad(std::string message, diag::Span place,
    std::string help = "--write-baseline FILE makes one anew; check what changed with your version control") {
  return diag::error("bad-baseline", std::move(message), std::move(place), std::move(help));
}

// Where a byte of the text is.
diag::Span span_at(std::string_view text, std::size_t byte, const std::string& file) {
  text = text.substr(0, std::min(byte, text.size()));
  const std::size_t newline = text.rfind('\n');
  return {file, static_cast<u32>(std::ranges::count(text, '\n') + 1),
          static_cast<u32>(newline == text.npos ? text.size() : text.size() - newline - 1), 0};
}

std::string string_in(const json_t& object, const char* key) {
  auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

// Nothing where it is no finding.
std::optional<Known> read_known(const json_t& object) {
  if (!object.is_object()) return {};
  Known out{string_in(object, "rule"), string_in(object, "file"), string_in(object, "source"),
            string_in(object, "kernel")};
  out.function = string_in(object, "function");
  out.array = string_in(object, "array");
  if (out.rule.empty()) return {};
  if (auto line = object.find("line"); line != object.end() && line->is_number_unsigned()) out.line = *line;
  auto costs = object.find("costs");
  if (costs == object.end() || !costs->is_array()) return {};
  for (const json_t& cost : *costs) {
    if (!cost.is_object()) return {};
    const json_t* value = nullptr; // as value_of() has it
    for (const char* key : {"value", "average", "most"})
      if (auto found = cost.find(key); value == nullptr && found != cost.end() && found->is_number())
        value = &*found;
    auto sm = cost.find("sm");
    if (value == nullptr || sm == cost.end() || !sm->is_number_unsigned()) return {};
    if (!(value->get<double>() >= 0 && std::isfinite(value->get<double>()))) return {}; // counts
    out.values.push_back({*sm, string_in(cost, "counter"), *value});
  }
  return out;
}

// A list of findings, as findings::json() writes it.
bool is_findings(const json_t& document) {
  auto tool = document.find("tool");
  return !document.contains("kind") && !document.contains("launches") && tool != document.end() &&
         tool->is_object() && string_in(*tool, "name") == "warplens";
}

} // namespace

Result<Baseline> read_baseline(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return failure(bad(fmt::format("the baseline '{}' is empty", file), {file, 0, 0, 0}));
  if (const std::optional<std::size_t> byte = nested_too_deep(text))
    return failure(bad(fmt::format("'{}' is no baseline: it is nested more than {} deep", file, most_nested),
                       span_at(text, *byte + 1, file)));
  json_t document;
  try { // the library's only way to say where
    document = json_t::parse(text);
  } catch (const json_t::parse_error& error) {
    return failure(
        bad(fmt::format("'{}' is no baseline: it is not JSON", file), span_at(text, error.byte, file)));
  } catch (const json_t::out_of_range&) {
    return failure(bad(fmt::format("'{}' holds a number that is too large", file), {file, 0, 0, 0}));
  }
  const diag::Span place{file, 0, 0, 0};
  if (!document.is_object() || (string_in(document, "kind") != "warplens-baseline" && !is_findings(document)))
    return failure(
        bad(fmt::format("'{}' is no baseline: it says no kind \"warplens-baseline\"", file), place));
  if (auto schema = document.find("schema"); schema == document.end() || *schema != 1)
    return failure(
        bad(fmt::format("'{}' is of a version that this one does not know", file), place,
            "use the WarpLens that wrote it, or a newer one; or --write-baseline FILE makes one anew"));
  if (auto gaps = document.find("not_judged"); gaps != document.end() && gaps->is_array())
    for (const json_t& gap : *gaps)
      if (gap.is_object() && string_in(gap, "severity") == "error")
        return failure(bad(fmt::format("'{}' lacks findings: {}", file, string_in(gap, "message")), place,
                           "mend that, and write the findings again"));
  auto list = document.find("findings");
  if (list == document.end() || !list->is_array())
    return failure(bad(fmt::format("'{}' has no list of findings", file), place));
  Baseline out;
  if (auto of_run = document.find("of_run"); of_run != document.end() && of_run->is_boolean())
    out.of_run = of_run->get<bool>();
  else if (auto all = document.find("all"); all != document.end()) // of a list of findings
    out.of_run = !all->is_null();
  for (const json_t& one : *list) {
    if (one.is_object() && !string_in(one, "suppressed").empty()) continue;
    std::optional<Known> known = read_known(one);
    if (!known)
      return failure(
          bad(fmt::format("finding {} of '{}' cannot be read", out.findings.size() + 1, file), place));
    out.findings.push_back(std::move(*known));
  }
  return out;
}

std::string write_baseline(const findings::List& list, std::string_view version) {
  json_t out{{"kind", "warplens-baseline"}, {"schema", 1}, {"version", version}};
  out["of_run"] = findings::is_of_run(list);
  out["findings"] = json_t::array();
  for (const Finding& finding : list.findings) {
    if (finding.standing.suppressed || is_about_comments(finding.rule)) continue;
    const Known known = known_of(finding);
    json_t one{{"rule", known.rule},     {"file", known.file},     {"line", known.line},
               {"source", known.source}, {"kernel", known.kernel}, {"function", known.function},
               {"array", known.array}};
    one["costs"] = json_t::array();
    for (const Known::Value& value : known.values)
      one["costs"].push_back({{"sm", value.sm}, {"counter", value.counter}, {"value", value.value}});
    out["findings"].push_back(std::move(one));
  }
  return out.dump(1, ' ', false, json_t::error_handler_t::replace) + '\n';
}

std::vector<Known> compare(findings::List& list, const Baseline& baseline) {
  const std::vector<Known>& known = baseline.findings;
  std::vector<Known> found;
  for (const Finding& finding : list.findings) found.push_back(known_of(finding));
  const std::vector<std::size_t> partners = partners_of(known, found);
  std::vector<bool> taken(known.size());
  const auto line = [](const Known& one) {
    return std::tie(one.rule, one.file, one.line, one.source, one.array);
  };
  std::map<decltype(line(Known())), u64> room; // for findings on a line: as many as it had
  for (const Known& one : known) ++room[line(one)];
  for (std::size_t f = 0; f < found.size(); ++f) {
    Finding& finding = list.findings[f];
    if (is_about_comments(finding.rule)) continue;
    using Standing = findings::Standing::Baseline;
    finding.standing.baseline = Standing::fresh;
    if (partners[f] == known.size()) continue;
    const Known& before = known[partners[f]];
    taken[partners[f]] = true;
    u64& left = room.at(line(before));
    // An edited line may have more accesses; of one that is as it was, another compiler tells more apart (partners.h).
    const bool more = left == 0 && before.source != finding.source, costs_more = is_worse(before, finding);
    left -= left != 0;
    finding.standing.baseline = more || costs_more ? Standing::worse : Standing::unchanged;
    if (costs_more)
      for (const Known::Value& value : before.values)
        finding.notes.push_back({fmt::format("the baseline has {:g} {}", value.value, value.counter), {}});
    else if (more)
      finding.notes.push_back({"the baseline has fewer findings of this line, which was edited", {}});
  }
  // Of several on one line that became one (partners.h) none is gone.
  std::set<decltype(line(Known()))> there;
  for (std::size_t k = 0; k < known.size(); ++k)
    if (taken[k]) there.insert(line(known[k]));
  std::vector<Known> gone;
  for (std::size_t k = 0; k < known.size(); ++k)
    if (!taken[k] && !there.contains(line(known[k]))) gone.push_back(known[k]);
  return gone;
}

} // namespace warplens::gates
