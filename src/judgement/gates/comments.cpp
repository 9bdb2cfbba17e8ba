// Comments found in a source text and parsed, each with the line that it is for. See comments.h.
#include "gates/comments.h"
#include "findings/rules.h"
#include <fmt/format.h>

namespace warplens::gates {
namespace {

constexpr std::string_view blanks = " \t\r";

// Goes through C++ source and hands over its comments.
class Scanner {
public:
  Scanner(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  Comments run() {
    while (at_ < text_.size()) step();
    meet_code(); // nothing follows those that wait
    end_statement();
    return std::move(out_);
  }

private:
  char here(std::size_t further = 0) const {
    return at_ + further < text_.size() ? text_[at_ + further] : '\0';
  }

  void newline() {
    ++line_;
    line_start_ = at_ + 1;
    code_ = directive_ = false;
  }

  void advance(std::size_t count) {
    for (; count != 0 && at_ < text_.size(); --count, ++at_)
      if (text_[at_] == '\n') newline();
  }

  void step() {
    const char c = here();
    if (c == '/' && here(1) == '/') return comment(std::min(text_.find('\n', at_), text_.size()), 0);
    if (c == '/' && here(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      return comment(end == text_.npos ? text_.size() : end + 2, end == text_.npos ? 0 : 2);
    }
    if (c == '#' && !code_) directive_ = true;
    if (c != '\n' && blanks.find(c) == blanks.npos && !directive_) meet_code();
    if (c == ';' || c == '{' || c == '}') end_statement();
    if (c == '"') return at_ > 0 && text_[at_ - 1] == 'R' ? raw_string() : quoted('"');
    if (c == '\'' && !separates_digits()) return quoted('\'');
    advance(1);
  }

  // 1'000
  bool separates_digits() const {
    auto digit = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    return at_ > 0 && digit(text_[at_ - 1]) && digit(here(1)) && here(2) != '\'';
  }

  void quoted(char quote) {
    advance(1);
    while (at_ < text_.size() && here() != quote && here() != '\n') advance(here() == '\\' ? 2 : 1);
    advance(1);
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos || open - at_ > 17) return quoted('"'); // a delimiter has at most 16 characters
    const std::string close = fmt::format("){}\"", text_.substr(at_ + 1, open - at_ - 1));
    const std::size_t end = text_.find(close, open);
    advance((end == text_.npos ? text_.size() : end + close.size()) - at_);
  }

  // Comments that stood alone are about what begins here.
  void meet_code() {
    if (code_) return;
    code_ = true;
    for (Comment& comment : waiting_) {
      comment.line = line_;
      begun_.push_back(std::move(comment));
    }
    waiting_.clear();
  }

  void end_statement() {
    for (Comment& comment : begun_) {
      comment.last_line = line_;
      out_.all.push_back(std::move(comment));
    }
    begun_.clear();
  }

  void comment(std::size_t end, std::size_t closing) {
    const diag::Span place{file_, line_, static_cast<u32>(at_ - line_start_ + 1), 0};
    read(trimmed(text_.substr(at_ + 2, end - closing - at_ - 2)), place);
    advance(end - at_);
  }

  void read(std::string_view words, const diag::Span& place) {
    constexpr std::string_view us = "warplens";
    if (!words.starts_with(us)) return;
    words.remove_prefix(us.size());
    if (!words.starts_with(':')) { // prose, unless it reads like one of ours
      std::string_view rest = trimmed(words);
      if (words != rest && (rest.starts_with("expect ") || rest.starts_with("ignore ")))
        malformed("there is no colon after 'warplens'", place);
      return;
    }
    words = trimmed(words.substr(1));
    if (words.find('\n') != words.npos) return malformed("it goes over several lines", place);
    const std::size_t space = std::min(words.find_first_of(blanks), words.size());
    const std::string_view verb = words.substr(0, space);
    words = trimmed(words.substr(space));
    if (verb == "expect") return read_expectations(words, place);
    if (verb == "ignore") return read_ignored(words, place);
    malformed(fmt::format("'{}' is neither expect nor ignore", verb), place);
  }

  void read_expectations(std::string_view words, const diag::Span& place) {
    while (true) {
      const std::size_t comma = std::min(words.find(','), words.size());
      Result<Comparison> expect = parse_comparison(words.substr(0, comma), place);
      if (!expect) return malformed(expect.error().message, place, expect.error().help);
      if (is_of_run(expect->measure))
        return malformed(fmt::format("a line has no {} of its own", name(expect->measure)), place);
      add({place, 0, 0, std::move(*expect), {}, {}});
      if (comma == words.size()) return;
      words.remove_prefix(comma + 1);
    }
  }

  void read_ignored(std::string_view words, const diag::Span& place) {
    const std::size_t colon = words.find(':');
    const std::string_view reason = colon == words.npos ? "" : trimmed(words.substr(colon + 1));
    if (reason.empty()) return malformed("it gives no reason", place);
    words = words.substr(0, colon);
    while (true) {
      const std::size_t comma = std::min(words.find(','), words.size());
      const std::string named(trimmed(words.substr(0, comma)));
      const std::optional<findings::Rule> rule = findings::rule_named(named);
      if (!rule) {
        std::string near = findings::closest_rule(named);
        return malformed(fmt::format("there is no rule '{}'", named), place,
                         near.empty() ? "`warplens rules` lists them"
                                      : fmt::format("did you mean '{}'?", near));
      }
      add({place, 0, 0, {}, rule, std::string(reason)});
      if (comma == words.size()) return;
      words.remove_prefix(comma + 1);
    }
  }

  void add(Comment comment) {
    comment.line = comment.last_line = line_;
    (code_ ? out_.all : waiting_).push_back(std::move(comment));
  }

  void malformed(std::string_view what, const diag::Span& place, std::string help = {}) {
    if (help.empty())
      help = "write '// warplens: expect sectors<=4' or '// warplens: ignore uncoalesced-load: reason'";
    out_.malformed.push_back(diag::error(
        "malformed-comment", fmt::format("the comment for WarpLens cannot be read: {}", what), place, help));
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  u32 line_ = 1;
  bool code_ = false, directive_ = false; // in this line, before here
  std::vector<Comment> waiting_, begun_;  // for a statement, and for its end
  Comments out_;
};

} // namespace

Comments read_comments(const std::string& file, std::string_view text) {
  if (text.find("warplens") == text.npos) return {}; // most files
  return Scanner(file, text).run();
}

} // namespace warplens::gates
