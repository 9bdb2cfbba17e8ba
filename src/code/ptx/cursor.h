// The token stream as the parser uses it: the current token, expectations, and the first error.
// Every parsing function returns false once there is an error; the error itself waits here.
#pragma once
#include "base/diagnostic.h"
#include "ptx/lexer.h"
#include <optional>
#include <string>

namespace warplens::ptx {

class Cursor {
public:
  Cursor(std::string_view text, std::string name);

  const Token& token() const { return token_; }
  void advance() { token_ = lexer_.next(); }
  void extend_opcode() { token_ = lexer_.extend_opcode(token_); }
  bool touches(char c) const { return lexer_.touches(c); }
  bool followed_by(char c) const { return lexer_.followed_by(c); }

  bool at(char c) const { return token_.is(c); }
  bool at_directive(std::string_view name) const { return token_.is_directive(name); }
  bool at_identifier() const { return token_.kind == TokenKind::identifier; }
  bool at_end() const { return token_.kind == TokenKind::end; }
  bool accept(char c);
  bool accept_directive(std::string_view name);
  bool expect(char c, std::string_view where); // "',' after the first operand"
  bool expect_identifier(std::string_view& out, std::string_view what);
  // Skips a balanced { … }, ( … ) or [ … ] that starts at the current token.
  bool skip_group();

  bool fail(std::string kind, std::string message, const Token& where, std::string help = {});
  bool fail(std::string kind, std::string message) {
    return fail(std::move(kind), std::move(message), token_);
  }
  bool expected(std::string_view what); // "expected WHAT, found 'x'"
  bool failed() const { return error_.has_value(); }
  diag::Diagnostic take_error() { return std::move(*error_); }
  diag::Span span(const Token&) const;
  std::string_view text() const { return text_; }
  const std::string& name() const { return name_; }

private:
  std::string_view text_;
  std::string name_;
  Lexer lexer_;
  Token token_;
  std::optional<diag::Diagnostic> error_;
};

} // namespace warplens::ptx
