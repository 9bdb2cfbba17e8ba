#include "base/closest.h"
#include <algorithm>
#include <cctype>

namespace warplens {
namespace {

// Damerau and Levenshtein's distance, without regard to case.
std::size_t distance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& best = rows[i][j];
      if (i == 0 || j == 0) {
        best = i + j;
        continue;
      }
      best =
          std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + !same(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        best = std::min(best, rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

} // namespace

std::string closest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t most_wrong = 2, longest = 64;
  if (word.empty() || word.size() > longest) return {};
  std::string out;
  // A word of one letter is close to itself alone, in the other case.
  std::size_t best = std::min({most_wrong + 1, std::max<std::size_t>(1, word.size() / 3) + 1, word.size()});
  for (const std::string& one : known)
    if (std::size_t wrong = distance(word, one); wrong < best) best = wrong, out = one;
  return out;
}

} // namespace warplens
