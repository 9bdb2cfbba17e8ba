// Tokens of C's integer expressions: literals with their types as C gives them (C17 6.4.4.1), names, and
// operators. Operators that explain refuses (++, +=) are tokens too, so that the parser can name them.
#include "explain/expr/lexer.h"
#include "text/lines.h"
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Suffix {
  bool known = true, is_unsigned = false, is_long = false;
};

Suffix suffix_of(std::string_view text) {
  Suffix out;
  u32 longs = 0;
  for (char c : text) {
    char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == 'u' && !out.is_unsigned)
      out.is_unsigned = true;
    else if (lower == 'l' && longs < 2)
      ++longs;
    else
      out.known = false;
  }
  out.is_long = longs > 0;
  return out;
}

// The first type of C's list for a literal that holds the value: int, unsigned (hex and octal alone), long
// long, …
Integer literal_type(Wide value, Suffix suffix, bool decimal) {
  bool unsigned_too = suffix.is_unsigned || !decimal;
  if (!suffix.is_long) {
    if (!suffix.is_unsigned && value <= 0x7fffffff) return Integer::i32;
    if (unsigned_too && value <= 0xffffffff) return Integer::u32;
  }
  if (!suffix.is_unsigned && value <= 0x7fffffffffffffff) return Integer::i64;
  return Integer::u64;
}

Result<Token> number(const Texts& texts, TextPlace place) {
  std::string_view text = texts.cut(place);
  u32 base = 10;
  std::size_t at = 0;
  if (text.starts_with("0x") || text.starts_with("0X"))
    base = 16, at = 2;
  else if (text.starts_with("0b") || text.starts_with("0B"))
    base = 2, at = 2;
  else if (text.size() > 1 && text[0] == '0')
    base = 8, at = 1;
  Wide value = 0;
  std::size_t first = at;
  for (; at < text.size(); ++at) {
    char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
    u32 digit = is_digit(c)            ? static_cast<u32>(c - '0')
                : c >= 'a' && c <= 'f' ? static_cast<u32>(c - 'a' + 10)
                                       : 99;
    if (digit >= base) break;
    value = value * base + digit;
    if (value > (Wide{1} << 64) - 1)
      return failure(texts.error("explain-number", fmt::format("'{}' does not fit in 64 bits", text), place));
  }
  Suffix suffix = suffix_of(text.substr(at));
  if (!suffix.known || (at == first && base != 8))
    return failure(
        texts.error("explain-number", fmt::format("'{}' is not an integer", text), place,
                    "an index is made of integers: 10, 0x0a, 012, 0b1010, with U, L, UL, LL, ULL"));
  return Token{TokenKind::number, place, text, value, literal_type(value, suffix, base == 10)};
}

constexpr std::array<std::string_view, 15> two_characters = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                                             "->", "++", "--", "+=", "-=", "*=", "/="};

} // namespace

Result<std::vector<Token>> tokenize(const Texts& texts, u32 line) {
  const std::string& text = texts.text(line);
  std::vector<Token> out;
  if (text.size() > longest_text)
    return failure(
        texts.error("explain-too-long",
                    fmt::format("the expression has {} characters, more than {}", text.size(), longest_text),
                    {line, 0, 1}, "name parts of it with --set name=EXPRESSION"));
  for (u32 at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    TextPlace place{line, at, 1};
    if (text::is_word(text[at])) {
      while (at + place.length < text.size() && text::is_word(text[at + place.length])) ++place.length;
      if (is_digit(text[at])) {
        if (at + place.length < text.size() && text[at + place.length] == '.') // "1.5f": number() refuses it
          do ++place.length;
          while (at + place.length < text.size() && text::is_word(text[at + place.length]));
        Result<Token> token = number(texts, place);
        if (!token) return failure(std::move(token.error()));
        out.push_back(*token);
      } else
        out.push_back({TokenKind::name, place, texts.cut(place)});
    } else {
      for (std::string_view pair : two_characters)
        if (std::string_view(text).substr(at, 2) == pair) place.length = 2;
      if (std::string_view("+-*/%&|^~!<>=?:()[]{};.,").find(text[at]) == std::string_view::npos)
        return failure(texts.error(
            "explain-character",
            std::isprint(static_cast<unsigned char>(text[at])) != 0
                ? fmt::format("'{}' has no place in an index expression", text[at])
                : fmt::format("byte 0x{:02x} has no place in an index expression", static_cast<u8>(text[at])),
            place));
      out.push_back({TokenKind::punctuation, place, texts.cut(place)});
    }
    at += place.length;
  }
  out.push_back({TokenKind::end, {line, static_cast<u32>(text.size()), 1}, {}});
  return out;
}

} // namespace warplens::explain
