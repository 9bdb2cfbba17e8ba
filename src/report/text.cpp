// Text for a terminal: widths in characters rather than bytes, wrapping, shortening, numbers with units, and
// foreign text made harmless (escape sequences, bytes that are not UTF-8).
#include "report/text.h"
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace warplens::report {
namespace {

// The length of the UTF-8 sequence at the start of `text`; 0 when it is not one.
std::size_t sequence(std::string_view text) {
  u8 first = static_cast<u8>(text[0]);
  std::size_t length = first < 0x80                    ? 1
                       : first >= 0xc2 && first < 0xe0 ? 2
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<u8>(text[i]) & 0xc0) != 0x80) return 0;
  return length;
}

// The characters of a text, cleaned of what a terminal would obey.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t length = sequence(text);
    bool control = static_cast<u8>(text[0]) < 0x20 || text[0] == 0x7f;
    // U+0080…U+009F are control characters too.
    if (length == 2 && static_cast<u8>(text[0]) == 0xc2 && static_cast<u8>(text[1]) < 0xa0) control = true;
    if (text[0] == '\t')
      out.insert(out.end(), {" ", " "});
    else
      out.emplace_back(length == 0 || control ? "?" : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string join(const std::vector<std::string>& all, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out += all[i];
  return out;
}

// Three significant digits: 12.5, 125, 1.25.
std::string three_digits(double value) {
  return value < 9.995   ? fmt::format("{:.2f}", value)
         : value < 99.95 ? fmt::format("{:.1f}", value)
                         : fmt::format("{:.0f}", value);
}

std::string with_unit(u64 value, std::string_view unit) {
  static constexpr std::array<std::string_view, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  double scaled = static_cast<double>(value);
  std::size_t prefix = 0;
  while (scaled >= 999.5 && prefix + 1 < prefixes.size()) scaled /= 1000, ++prefix;
  return fmt::format("{} {}{}", three_digits(scaled), prefixes[prefix], unit);
}

} // namespace

std::string human(u64 value) { return value < 10000 ? fmt::format("{}", value) : with_unit(value, ""); }

std::string human_bytes(u64 value) {
  return value < 1000 ? fmt::format("{} B", value) : with_unit(value, "B");
}

std::string percent(double fraction) {
  if (fraction > 0 && fraction < 0.005) return "<1%";
  if (fraction < 1 && fraction >= 0.995) return ">99%";
  return fmt::format("{:.0f}%", 100 * fraction);
}

std::string plural(u64 count, std::string_view noun) {
  std::string_view end = count == 1 ? "" : noun.ends_with("ch") || noun.ends_with("ss") ? "es" : "s";
  return fmt::format("{} {}{}", human(count), noun, end);
}

std::string compute_capability(u32 sm) { return fmt::format("{}.{}", sm / 10, sm % 10); }

std::string dimensions(Dim3 d) {
  if (d.z != 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y != 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

u32 width_of(std::string_view text) { return static_cast<u32>(characters(text).size()); }

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

std::string pad_right(std::string_view text, u32 width) {
  u32 used = width_of(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, u32 width) {
  u32 used = width_of(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string wrap(std::string_view text, std::string_view first, u32 width) {
  std::string out, line(first);
  u32 indent = width_of(first), room = width > indent + 8 ? width - indent : 8;
  u32 used = 0;
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" \n");
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (word.empty()) continue;
    std::string clean = clip_middle(word, room);
    u32 length = width_of(clean);
    if (used != 0 && used + 1 + length > room) {
      out += line + '\n';
      line.assign(indent, ' ');
      used = 0;
    }
    if (used != 0) line += ' ', ++used;
    line += clean;
    used += length;
  }
  return out + line + '\n';
}

} // namespace warplens::report
