// The lexer: comments set aside, literals kept whole, brackets paired, directives numbered. See tokens.h.
#include "source/tokens.h"
#include <algorithm>
#include <array>

namespace warplens::source {
namespace {

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c < 0;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_word(char c) { return starts_word(c) || is_digit(c); }

// Longest first. ">>" stays two signs, as it may close two lists of template arguments.
constexpr std::array<std::string_view, 25> long_signs{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "::", "->", "&&", "||", "==", "!=", "<=",
    ">=",  "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "++", "--", "##"};

bool is_string_prefix(std::string_view word) {
  return word == "R" || word == "L" || word == "u" || word == "U" || word == "u8" || word == "LR" ||
         word == "uR" || word == "UR" || word == "u8R";
}

// Walks over the text, and knows what ends where.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool sound = true;

  bool starts(std::size_t at, std::string_view what) const { return text_.substr(at, what.size()) == what; }
  // A backslash at the end of a line joins it with the next.
  std::size_t joined(std::size_t at) const {
    if (starts(at, "\\\n")) return 2;
    return starts(at, "\\\r\n") ? 3 : 0;
  }
  std::size_t end_of_line(std::size_t at) const {
    while (at < text_.size() && text_[at] != '\n') at += std::max<std::size_t>(joined(at), 1);
    return std::min(at, text_.size());
  }
  std::size_t end_of_comment(std::size_t at) { return found("*/", at + 2); }
  // Of a string or a character from its quote on.
  std::size_t end_of_quoted(std::size_t at) {
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
      if (text_[at] == '\\')
        ++at;
      else if (text_[at] == quote)
        return at + 1;
      else if (text_[at] == '\n')
        break;
    }
    sound = false;
    return std::min(at, text_.size());
  }
  std::size_t end_of_raw(std::size_t quote) {
    const std::size_t open = text_.find('(', quote);
    constexpr std::size_t longest = 16; // [lex.string]
    if (open == text_.npos || open - quote - 1 > longest) return sound = false, text_.size();
    return found(")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"", open);
  }
  // With exponents and digits apart: 1'000, 0x1p-3, 1.5e+3f.
  std::size_t end_of_number(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      const char c = text_[at], before = text_[at - 1];
      const bool sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool hex = sign && (before == 'e' || before == 'E') && is_hex(at);
      const bool apart = c == '\'' && at + 1 < text_.size() && in_word(text_[at + 1]);
      if (!(in_word(c) || c == '.' || (sign && !hex) || apart)) break;
    }
    return at;
  }

private:
  // Is what ends there a number in base 16, in which "e" is a digit?
  bool is_hex(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && (in_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return starts(begin, "0x") || starts(begin, "0X");
  }
  std::size_t found(std::string_view what, std::size_t from) {
    const std::size_t at = text_.find(what, from);
    if (at == text_.npos) return sound = false, text_.size();
    return at + what.size();
  }
  std::string_view text_;
};

std::size_t end_of_sign(const Scanner& scanner, std::size_t at) {
  for (std::string_view sign : long_signs)
    if (scanner.starts(at, sign)) return at + sign.size();
  return at + 1;
}

} // namespace

Tokens::Tokens(std::string_view text) : text_(text) {
  if (text.size() >= no_token) {
    sound_ = false;
    return;
  }
  lines_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines_.push_back(static_cast<u32>(i + 1));
  tokenize();
  match_brackets();
  index_words();
}

void Tokens::tokenize() {
  Scanner scan(text_);
  bool fresh_line = true;
  u32 directive = 0, directives = 0;
  std::size_t directive_end = 0;
  for (std::size_t i = 0; i < text_.size();) {
    const char c = text_[i];
    if (i >= directive_end) directive = 0;
    if (std::size_t skip = scan.joined(i)) {
      i += skip;
    } else if (c == '\n') {
      fresh_line = true, ++i;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++i;
    } else if (scan.starts(i, "//") || scan.starts(i, "/*")) {
      const bool line = text_[i + 1] == '/';
      const std::size_t end = line ? scan.end_of_line(i) : scan.end_of_comment(i);
      std::string_view words = text_.substr(i + 2, end - i - 2);
      if (!line && words.ends_with("*/")) words.remove_suffix(2);
      comments_.push_back({words, static_cast<u32>(i)});
      i = end;
    } else if (c == '#' && fresh_line && directive == 0) {
      directive = ++directives, directive_end = scan.end_of_line(i), ++i;
    } else {
      fresh_line = false;
      Token token{{}, static_cast<u32>(i), directive};
      std::size_t end = i;
      if (starts_word(c)) {
        while (end < text_.size() && in_word(text_[end])) ++end;
        const std::string_view word = text_.substr(i, end - i);
        const bool quoted =
            end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && is_string_prefix(word);
        token.kind = quoted ? Token::Kind::literal : Token::Kind::word;
        if (quoted) end = word.back() == 'R' ? scan.end_of_raw(end) : scan.end_of_quoted(end);
      } else if (is_digit(c) || (c == '.' && i + 1 < text_.size() && is_digit(text_[i + 1]))) {
        token.kind = Token::Kind::number, end = scan.end_of_number(i);
      } else if (c == '"' || c == '\'') {
        // What stands in #error or in a block that is left out need not be C++.
        const bool was = scan.sound;
        token.kind = Token::Kind::literal, end = scan.end_of_quoted(i);
        if (directive != 0) scan.sound = was;
      } else {
        end = end_of_sign(scan, i);
      }
      token.text = text_.substr(i, end - i);
      tokens_.push_back(token);
      i = end;
    }
  }
  sound_ = sound_ && scan.sound;
}

// Of the code, and within each preprocessor line on its own.
void Tokens::match_brackets() {
  partner_.assign(tokens_.size(), no_token);
  std::vector<u32> open, in_line;
  u32 directive = 0;
  for (u32 i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.kind != Token::Kind::sign) continue;
    const bool in_directive = token.directive != 0;
    if (in_directive && token.directive != directive) in_line.clear(), directive = token.directive;
    std::vector<u32>& stack = in_directive ? in_line : open;
    const std::string_view t = token.text;
    if (t == "(" || t == "[" || t == "{") {
      stack.push_back(i);
      continue;
    }
    if (t != ")" && t != "]" && t != "}") continue;
    const char* other = t == ")" ? "(" : t == "]" ? "[" : "{";
    if (stack.empty() || !tokens_[stack.back()].is(other)) {
      sound_ = sound_ && in_directive;
      stack.clear();
      continue;
    }
    partner_[i] = stack.back(), partner_[stack.back()] = i;
    stack.pop_back();
  }
  sound_ = sound_ && open.empty();
}

