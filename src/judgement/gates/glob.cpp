#include "gates/glob.h"
#include <algorithm>
#include <vector>

namespace warplens::gates {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (std::string_view part = path.substr(0, slash); !part.empty() && part != ".") out.push_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return out;
}

// Of one name; linear in practice: a star that fails is tried again one further, and only the last one.
bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

// The same for folders, where "**" is the star and a name the letter; the pattern may end before the path does.
bool parts_match(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path) {
  std::size_t p = 0, n = 0, star = pattern.size(), mark = 0;
  while (n < path.size()) {
    if (p == pattern.size()) return true; // a folder on the way
    if (pattern[p] == "**") {
      star = p++;
      mark = n;
    } else if (name_matches(pattern[p], path[n])) {
      ++p, ++n;
    } else if (star != pattern.size()) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](std::string_view part) { return part == "**"; });
}

} // namespace

bool path_matches(std::string_view pattern, std::string_view path) {
  std::vector<std::string_view> wanted = parts_of(pattern);
  if (wanted.size() == 1 && pattern.find('/') == pattern.npos) wanted.insert(wanted.begin(), "**");
  return !wanted.empty() && parts_match(wanted, parts_of(path));
}

} // namespace warplens::gates
