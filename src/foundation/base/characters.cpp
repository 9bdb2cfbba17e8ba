// UTF-8 is read one code point at a time. A byte that begins none is shown as its number, so that damaged text stays visible.
#include "base/characters.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens {
namespace {

struct Lead {
  std::size_t bytes; // of the sequence that the byte begins
  u32 bits, least;   // of the code point: what the byte holds of it, and the least that takes so many bytes
};

Lead lead_of(u8 first) {
  if (first < 0x80) return {1, first, 0};
  if (first >= 0xc2 && first < 0xe0) return {2, first & 0x1fu, 0x80};
  if (first >= 0xe0 && first < 0xf0) return {3, first & 0x0fu, 0x800};
  if (first >= 0xf0 && first < 0xf5) return {4, first & 0x07u, 0x10000};
  return {1, 0, ~0u};
}

bool is_control(u32 point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029;
}

// Bidi_Control of the Unicode character database.
bool turns_direction(u32 point) {
  return point == 0x61c || point == 0x200e || point == 0x200f || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

bool is_blank(u32 point) {
  return point == ' ' || point == '\t' || point == 0xa0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200a) || point == 0x202f || point == 0x205f || point == 0x3000;
}

std::size_t blanks_before(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size()) {
    const Character c = first_character(line.substr(at));
    if (!is_blank(c.point)) break;
    at += c.bytes;
  }
  return at;
}

constexpr std::string_view mark = "::", old_mark = "##[";

void add_line(std::string& out, std::string_view line) {
  const std::size_t first = blanks_before(line);
  std::size_t from = 0;
  auto escape_at = [&](std::size_t at) {
    out += line.substr(from, at - from);
    out += escaped(line.substr(at, 1));
    from = at + 1;
  };
  if (line.substr(first).starts_with(mark) && line.find(mark, first + mark.size()) != line.npos)
    escape_at(first);
  for (std::size_t at = line.find(old_mark, from); at != line.npos; at = line.find(old_mark, from))
    escape_at(at);
  out += line.substr(from);
}

} // namespace

Character first_character(std::string_view text) {
  const Lead lead = lead_of(static_cast<u8>(text[0]));
  if (lead.bytes > text.size()) return {};
  u32 point = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const u8 byte = static_cast<u8>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    point = point << 6 | (byte & 0x3fu);
  }
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  if (point < lead.least || point > 0x10ffff || surrogate) return {};
  return {lead.bytes, point, !is_control(point) && !turns_direction(point)};
}

std::string escaped(std::string_view bytes) {
  std::string out;
  for (char c : bytes) out += fmt::format("\\x{:02x}", static_cast<u8>(c));
  return out;
}

std::string visible(std::string_view text, bool line_ends) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::string_view bytes = text.substr(0, c.bytes);
    const bool ends = line_ends && (text.starts_with('\n') || text.starts_with("\r\n"));
    out += c.shown || ends || bytes == "\t" ? std::string(bytes) : escaped(bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string without_commands(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    add_line(out, lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return out;
}

std::string one_line(std::string_view text) { return without_commands(visible(text, false)); }

} // namespace warplens
