#include "base/diagnostic.h"
#include "findings/rules.h"
#include "findings/words.h"
#include "findings/writers.h"
#include <fmt/format.h>

namespace warplens::findings {
namespace {

// What would end a command or a property of it is written as GitHub reads it.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (char c : diag::without_controls(text)) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<u8>(c));
    else
      out += c;
  }
  return out;
}

std::string_view command(Severity severity) { return severity == Severity::note ? "notice" : name(severity); }

} // namespace

std::string github(const List& list) {
  std::string out;
  for (const diag::Diagnostic& gap : list.gaps) { // first: GitHub shows ten of a step
    out += fmt::format("::{} ", gap.severity == diag::Severity::note ? "notice" : diag::name(gap.severity));
    if (!gap.span.file.empty()) out += fmt::format("file={},", escaped(gap.span.file, true));
    if (gap.span.line != 0) out += fmt::format("line={},", gap.span.line);
    out += fmt::format("title=not judged::{}\n", escaped(gap_text(gap), false));
  }
  for (const Finding& finding : list.findings) {
    if (!is_open(finding)) continue;
    const access::SourceFrame place = place_of(finding);
    out += fmt::format("::{} ", command(finding.severity));
    if (!place.file.empty()) out += fmt::format("file={},", escaped(place.file, true));
    if (place.line != 0) out += fmt::format("line={},", place.line);
    if (place.line != 0 && place.column != 0) out += fmt::format("col={},", place.column);
    std::string where = place.file.empty() && !finding.kernel.empty() ? finding.kernel + ": " : "";
    out += fmt::format("title={}::{}\n", escaped(name(finding.rule), true),
                       escaped(where + paragraph(finding), false));
  }
  return out;
}

} // namespace warplens::findings
