// Comments found in a source text and parsed, each with the line that it is for. See comments.h.
#include "gates/comments.h"
#include "base/blanks.h"
#include "findings/rules.h"
#include "source/tokens.h"
#include <fmt/format.h>

namespace warplens::gates {
namespace {

constexpr std::string_view blanks = " \t\r";

class CommentReader {
public:
  CommentReader(const std::string& file, std::string_view text) : file_(file), tokens_(text) {}

  Comments run() {
    u32 next = 0; // token
    for (const source::Comment& comment : tokens_.comments()) {
      while (next < tokens_.size() && tokens_.at(next).begin < comment.begin) meet(tokens_.at(next++));
      line_ = tokens_.line_of(comment.begin);
      read(trimmed(comment.words), {file_, line_, tokens_.column_of(comment.begin), 0});
    }
    while (next < tokens_.size()) meet(tokens_.at(next++));
    line_ = tokens_.line_of(static_cast<u32>(tokens_.text().size())); // nothing follows those that wait
    begin_statement();
    end_statement();
    return std::move(out_);
  }

private:
  void meet(const source::Token& token) {
    if (token.directive != 0) return;
    before_ = &token;
    if (waiting_.empty() && begun_.empty()) return;
    line_ = tokens_.line_of(token.begin);
    begin_statement();
    if (token.is(";") || token.is("{") || token.is("}")) end_statement();
  }

  // Comments that stood alone are about what begins here.
  void begin_statement() {
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
    const bool behind_code = before_ != nullptr && tokens_.line_of(before_->end() - 1) == line_;
    (behind_code ? out_.all : waiting_).push_back(std::move(comment));
  }

  void malformed(std::string_view what, const diag::Span& place, std::string help = {}) {
    if (help.empty())
      help = "write '// warplens: expect sectors<=4' or '// warplens: ignore uncoalesced-load: reason'";
    out_.malformed.push_back(diag::error(
        "malformed-comment", fmt::format("the comment for WarpLens cannot be read: {}", what), place, help));
  }

  const std::string& file_;
  source::Tokens tokens_;
  const source::Token* before_ = nullptr; // the last token of code so far
  u32 line_ = 1;                          // of what is read
  std::vector<Comment> waiting_, begun_;  // for a statement, and for its end
  Comments out_;
};

} // namespace

Comments read_comments(const std::string& file, std::string_view text) {
  if (text.find("warplens") == text.npos) return {}; // most files
  return CommentReader(file, text).run();
}

} // namespace warplens::gates
