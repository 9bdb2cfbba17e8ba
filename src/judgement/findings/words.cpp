// Places and costs of findings as every writer words them. See words.h.
#include "findings/words.h"
#include "findings/edit_text.h"
#include "findings/rules.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warplens::findings {
namespace {

std::string counted(u64 count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view per(std::string_view counter) {
  return counter == "sectors" || counter == "bytes" || counter == "tag_passes" ? "request" : "instruction";
}

u64 fnv1a(std::string_view text) {
  u64 hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<u8>(c)) * 0x100000001b3;
  return hash;
}

} // namespace

access::SourceFrame place_of(const Finding& finding) {
  return finding.place.empty() ? access::SourceFrame{} : finding.place.front();
}

std::string number(double value, int digits) {
  std::string out = fmt::format("{:.{}f}", value, digits);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string times(double factor) {
  if (factor < 999.5) return fmt::format("{:.3g}", factor);
  double unit = 10;
  while (factor / unit >= 999.5) unit *= 10;
  std::string out = fmt::format("{:.0f}", std::round(factor / unit) * unit);
  for (std::size_t at = out.size(); at > 3; out.insert(at, ",")) at -= 3;
  return out;
}

namespace {

// "32 sectors per request where 4 would do": with as many digits as it takes to tell them apart.
std::string would_do(double actual, std::string_view of, double needed) {
  constexpr int most_digits = 6;
  int digits = 2;
  while (digits < most_digits && number(actual, digits) == number(needed, digits)) ++digits;
  if (number(actual, digits) == number(needed, digits)) return fmt::format("{} {}", number(actual), of);
  return fmt::format("{} {} where {} would do", number(actual, digits), of, number(needed, digits));
}

} // namespace

std::string bytes(u64 value, bool is_estimate) {
  double scaled = static_cast<double>(value);
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (scaled >= 999.5 && unit + 1 < std::size(units)) scaled /= 1000, ++unit;
  return is_estimate ? fmt::format("~{:.2g} {}", scaled, units[unit])
                     : fmt::format("{:.3g} {}", scaled, units[unit]);
}

std::string cost_text(double actual, std::string_view counter, double needed) {
  return would_do(actual, fmt::format("{} per {}", counter, per(counter)), needed);
}

std::string cost_text(const Cost& cost) {
  std::string out = cost.average ? number(*cost.average)
                    : cost.least == cost.most
                        ? number(cost.most)
                        : fmt::format("{} to {}", number(cost.least), number(cost.most));
  const bool one = out == "1" && cost.counter.ends_with('s');
  out += fmt::format(" {} per {}", cost.counter.substr(0, cost.counter.size() - one), per(cost.counter));
  if (cost.average && cost.least != cost.most)
    out += fmt::format(", from {} to {},", number(cost.least), number(cost.most));
  if (cost.needed != 0 && number(cost.needed) != number(cost.average.value_or(cost.most)))
    out += fmt::format(" where {} would do", number(cost.needed));
  if (cost.sm != 0) out += fmt::format(" ({}.{})", cost.sm / 10, cost.sm % 10);
  if (cost.fixed && *cost.fixed < cost.average.value_or(cost.most))
    out += fmt::format("; {} after the fix", number(*cost.fixed));
  return out;
}

std::string edit_text(const Fix& fix) {
  if (fix.edits.empty()) return {};
  const Edit& first = fix.edits.front();
  const bool inserts = first.line == first.end_line && first.column == first.end_column;
  std::string out = fmt::format("{}:{}:{}: {} '{}'", first.file, first.line, first.column,
                                inserts ? "insert" : "write instead", first.replacement);
  if (fix.edits.size() > 1) out += fmt::format(", and {}", counted(fix.edits.size() - 1, "other edit"));
  return out;
}

std::string paragraph(const Finding& finding) {
  std::string out = finding.message;
  for (const std::string& condition : finding.conditions) out += "; if " + condition;
  for (const Cost& cost : finding.costs) out += "; " + cost_text(cost);
  for (const Note& note : finding.notes)
    if (!note.place) out += "; " + note.text;
  if (!finding.standing.fails.empty()) out += "; fails: " + finding.standing.fails;
  if (finding.fix) out += ". Fix: " + finding.fix->text;
  if (finding.fix && !finding.fix->edits.empty()) out += fmt::format(" ({})", edit_text(*finding.fix));
  return out;
}

std::string totals_text(const List& list) {
  std::map<Severity, u64, std::greater<>> severities;
  std::map<Standing::Baseline, u64> standings;
  u64 ignored = 0, open = 0;
  for (const Finding& finding : list.findings) {
    if (finding.standing.suppressed) {
      ++ignored;
      continue;
    }
    ++standings[finding.standing.baseline];
    if (!is_open(finding)) continue;
    ++open;
    ++severities[finding.severity];
  }
  std::string kinds;
  for (const auto& [severity, count] : severities)
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", counted(count, name(severity)));
  std::string out = counted(open, "finding") + (kinds.empty() ? "" : fmt::format(" ({})", kinds));
  for (auto [baseline, word] : {std::pair(Standing::Baseline::fresh, "new"),
                                {Standing::Baseline::worse, "worse than before"},
                                {Standing::Baseline::unchanged, "known"}})
    if (standings[baseline] != 0) out += fmt::format(", {} {}", standings[baseline], word);
  if (ignored != 0) out += fmt::format(", {} ignored", ignored);
  return out;
}

bool is_of_run(const List& list) { return list.all.has_value(); }

bool is_conclusive(const List& list) {
  return std::ranges::none_of(
      list.gaps, [](const diag::Diagnostic& gap) { return gap.severity == diag::Severity::error; });
}

std::string gaps_text(const List& list) {
  if (is_conclusive(list)) return {};
  std::set<std::string> files;
  for (const diag::Diagnostic& gap : list.gaps)
    if (!gap.span.file.empty()) files.insert(gap.span.file);
  if (list.files == 0 || files.empty())
    return list.gaps.size() == 1 ? gap_text(list.gaps[0]) : "the run was not counted completely";
  if (list.files == 1) return "the file was not judged";
  return fmt::format("{} of {} files {} not judged", files.size(), list.files,
                     files.size() == 1 ? "was" : "were");
}

std::string gap_text(const diag::Diagnostic& gap) {
  std::string out = gap.message;
  for (const std::string& note : gap.notes) out += "; " + note;
  return gap.help.empty() ? out : fmt::format("{}. Help: {}", out, gap.help);
}

bool is_open(const Finding& finding) {
  return !finding.standing.suppressed && finding.standing.baseline != Standing::Baseline::unchanged;
}

std::vector<std::string> fingerprints(const std::vector<Finding>& findings) {
  std::map<std::string, u32> seen;
  std::vector<std::string> out;
  for (const Finding& finding : findings) {
    access::SourceFrame place = place_of(finding);
    std::string what =
        finding.source.empty() ? fmt::format("{}:{}", finding.kernel, place.line) : finding.source;
    std::string key = fmt::format("{}\n{}\n{}", name(finding.rule), place.file, what);
    out.push_back(fmt::format("{:016x}", fnv1a(fmt::format("{}\n{}", key, seen[key]++))));
  }
  return out;
}

} // namespace warplens::findings
