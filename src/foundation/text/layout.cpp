// See layout.h.
#include "text/layout.h"
#include "base/characters.h"
#include <fmt/format.h>
#include <vector>

namespace warplens::text {
namespace {

bool is_inside(char byte) { return (static_cast<u8>(byte) & 0xc0) == 0x80; }

// The characters of a text, cleaned of what a terminal would obey.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (text[0] == '\t')
      out.insert(out.end(), {" ", " "});
    else
      out.emplace_back(c.shown ? text.substr(0, c.bytes) : "?");
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string join(const std::vector<std::string>& all, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out += all[i];
  return out;
}

std::string blanks(std::string_view text, u32 width) {
  u32 used = width_of(text);
  return std::string(used < width ? width - used : 0, ' ');
}

} // namespace

u32 width_of(std::string_view text) {
  u32 out = 0;
  bool escape = false;
  for (char c : text) {
    if (c == '\x1b') escape = true;
    out += !escape && !is_inside(c);
    if (c == 'm') escape = false;
  }
  return out;
}

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string pad_right(std::string_view text, u32 width) { return std::string(text) + blanks(text, width); }

std::string pad_left(std::string_view text, u32 width) { return blanks(text, width) + std::string(text); }

std::string clip(std::string_view text, u32 width) {
  std::vector<std::string> all = characters(text);
  if (all.size() <= width) return join(all, 0, all.size());
  return width < 4 ? join(all, 0, width) : join(all, 0, width - 3) + "...";
}

std::string clip_middle(std::string_view text, u32 width) {
  std::vector<std::string> all = characters(text);
  if (all.size() <= width) return join(all, 0, all.size());
  if (width < 8) return join(all, all.size() - width, all.size());
  std::size_t head = (width - 3) / 2, tail = width - 3 - head;
  return join(all, 0, head) + "..." + join(all, all.size() - tail, all.size());
}

std::string wrap(std::string_view text, u32 width, std::string_view indent, u32 at) {
  std::string out;
  bool starts = true; // no word on this line yet
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" \n");
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (word.empty()) continue;
    u32 size = width_of(word);
    if (!starts && at + 1 + size > width) {
      (out += '\n') += indent;
      at = width_of(indent);
      starts = true;
    }
    if (!starts) out += ' ', ++at;
    out += word;
    at += size;
    starts = false;
  }
  return out;
}

std::string inflected(std::string_view noun, u64 count) {
  if (count == 1) return std::string(noun);
  return std::string(noun) + (noun.ends_with("ch") || noun.ends_with("ss") ? "es" : "s");
}

std::string plural(u64 count, std::string_view noun) {
  return fmt::format("{} {}", count, inflected(noun, count));
}

} // namespace warplens::text
