#include "source/functions.h"
#include "source/declarations.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace warplens::source {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Does the declaration before a brace open a namespace or a class, in which functions stand? Parameters make it a function.
bool holds_functions(std::string_view head) {
  static constexpr std::array<std::string_view, 5> words{"namespace", "extern", "class", "struct", "union"};
  if (head.find('(') != head.npos) return false;
  for (std::size_t i = 0; i < head.size();) {
    std::size_t end = i + 1;
    while (is_word(head[i]) && end < head.size() && is_word(head[end])) ++end;
    if (std::ranges::find(words, head.substr(i, end - i)) != words.end()) return true;
    i = end;
  }
  return false;
}

class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(without_comments(text)) {}

  std::vector<Extent> run() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\'' && at_ + 2 < text_.size() && (text_[at_ + 2] == '\'' || text_[at_ + 1] == '\\'))
        at_ = std::min(text_.find('\'', at_ + 2), text_.size());
      else if (c == '#' && at_line_start())
        skip_directive();
      else if (c == '{')
        open();
      else if (c == '}')
        close();
      else if (c == ';' && inside_ == 0)
        start_ = at_ + 1;
    }
    return std::move(out_);
  }

private:
  bool at_line_start() const {
    const std::size_t before = text_.find_last_not_of(" \t", at_ == 0 ? 0 : at_ - 1);
    return at_ == 0 || before == text_.npos || text_[before] == '\n';
  }

  void skip_directive() {
    const std::size_t hash = at_;
    while (at_ < text_.size() && (text_[at_] != '\n' || text_[at_ - 1] == '\\')) ++at_;
    if (inside_ == 0 && text_.find_first_not_of(" \t\r\n", start_) == hash) start_ = at_;
  }

  void open() {
    if (inside_ != 0 || !holds_functions(std::string_view(text_).substr(start_, at_ - start_)))
      ++inside_;
    else
      start_ = at_ + 1;
  }

  void close() {
    if (inside_ > 1) {
      --inside_;
      return;
    }
    if (inside_ == 1) {
      const std::size_t begin = text_.find_first_not_of(" \t\r\n", start_);
      out_.push_back({line_of(begin), line_of(at_)});
      inside_ = 0;
    }
    start_ = at_ + 1;
  }

  u32 line_of(std::size_t at) { // asked in the order of the text
    counted_ += static_cast<u32>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(seen_),
                                            text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    seen_ = at;
    return counted_ + 1;
  }

  std::string text_;
  std::size_t at_ = 0, start_ = 0, seen_ = 0; // start_: of the declaration that is being read
  u32 inside_ = 0, counted_ = 0;              // inside_: braces open within a function
  std::vector<Extent> out_;
};

} // namespace

std::vector<Extent> functions_in(std::string_view text) { return Scanner(text).run(); }

} // namespace warplens::source
