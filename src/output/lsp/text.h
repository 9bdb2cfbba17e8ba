// Text as an editor counts it. The protocol's positions are lines from 0 and UTF-16 code units (or bytes, where both sides
// agreed on UTF-8); compilers count lines from 1 and bytes.
#pragma once
#include "base/types.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::lsp {

enum class Encoding : u8 { utf16, utf8 };

struct Position {
  u32 line = 0, character = 0;
  auto operator<=>(const Position&) const = default;
};
struct Range {
  Position start, end; // `end` is not part of it
  bool operator==(const Range&) const = default;
};

// A text and where its lines begin. Lines end with \n, \r\n or \r, as the protocol has it.
class Text {
public:
  explicit Text(std::string content = {});
  const std::string& content() const { return content_; }
  u32 lines() const { return static_cast<u32>(starts_.size()); }
  // Without its end; empty where there is no such line. `number` from 0.
  std::string_view line(u32 number) const;

  // What lies beyond a line's or the text's end is its end.
  std::size_t offset(Position, Encoding) const;
  // `line` from 0, `byte` within it.
  Position position(u32 line, std::size_t byte, Encoding) const;
  // Replaces what the range covers.
  void replace(const Range&, std::string_view with, Encoding);

private:
  void find_lines();
  std::string content_;
  std::vector<std::size_t> starts_; // of lines; one at least
};

// Where the lines of a text that was looked at are in a text of now: those before the first that changed, and those behind the
// last. What lies between has no counterpart.
class LineMap {
public:
  LineMap(const Text& then, const Text& now);
  std::optional<u32> now(u32 then) const; // lines from 0
  std::optional<u32> then(u32 now) const;

private:
  u32 same_before_ = 0, same_behind_ = 0, then_ = 0, now_ = 0; // lines
};

// Behind the expression that begins at `begin` in the line: names, members, and what is in the brackets and parentheses that
// follow. At least one byte, where there is one.
std::size_t end_of_expression(std::string_view line, std::size_t begin);

} // namespace warplens::lsp
