// One diagnostic as a user reads it: place, severity and message on a line as compilers write it, then the
// source with a caret, notes and help.
#include "base/characters.h"
#include "base/diagnostic.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::diag {
namespace {

struct Style {
  std::string_view begin, end;
};

Style style_of(Severity severity, bool colour) {
  if (!colour) return {"", ""};
  switch (severity) {
  case Severity::error: return {"\x1b[1;31m", "\x1b[0m"};
  case Severity::warning: return {"\x1b[1;33m", "\x1b[0m"};
  case Severity::note: return {"\x1b[1;36m", "\x1b[0m"};
  }
  return {"", ""};
}

std::string_view line_of(std::string_view source, u32 line) {
  for (u32 i = 1; i < line; ++i) {
    std::size_t newline = source.find('\n');
    if (newline == source.npos) return {};
    source.remove_prefix(newline + 1);
  }
  source = source.substr(0, source.find('\n'));
  return source.substr(0, source.size() - source.ends_with('\r'));
}

// Tabs stay tabs under the caret, so that it points at the right column whatever the tab width is.
std::string caret_line(std::string_view text, u32 column, u32 length) {
  std::string out;
  for (u32 i = 0; i + 1 < column && i < text.size(); ++i) out += text[i] == '\t' ? '\t' : ' ';
  out += '^';
  if (length > 1) out.append(std::min<std::size_t>(length - 1, 120), '~');
  return out;
}

} // namespace

std::string without_controls(std::string_view text) { return without_commands(visible(text, true)); }

std::string_view name(Severity severity) {
  switch (severity) {
  case Severity::error: return "error";
  case Severity::warning: return "warning";
  case Severity::note: return "note";
  }
  return {};
}

std::string render(const Diagnostic& diagnostic, std::string_view source, bool colour) {
  Style style = style_of(diagnostic.severity, colour);
  std::string out;
  const Span& span = diagnostic.span;
  if (!span.file.empty()) out += one_line(span.file) + ':';
  if (span.line != 0) out += fmt::format("{}:", span.line);
  if (span.line != 0 && span.column != 0) out += fmt::format("{}:", span.column);
  if (!out.empty()) out += ' ';
  out += fmt::format("{}{}:{} {}\n", style.begin, name(diagnostic.severity), style.end,
                     one_line(diagnostic.message));
  if (span.line != 0 && !source.empty()) {
    std::string_view text = line_of(source, span.line).substr(0, 200);
    if (!text.empty()) {
      out += fmt::format("    {}\n", one_line(text));
      if (span.column != 0) out += fmt::format("    {}\n", caret_line(text, span.column, span.length));
    }
  }
  for (const std::string& note : diagnostic.notes) out += fmt::format("  note: {}\n", one_line(note));
  if (!diagnostic.help.empty()) out += fmt::format("  help: {}\n", one_line(diagnostic.help));
  return without_commands(out);
}

} // namespace warplens::diag
