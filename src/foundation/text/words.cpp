// Numbers with units, and paragraphs of text that may be anybody's.
#include "text/words.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace warplens::text {
namespace {

// Three significant digits: 12.5, 125, 1.25.
std::string three_digits(double value) {
  int decimals = 0;
  if (value < 99.95) decimals = 1;
  if (value < 9.995) decimals = 2;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string with_unit(u64 value, std::string_view unit) {
  static constexpr std::array<std::string_view, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  double scaled = static_cast<double>(value);
  std::size_t prefix = 0;
  while (scaled >= 999.5 && prefix + 1 < prefixes.size()) scaled /= 1000, ++prefix;
  return fmt::format("{}{}{}{}", three_digits(scaled), no_break, prefixes[prefix], unit);
}

} // namespace

std::string human(u64 value) { return value < 10000 ? fmt::format("{}", value) : with_unit(value, ""); }

std::string human_bytes(u64 value) {
  return value < 1000 ? fmt::format("{}{}B", value, no_break) : with_unit(value, "B");
}

static u64 two_digits(u64 value) {
  u64 unit = 1;
  while (value / unit >= 100) unit *= 10;
  return value / unit * unit + (value % unit >= (unit + 1) / 2 && unit > 1 ? unit : 0);
}

// Without the zeros that three digits would show: "~12 k", not "~12.0 k".
static std::string without_zeros(std::string text) {
  const std::size_t point = text.find('.');
  if (point == text.npos) return text;
  std::size_t end = text.find_first_not_of("0123456789", point + 1), last = std::min(end, text.size());
  while (text[last - 1] == '0') text.erase(--last, 1);
  if (text[last - 1] == '.') text.erase(last - 1, 1);
  return text;
}

std::string about(u64 value) { return "~" + without_zeros(human(two_digits(value))); }
std::string about_bytes(u64 value) { return "~" + without_zeros(human_bytes(two_digits(value))); }

std::string plus_minus(double fraction) {
  return fmt::format("±{:.0f}%", std::max(1.0, std::ceil(100 * fraction)));
}

std::string human_time(double seconds) {
  static constexpr std::array<std::string_view, 3> units{"ns", "µs", "ms"};
  double scaled = seconds * 1e9;
  for (std::string_view unit : units) {
    if (scaled < 999.5) return fmt::format("{}{}{}", three_digits(scaled), no_break, unit);
    scaled /= 1000;
  }
  return fmt::format("{}{}s", three_digits(scaled), no_break);
}

std::string with_plain_blanks(std::string text) {
  for (std::size_t at = text.find(no_break); at != text.npos; at = text.find(no_break, at))
    text.replace(at, no_break.size(), " ");
  return text;
}

std::string percent(double fraction) {
  if (fraction > 0 && fraction < 0.005) return "<1%";
  if (fraction < 1 && fraction >= 0.995) return ">99%";
  return fmt::format("{:.0f}%", 100 * fraction);
}

std::string human(u64 count, std::string_view noun) {
  return fmt::format("{} {}", human(count), inflected(noun, count));
}

std::string compute_capability(u32 sm) { return fmt::format("{}.{}", sm / 10, sm % 10); }

std::string dimensions(Dim3 d) {
  if (d.z != 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y != 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

namespace {

std::string wrapped(std::string_view text, std::string_view first, u32 indent, u32 width) {
  u32 room = width > indent + 8 ? width - indent : 8;
  std::string words;
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" \n");
    words += clip_middle(text.substr(0, end), room) + ' ';
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return std::string(first) + wrap(words, indent + room, std::string(indent, ' '), width_of(first)) + '\n';
}

} // namespace

std::string wrap(std::string_view text, std::string_view first, u32 width) {
  return wrapped(text, first, width_of(first), width);
}

std::string hanging(std::string_view text, u32 width) { return wrapped(text, "", 4, width); }

std::string listed(const std::vector<std::string>& all, std::size_t most) {
  std::size_t shown = all.size() <= most + 1 ? all.size() : most;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + all[i];
  return shown < all.size() ? fmt::format("{} and {} more", out, all.size() - shown) : out;
}

void add_new(std::vector<std::string>& all, const std::string& one) {
  if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

} // namespace warplens::text
