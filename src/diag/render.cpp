// One diagnostic as a user reads it: place, severity and message on a line as compilers write it, then the
// source with a caret, notes and help.
#include "diag/diagnostic.h"
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
  return source.substr(0, source.find('\n'));
}

// Tabs stay tabs under the caret, so that it points at the right column whatever the tab width is.
std::string caret_line(std::string_view text, u32 column, u32 length) {
  std::string out;
  for (u32 i = 0; i + 1 < column && i < text.size(); ++i) out += text[i] == '\t' ? '\t' : ' ';
  out += '^';
  if (length > 1) out.append(std::min<std::size_t>(length - 1, 120), '~');
  return out;
}

// Bytes of the UTF-8 sequence at the start of `text`; 0 where there is none, or one that stands for a control character.
std::size_t printable_sequence(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<u8>(text[i]); };
  u8 lead = byte(0);
  if (lead < 0x80) return (lead >= 0x20 && lead != 0x7f) || lead == '\t' || lead == '\n' ? 1 : 0;
  std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                     : lead >= 0xe0 && lead < 0xf0 ? 3
                     : lead >= 0xf0 && lead < 0xf5 ? 4
                                                   : 0;
  if (size == 0 || size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  bool control = lead == 0xc2 && byte(1) < 0xa0; // U+0080 to U+009F, which terminals obey as they do ESC
  return control ? 0 : size;
}

} // namespace

std::string without_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t size = text.starts_with("\r\n") ? 1 : printable_sequence(text);
    if (size != 0)
      out += text.substr(0, size);
    else
      out += fmt::format("\\x{:02x}", static_cast<u8>(text[0]));
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

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
  if (!span.file.empty()) out += without_controls(span.file) + ':';
  if (span.line != 0) out += fmt::format("{}:", span.line);
  if (span.line != 0 && span.column != 0) out += fmt::format("{}:", span.column);
  if (!out.empty()) out += ' ';
  out += fmt::format("{}{}:{} {}\n", style.begin, name(diagnostic.severity), style.end,
                     without_controls(diagnostic.message));
  if (span.line != 0 && !source.empty()) {
    std::string_view text = line_of(source, span.line).substr(0, 200);
    if (!text.empty()) {
      out += fmt::format("    {}\n", without_controls(text));
      if (span.column != 0) out += fmt::format("    {}\n", caret_line(text, span.column, span.length));
    }
  }
  for (const std::string& note : diagnostic.notes) out += fmt::format("  note: {}\n", without_controls(note));
  if (!diagnostic.help.empty()) out += fmt::format("  help: {}\n", without_controls(diagnostic.help));
  return out;
}

} // namespace warplens::diag
