// The lexer walks the text once with one table look-up per character. It follows the lexical rules of the PTX
// ISA (section "Syntax"), and is lenient where compilers are: names may hold '$' and '%' anywhere.
#include "ptx/lexer.h"
#include <array>
#include <cstring>

namespace warplens::ptx {
namespace {

enum : u8 { blank = 1, name_start = 2, name_part = 4, digit = 8 };

constexpr std::array<u8, 256> classes = [] {
  std::array<u8, 256> table{};
  for (char c : {' ', '\t', '\r', '\f', '\v'}) table[static_cast<u8>(c)] = blank;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = name_start | name_part;
  for (char c : {'_', '$', '%'}) table[static_cast<u8>(c)] = name_start | name_part;
  for (int c = '0'; c <= '9'; ++c) table[c] = digit | name_part;
  return table;
}();

bool is(char c, u8 kinds) { return (classes[static_cast<u8>(c)] & kinds) != 0; }

} // namespace

Lexer::Lexer(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1); // images keep PTX NUL-terminated
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // UTF-8's mark, which some editors put first
  begin_ = at_ = text.data();
  end_ = at_ + text.size();
}

bool Lexer::skip_blank() {
  while (at_ < end_) {
    if (is(*at_, blank)) {
      ++at_;
    } else if (*at_ == '\n') {
      ++at_;
      ++line_;
    } else if (*at_ == '#' && (at_ == begin_ || at_[-1] == '\n')) {
      const void* newline = std::memchr(at_, '\n', end_ - at_);
      at_ = newline ? static_cast<const char*>(newline) : end_;
    } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/') {
      const void* newline = std::memchr(at_, '\n', end_ - at_);
      at_ = newline ? static_cast<const char*>(newline) : end_;
    } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '*') {
      std::string_view rest(at_ + 2, end_ - at_ - 2);
      std::size_t close = rest.find("*/");
      if (close == std::string_view::npos) return false;
      for (char c : rest.substr(0, close)) line_ += c == '\n';
      at_ = rest.data() + close + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blank()) {
    const char* from = at_;
    at_ += 2;
    Token token = make(TokenKind::invalid, from);
    at_ = end_;
    return token;
  }
  const char* from = at_;
  if (at_ == end_) return make(TokenKind::end, from);
  if (is(*at_, name_start)) {
    do ++at_;
    while (at_ < end_ && is(*at_, name_part));
    return make(TokenKind::identifier, from);
  }
  if (is(*at_, digit)) return number();
  if (*at_ == '.' && end_ - at_ > 1) {
    if (is(at_[1], digit)) return number();
    if (is(at_[1], name_start)) {
      do ++at_;
      while (at_ < end_ && is(*at_, name_part));
      return make(TokenKind::directive, from);
    }
  }
  return *at_ == '"' ? string() : punctuation();
}

Token Lexer::extend_opcode(Token head) {
  while (true) {
    const char* after = at_;
    if (after < end_ && *after == '.') {
      ++after;
    } else if (end_ - after > 2 && after[0] == ':' && after[1] == ':' &&
               head.text.find('.') != head.text.npos) {
      after += 2;
    } else {
      break;
    }
    if (after == end_ || !is(*after, name_part)) break;
    do ++after;
    while (after < end_ && is(*after, name_part));
    at_ = after;
    head.text = {head.text.data(), static_cast<std::size_t>(at_ - head.text.data())};
  }
  return head;
}

// Numbers are taken greedily ("0x1F", "1e-5", "0f3F800000", "12U"); what they mean is decided in
// constant.cpp.
Token Lexer::number() {
  const char* from = at_;
  bool hexadecimal = end_ - at_ > 1 && at_[0] == '0' && std::strchr("xXfFdD", at_[1]) && at_[1] != '\0';
  while (at_ < end_) {
    bool exponent_sign = !hexadecimal && (*at_ == '+' || *at_ == '-') && (at_[-1] == 'e' || at_[-1] == 'E');
    bool point = !hexadecimal && *at_ == '.';
    if (!is(*at_, name_part) && !(exponent_sign && at_ != from) && !point) break;
    ++at_;
  }
  return make(TokenKind::number, from);
}

Token Lexer::string() {
  const char* from = ++at_;
  while (at_ < end_ && *at_ != '"' && *at_ != '\n')
    at_ += *at_ == '\\' && end_ - at_ > 1 && at_[1] != '\n' ? 2 : 1;
  Token token = make(TokenKind::string, from);
  if (at_ == end_ || *at_ == '\n') {
    token.kind = TokenKind::invalid;
  } else {
    ++at_;
  }
  return token;
}

Token Lexer::punctuation() {
  const char* from = at_++;
  if (at_ < end_) {
    char a = *from, b = *at_;
    bool doubled = a == b && std::strchr("<>=&|", a);
    bool with_equals = b == '=' && std::strchr("<>!", a);
    if (a != '\0' && (doubled || with_equals)) ++at_;
  }
  TokenKind kind = static_cast<u8>(*from) >= 0x21 && static_cast<u8>(*from) < 0x7f ? TokenKind::punctuation
                                                                                   : TokenKind::invalid;
  return make(kind, from);
}

} // namespace warplens::ptx
