// Counters, relations and limits read from words, and a cost held against them. See comparison.h.
#include "gates/comparison.h"
#include "base/blanks.h"
#include "base/closest.h"
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace warplens::gates {
namespace {

diag::Diagnostic bad_condition(std::string message, const diag::Span& where) {
  return diag::error("bad-comparison", std::move(message), where,
                     "write e.g. sectors-per-request>8, wavefronts<=2 or excess>20%");
}

constexpr Measure measures[] = {Measure::sectors, Measure::wavefronts, Measure::requests, Measure::excess,
                                Measure::spills};

Result<Measure> parse_measure(std::string_view word, const diag::Span& where) {
  std::vector<std::string> known;
  for (Measure one : measures) {
    if (word == name(one) || word == counter(one)) return one;
    known.emplace_back(name(one));
    if (!counter(one).empty()) known.emplace_back(counter(one));
  }
  diag::Diagnostic out = bad_condition(fmt::format("'{}' is nothing that is compared", word), where);
  if (std::string near = closest(word, known); !near.empty())
    out.help = fmt::format("did you mean '{}'?", near);
  return failure(std::move(out));
}

// A number, and whether it is in percent.
Result<double> parse_limit(std::string_view word, Measure measure, const diag::Span& where) {
  const std::string_view whole = word;
  const bool percent = word.ends_with('%');
  if (percent) word.remove_suffix(1);
  double value = 0;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value) || value < 0)
    return failure(bad_condition(fmt::format("'{}' is not a number", whole), where));
  if (percent != (measure == Measure::excess))
    return failure(bad_condition(
        percent ? fmt::format("{} are not compared with a percentage", name(measure))
                : fmt::format("excess is a share: write {:g}%", value < 1 ? value * 100 : value),
        where));
  return percent ? value / 100 : value;
}

} // namespace

std::string_view name(Relation relation) {
  switch (relation) {
  case Relation::less: return "<";
  case Relation::at_most: return "<=";
  case Relation::equal: return "==";
  case Relation::at_least: return ">=";
  case Relation::more: return ">";
  }
  return "";
}

std::string_view name(Measure measure) {
  switch (measure) {
  case Measure::sectors: return "sectors-per-request";
  case Measure::wavefronts: return "wavefronts-per-instruction";
  case Measure::requests: return "requests-per-instruction";
  case Measure::excess: return "excess";
  case Measure::spills: return "spills";
  }
  return "";
}

std::string_view counter(Measure measure) {
  switch (measure) {
  case Measure::sectors: return "sectors";
  case Measure::wavefronts: return "wavefronts";
  case Measure::requests: return "requests";
  case Measure::excess:
  case Measure::spills: return "";
  }
  return "";
}

Result<Comparison> parse_comparison(std::string_view text, const diag::Span& where) {
  text = trimmed(text);
  const std::size_t at = text.find_first_of("<>=");
  if (at == text.npos) return failure(bad_condition(fmt::format("'{}' compares nothing", text), where));
  const std::size_t past = std::min(text.find_first_not_of("<>=", at), text.size());
  Comparison out;
  out.text = text;
  std::string_view relation = text.substr(at, past - at);
  bool known = false;
  for (Relation one :
       {Relation::less, Relation::at_most, Relation::equal, Relation::at_least, Relation::more})
    if (relation == name(one)) out.relation = one, known = true;
  if (!known) return failure(bad_condition(fmt::format("'{}' is none of < <= == >= >", relation), where));
  Result<Measure> measure = parse_measure(trimmed(text.substr(0, at)), where);
  if (!measure) return failure(measure.error());
  out.measure = *measure;
  Result<double> limit = parse_limit(trimmed(text.substr(past)), out.measure, where);
  if (!limit) return failure(limit.error());
  out.limit = *limit;
  return out;
}

bool holds(const Comparison& comparison, double value) {
  constexpr double nearly = 1e-9; // averages are quotients
  switch (comparison.relation) {
  case Relation::less: return value < comparison.limit - nearly;
  case Relation::at_most: return value <= comparison.limit + nearly;
  case Relation::equal: return std::abs(value - comparison.limit) <= nearly;
  case Relation::at_least: return value >= comparison.limit - nearly;
  case Relation::more: return value > comparison.limit + nearly;
  }
  return false;
}

Verdict judge(const Comparison& comparison, const findings::Cost& cost) {
  if (cost.average) return holds(comparison, *cost.average) ? Verdict::holds : Verdict::fails;
  const bool best = holds(comparison, cost.least), worst = holds(comparison, cost.most);
  if (best && worst) return Verdict::holds;
  if (cost.reached && !worst) return Verdict::fails;
  const bool between =
      comparison.relation == Relation::equal && cost.least < comparison.limit && comparison.limit < cost.most;
  return best || worst || between ? Verdict::unknown : Verdict::fails;
}

} // namespace warplens::gates
