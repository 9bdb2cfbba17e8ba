// Positions between UTF-16 units, bytes and lines, and edits of a document. See text.h.
#include "lsp/text.h"
#include <algorithm>

namespace warplens::lsp {
namespace {

struct Character {
  std::size_t bytes, units; // of UTF-16
};

// A byte that begins no character of UTF-8 counts as one.
Character character_at(std::string_view text, std::size_t at) {
  const u8 first = static_cast<u8>(text[at]);
  const std::size_t length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (length == 1 || first >= 0xf8 || at + length > text.size()) return {1, 1};
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<u8>(text[at + i]) & 0xc0) != 0x80) return {1, 1};
  return {length, length == 4 ? std::size_t{2} : std::size_t{1}};
}

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<u8>(c) >= 0x80;
}

// Behind the bracket that closes the one at `open`; the line's end where none does.
std::size_t behind_brackets(std::string_view line, std::size_t open) {
  u32 depth = 0;
  for (std::size_t at = open; at < line.size(); ++at) {
    if (line[at] == '[' || line[at] == '(') ++depth;
    if ((line[at] == ']' || line[at] == ')') && --depth == 0) return at + 1;
  }
  return line.size();
}

} // namespace

Text::Text(std::string content) : content_(std::move(content)) { find_lines(); }

void Text::find_lines() {
  starts_ = {0};
  for (std::size_t at = 0; at < content_.size(); ++at) {
    const bool crlf = content_[at] == '\r' && at + 1 < content_.size() && content_[at + 1] == '\n';
    if (content_[at] == '\n' || (content_[at] == '\r' && !crlf)) starts_.push_back(at + 1);
  }
}

std::string_view Text::line(u32 number) const {
  if (number >= starts_.size()) return {};
  const std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] : content_.size();
  std::string_view out = std::string_view(content_).substr(starts_[number], end - starts_[number]);
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.remove_suffix(1);
  return out;
}

std::size_t Text::offset(Position at, Encoding encoding) const {
  if (at.line >= starts_.size()) return content_.size();
  const std::string_view text = line(at.line);
  std::size_t byte = 0;
  if (encoding == Encoding::utf8) {
    byte = std::min<std::size_t>(at.character, text.size());
  } else {
    for (std::size_t units = 0; byte < text.size();) {
      const Character next = character_at(text, byte);
      if (units + next.units > at.character) break;
      units += next.units;
      byte += next.bytes;
    }
  }
  return starts_[at.line] + byte;
}

Position Text::position(u32 number, std::size_t byte, Encoding encoding) const {
  if (number >= starts_.size()) return {lines() - 1, static_cast<u32>(line(lines() - 1).size())};
  const std::string_view text = line(number);
  const std::size_t end = std::min(byte, text.size());
  if (encoding == Encoding::utf8) return {number, static_cast<u32>(end)};
  u32 units = 0;
  for (std::size_t at = 0; at < end;) {
    const Character next = character_at(text, at);
    units += static_cast<u32>(next.units);
    at += next.bytes;
  }
  return {number, units};
}

void Text::replace(const Range& range, std::string_view with, Encoding encoding) {
  const std::size_t begin = offset(range.start, encoding), end = offset(range.end, encoding);
  content_.replace(begin, std::max(begin, end) - begin, with);
  find_lines();
}

LineMap::LineMap(const Text& then, const Text& now) : then_(then.lines()), now_(now.lines()) {
  const u32 most = std::min(then_, now_);
  while (same_before_ < most && then.line(same_before_) == now.line(same_before_)) ++same_before_;
  while (same_behind_ < most - same_before_ &&
         then.line(then_ - 1 - same_behind_) == now.line(now_ - 1 - same_behind_))
    ++same_behind_;
}

std::optional<u32> LineMap::now(u32 line) const {
  if (line < same_before_) return line;
  if (line < then_ && line >= then_ - same_behind_) return line + now_ - then_;
  return {};
}

std::optional<u32> LineMap::then(u32 line) const {
  if (line < same_before_) return line;
  if (line < now_ && line >= now_ - same_behind_) return line + then_ - now_;
  return {};
}

std::size_t end_of_expression(std::string_view line, std::size_t begin) {
  std::size_t at = std::min(begin, line.size());
  for (;;) {
    const std::size_t before = at;
    while (at < line.size() && in_name(line[at])) ++at;
    if (at < line.size() && (line[at] == '[' || line[at] == '('))
      at = behind_brackets(line, at);
    else if (line.substr(at, 2) == "->" || line.substr(at, 2) == "::")
      at += 2;
    else if (at > begin && line.substr(at, 1) == ".")
      ++at;
    if (at == before) break;
  }
  return at == begin && at < line.size() ? at + 1 : at;
}

} // namespace warplens::lsp
