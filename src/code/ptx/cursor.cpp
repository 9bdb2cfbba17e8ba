// See cursor.h: how the parser's complaints are worded.
#include "ptx/cursor.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::ptx {
namespace {
constexpr std::size_t shown =
    60; // of a token in a message: a file of one huge token must not become the message
}

Cursor::Cursor(std::string_view text, std::string name) : text_(text), name_(std::move(name)), lexer_(text) {
  advance();
}

bool Cursor::accept(char c) {
  if (!token_.is(c)) return false;
  advance();
  return true;
}

bool Cursor::accept_directive(std::string_view name) {
  if (!token_.is_directive(name)) return false;
  advance();
  return true;
}

bool Cursor::expect(char c, std::string_view where) {
  return accept(c) || expected(fmt::format("'{}' {}", c, where));
}

bool Cursor::expect_identifier(std::string_view& out, std::string_view what) {
  if (!at_identifier()) return expected(what);
  out = token_.text;
  advance();
  return true;
}

bool Cursor::skip_group() {
  Token opening = token_;
  u64 depth = 0;
  do {
    if (at_end()) return fail("ptx-syntax", fmt::format("'{}' is never closed", opening.text), opening);
    if (at('{') || at('(') || at('[')) ++depth;
    if (at('}') || at(')') || at(']')) --depth;
    advance();
  } while (depth > 0);
  return true;
}

diag::Span Cursor::span(const Token& token) const {
  const char* line_start = token.text.data();
  while (line_start > text_.data() && line_start[-1] != '\n') --line_start;
  auto column = static_cast<u32>(token.text.data() - line_start) + 1;
  return {name_, token.line, column, static_cast<u32>(std::min(token.text.size(), shown))};
}

bool Cursor::fail(std::string kind, std::string message, const Token& where, std::string help) {
  if (!error_) error_ = diag::error(std::move(kind), std::move(message), span(where), std::move(help));
  return false;
}

bool Cursor::expected(std::string_view what) {
  if (at_end())
    return fail("ptx-syntax", fmt::format("expected {}, found the end of the text", what), token_,
                "the PTX is cut off: extract or compile it again");
  if (token_.kind == TokenKind::invalid && token_.text.starts_with("/*"))
    return fail("ptx-syntax", "this comment is never closed", token_);
  return fail("ptx-syntax", fmt::format("expected {}, found '{}'", what, token_.text.substr(0, shown)),
              token_);
}

} // namespace warplens::ptx
