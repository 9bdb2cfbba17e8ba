// Texts compared by their words; three rounds, from the surest match to the least sure. See lines.h.
#include "text/lines.h"
#include "base/blanks.h"
#include <algorithm>
#include <limits>
#include <map>

namespace warplens::text {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_cells = std::size_t{1}
                                   << 24; // of the table: beyond that, only what is alike at its ends
constexpr std::size_t most_edited = 200;  // lines that are held against each other
constexpr double resembles = 0.5;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(text[i])) == 0) out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  std::ranges::sort(out);
  return out;
}

double similarity(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  const std::size_t all = a.size() + b.size();
  return all == 0 ? 1 : 2.0 * static_cast<double>(both.size()) / static_cast<double>(all);
}

class Matcher {
public:
  Matcher(const std::vector<Item>& before, const std::vector<Item>& after)
      : before_(before), after_(after), of_(before.size(), none), taken_(after.size()) {}

  std::vector<std::pair<std::size_t, std::size_t>> run() {
    in_order();
    elsewhere();
    edited();
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < of_.size(); ++i)
      if (of_[i] != none) out.emplace_back(i, of_[i]);
    return out;
  }

private:
  void join(std::size_t b, std::size_t a) {
    of_[b] = a;
    taken_[a] = true;
  }

  void in_order() {
    std::size_t begin = 0, b_end = before_.size(), a_end = after_.size();
    while (begin < std::min(b_end, a_end) && before_[begin].key == after_[begin].key)
      join(begin, begin), ++begin;
    while (b_end > begin && a_end > begin && before_[b_end - 1].key == after_[a_end - 1].key)
      join(--b_end, --a_end);
    const std::size_t rows = b_end - begin, columns = a_end - begin;
    if (rows == 0 || columns == 0 || rows > most_cells / columns) return;
    std::vector<u32> longest((rows + 1) * (columns + 1)); // of what follows row and column
    auto at = [&](std::size_t r, std::size_t c) -> u32& { return longest[r * (columns + 1) + c]; };
    auto alike = [&](std::size_t r, std::size_t c) {
      return before_[begin + r].key == after_[begin + c].key;
    };
    for (std::size_t r = rows; r-- > 0;)
      for (std::size_t c = columns; c-- > 0;)
        at(r, c) = alike(r, c) ? at(r + 1, c + 1) + 1 : std::max(at(r + 1, c), at(r, c + 1));
    for (std::size_t r = 0, c = 0; r < rows && c < columns;) {
      if (alike(r, c))
        join(begin + r++, begin + c++);
      else
        at(r + 1, c) >= at(r, c + 1) ? ++r : ++c;
    }
  }

  void elsewhere() {
    std::multimap<std::string_view, std::size_t> left;
    for (std::size_t a = 0; a < after_.size(); ++a)
      if (!taken_[a]) left.emplace(after_[a].key, a);
    for (std::size_t b = 0; b < before_.size(); ++b) {
      if (of_[b] != none) continue;
      auto found = left.find(before_[b].key); // the first of its key: they are in order
      if (found == left.end()) continue;
      join(b, found->second);
      left.erase(found);
    }
  }

  // Best first; what is as good in the order of the source.
  void edited() {
    std::vector<std::size_t> old_lines, new_lines;
    for (std::size_t b = 0; b < before_.size(); ++b)
      if (of_[b] == none) old_lines.push_back(b);
    for (std::size_t a = 0; a < after_.size(); ++a)
      if (!taken_[a]) new_lines.push_back(a);
    if (old_lines.size() > most_edited || new_lines.size() > most_edited) return;
    struct Candidate {
      double score;
      std::size_t before, after;
    };
    std::vector<std::vector<std::string>> new_words;
    for (std::size_t a : new_lines) new_words.push_back(words_of(after_[a].key));
    std::vector<Candidate> candidates;
    for (std::size_t b : old_lines) {
      const std::vector<std::string> words = words_of(before_[b].key);
      for (std::size_t i = 0; i < new_lines.size(); ++i) {
        const double score = similarity(words, new_words[i]);
        if (score >= resembles &&
            std::ranges::find_first_of(before_[b].has, after_[new_lines[i]].has) != before_[b].has.end())
          candidates.push_back({score, b, new_lines[i]});
      }
    }
    std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::score);
    for (const Candidate& candidate : candidates)
      if (of_[candidate.before] == none && !taken_[candidate.after]) join(candidate.before, candidate.after);
  }

  const std::vector<Item>&before_, &after_;
  std::vector<std::size_t> of_;
  std::vector<bool> taken_;
};

} // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::optional<std::string> line_at(const std::vector<std::string_view>& lines, u32 number) {
  if (number == 0 || number > lines.size()) return {};
  return std::string(trimmed(lines[number - 1]));
}

std::vector<std::pair<std::size_t, std::size_t>> match_lines(const std::vector<Item>& before,
                                                             const std::vector<Item>& after) {
  return Matcher(before, after).run();
}

std::string line_key(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

double similarity(std::string_view a, std::string_view b) { return similarity(words_of(a), words_of(b)); }

} // namespace warplens::text
