// Tokens of PTX text. The lexer never copies: a token is a view into the text, and line numbers are counted
// as it goes. Comments, blank space and '#' lines are skipped. Opcodes keep their dots: see
// Lexer::extend_opcode.
#pragma once
#include "base/types.h"
#include <string_view>

namespace warplens::ptx {

enum class TokenKind : u8 { end, identifier, directive, number, string, punctuation, invalid };

struct Token {
  TokenKind kind = TokenKind::end;
  u32 line = 1;
  std::string_view text; // string: without the quotes

  bool is(char c) const { return kind == TokenKind::punctuation && text.size() == 1 && text[0] == c; }
  bool is(std::string_view punctuation) const {
    return kind == TokenKind::punctuation && text == punctuation;
  }
  bool is_directive(std::string_view name) const { return kind == TokenKind::directive && text == name; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text);
  Token next();

  // `head` is the identifier just read. Where it opens an opcode ("ld" of "ld.global.f32"), the dotted rest
  // is appended: "ld.global.f32", with "shared::cta" and the like as parts.
  Token extend_opcode(Token head);
  // Whether the token just read is followed by this character at once, without blank space.
  bool touches(char c) const { return at_ < end_ && *at_ == c; }
  // The same, blanks in between allowed.
  bool followed_by(char c) const {
    const char* p = at_;
    while (p < end_ && (*p == ' ' || *p == '\t')) ++p;
    return p < end_ && *p == c;
  }

private:
  bool skip_blank(); // false: an unterminated comment
  Token make(TokenKind kind, const char* from) const {
    return {kind, line_, {from, static_cast<std::size_t>(at_ - from)}};
  }
  Token number();
  Token string();
  Token punctuation();

  const char* begin_;
  const char* at_;
  const char* end_;
  u32 line_ = 1;
};

} // namespace warplens::ptx