void Tokens::index_words() {
  std::vector<u32> blocks; // open ones, innermost last
  block_.assign(tokens_.size(), no_token);
  for (u32 i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.word()) places_[token.text].push_back(i);
    while (!blocks.empty() && partner_[blocks.back()] < i) blocks.pop_back();
    if (!blocks.empty()) block_[i] = blocks.back();
    if (token.directive == 0 && token.is("{") && partner_[i] != no_token) blocks.push_back(i);
  }
}

u32 Tokens::line_of(u32 offset) const {
  return static_cast<u32>(std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin());
}

u32 Tokens::column_of(u32 offset) const { return offset - lines_[line_of(offset) - 1] + 1; }

std::string_view Tokens::line(u32 number) const {
  if (number == 0 || number > lines_.size()) return {};
  const std::string_view out = text_.substr(lines_[number - 1]);
  return out.substr(0, out.find('\n'));
}

u32 Tokens::token_at(u32 line, u32 column) const {
  if (line == 0 || line > lines_.size()) return size();
  const u32 offset = lines_[line - 1] + (column == 0 ? 0 : column - 1);
  auto first = std::ranges::lower_bound(tokens_, offset, {}, &Token::begin);
  if (first != tokens_.begin() && (first - 1)->end() > offset) --first; // in the middle of a word
  return static_cast<u32>(first - tokens_.begin());
}

std::span<const u32> Tokens::places_of(std::string_view word) const {
  auto found = places_.find(word);
  return found == places_.end() ? std::span<const u32>{} : std::span<const u32>(found->second);
}

std::string Tokens::words(Range r) const {
  std::string out;
  for (u32 i = r.first; i < r.last; ++i) (out += out.empty() ? "" : " ") += at(i).text;
  return out;
}

std::vector<Range> Tokens::parts(Range r, std::string_view mark) const {
  std::vector<Range> out;
  u32 begin = r.first;
  int angle = 0;
  for (u32 i = r.first; i < r.last; ++i) {
    const Token& t = at(i);
    if (const u32 close = partner(i); close != no_token && close > i) i = std::min(close, r.last - 1);
    if (t.is("<")) ++angle;
    if (t.is(">")) --angle;
    if (t.is(">>>")) angle -= 3;
    if (!t.is(mark) || angle > 0) continue;
    out.push_back({begin, i});
    begin = i + 1;
  }
  if (begin < r.last) out.push_back({begin, r.last});
  return out;
}

u32 Tokens::statement_of(u32 index) const {
  u32 i = index;
  while (i > 0) {
    const Token& before = at(i - 1);
    if (before.directive != 0 || before.is(";") || before.is("{") || before.is("}")) break;
    const u32 open = before.is(")") || before.is("]") ? partner(i - 1) : no_token;
    i = open == no_token ? i - 1 : open;
  }
  return i;
}

} // namespace warplens::source
