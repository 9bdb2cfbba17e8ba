// Bytes, integers, numbers in text and whole pieces changed, by a random number for each decision. See mutate.h.
#include "fuzz/mutate.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>

namespace warplens::fuzz {
namespace {

using Random = std::mt19937_64;

struct Span {
  std::size_t begin = 0, length = 0;
};

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

Span some_span(const std::string& text, Random& random) {
  std::size_t begin = below(random, text.size() + 1);
  std::size_t most = random() % 4 == 0 ? text.size() : 32;
  return {begin, std::min(text.size() - begin, below(random, most + 1))};
}

void change_bytes(std::string& text, Random& random) {
  if (text.empty()) return;
  constexpr std::array<unsigned char, 10> telling{0, 1, 0x7f, 0x80, 0xff, '\n', '"', '{', '0', '-'};
  char& byte = text[below(random, text.size())];
  if (random() % 2 == 0)
    byte = static_cast<char>(byte ^ 1 << random() % 8);
  else
    byte = static_cast<char>(telling[below(random, telling.size())]);
}

void change_integer(std::string& bytes, Random& random) {
  constexpr std::array<std::uint64_t, 12> borders{
      0, 1, 0x7f, 0xff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 63, ~0ull};
  std::size_t width = std::size_t{1} << random() % 4;
  if (bytes.size() < width) return;
  std::size_t at = below(random, bytes.size() - width + 1);
  if (random() % 2 == 0) at -= at % width;
  std::uint64_t value = borders[below(random, borders.size())];
  if (random() % 3 == 0) { // or near to what it was
    std::memcpy(&value, bytes.data() + at, width);
    value += random() % 9 - 4;
  }
  std::memcpy(bytes.data() + at, &value, width);
}

void change_number(std::string& text, Random& random) {
  static const std::array<const char*, 18> numbers{"0",
                                                   "-1",
                                                   "1",
                                                   "31",
                                                   "32",
                                                   "33",
                                                   "1024",
                                                   "65536",
                                                   "2147483647",
                                                   "-2147483648",
                                                   "4294967295",
                                                   "4294967296",
                                                   "9223372036854775807",
                                                   "18446744073709551615",
                                                   "18446744073709551616",
                                                   "0xffffffffffffffff",
                                                   "1e300",
                                                   "99999999999999999999999999999999"};
  std::size_t from = below(random, text.size() + 1);
  auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), digit);
  auto end = std::find_if_not(begin, text.end(), digit);
  if (begin != end) text.replace(begin, end, numbers[below(random, numbers.size())]);
}

void take_from(std::string& text, const std::string& other, Random& random) {
  Span source = some_span(other, random), place = some_span(text, random);
  if (random() % 2 == 0) place.length = 0;
  text.replace(place.begin, place.length, other, source.begin, source.length);
}

// The pieces between separators: words, or whole lines.
std::vector<Span> pieces(const std::string& text, bool (*separates)(char)) {
  std::vector<Span> found;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && !separates(text[end])) ++end;
    if (end > i) found.push_back({i, end - i});
    i = end + 1;
  }
  return found;
}

void exchange_pieces(std::string& text, Random& random) {
  auto parts = random() % 2 == 0
                   ? pieces(text, [](char c) { return c == '\n'; })
                   : pieces(text, [](char c) { return std::strchr(" \t\n,;:{}[]()\"", c) != nullptr; });
  if (parts.empty()) return;
  Span from = parts[below(random, parts.size())], to = parts[below(random, parts.size())];
  std::string source = text.substr(from.begin, from.length);
  if (random() % 4 == 0) source.clear();
  text.replace(to.begin, to.length, source);
}

void change(std::string& text, const std::vector<std::string>& seeds, Random& random) {
  switch (random() % 9) {
  case 0: return change_bytes(text, random);
  case 1: return change_integer(text, random);
  case 2:
  case 3: return change_number(text, random);
  case 4: return take_from(text, std::string(text), random);
  case 5: return take_from(text, seeds[below(random, seeds.size())], random);
  case 6: {
    Span cut = some_span(text, random);
    text.erase(cut.begin, cut.length);
    return;
  }
  case 7:
    if (random() % 8 == 0) text.resize(below(random, text.size() + 1));
    return;
  default: return exchange_pieces(text, random);
  }
}

} // namespace

std::string mutation(const std::vector<std::string>& seeds, Random& random) {
  std::string text = seeds[below(random, seeds.size())];
  for (std::size_t changes = 1 + random() % 6; changes != 0; --changes) change(text, seeds, random);
  constexpr std::size_t longest = std::size_t{1} << 18;
  if (text.size() > longest) text.resize(longest);
  return text;
}

} // namespace warplens::fuzz
