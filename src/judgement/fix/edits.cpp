// Edits put into a text in order, and the hunks of what changed. See edits.h.
#include "fix/edits.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace warplens::fix {
namespace {

using findings::Edit;

std::pair<u32, u32> begin_of(const Edit& e) { return {e.line, e.column}; }
std::pair<u32, u32> end_of(const Edit& e) { return {e.end_line, e.end_column}; }

// With their ends of line; the last may have none.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::optional<std::size_t> offset_of(const std::vector<std::string_view>& lines, std::string_view text,
                                     u32 line, u32 column) {
  if (line == 0 || column == 0 || line > lines.size()) return {};
  const std::string_view one = lines[line - 1];
  const std::size_t length = one.size() - (one.ends_with('\n') ? 1 : 0);
  if (column - 1 > length) return {};
  return static_cast<std::size_t>(one.data() - text.data()) + column - 1;
}

void add_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

} // namespace

bool same(const Edit& a, const Edit& b) {
  return a.file == b.file && begin_of(a) == begin_of(b) && end_of(a) == end_of(b) &&
         a.replacement == b.replacement;
}

bool collide(const Edit& a, const Edit& b) {
  if (a.file != b.file || same(a, b)) return false;
  if (begin_of(a) == begin_of(b)) return true;
  return begin_of(a) < end_of(b) && begin_of(b) < end_of(a);
}

std::optional<std::string> applied(std::string_view text, std::span<const Edit> edits) {
  struct Change {
    std::size_t begin, end;
    const Edit* edit;
  };
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<Change> changes;
  for (const Edit& edit : edits) {
    std::optional<std::size_t> begin = offset_of(lines, text, edit.line, edit.column),
                               end = offset_of(lines, text, edit.end_line, edit.end_column);
    if (!begin || !end || *end < *begin) return {};
    bool again = false;
    for (const Change& other : changes) {
      again = again || same(*other.edit, edit);
      if (collide(*other.edit, edit)) return {};
    }
    if (!again) changes.push_back({*begin, *end, &edit});
  }
  std::ranges::sort(changes, {}, &Change::begin);
  std::string out;
  std::size_t at = 0;
  for (const Change& change : changes) {
    out += text.substr(at, change.begin - at);
    out += change.edit->replacement;
    at = change.end;
  }
  return out += text.substr(at);
}

// Edits stay within their lines, so that line n of one text is line n of the other.
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after) {
  constexpr std::size_t context = 3;
  const std::vector<std::string_view> old = lines_of(before), now = lines_of(after);
  const std::size_t count = std::min(old.size(), now.size());
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < count; ++i)
    if (old[i] != now[i]) changed.push_back(i);
  if (changed.empty()) return {};
  const std::string name = file.starts_with('/') ? file.substr(1) : file;
  std::string out = fmt::format("--- a/{}\n+++ b/{}\n", name, name);
  for (std::size_t c = 0; c < changed.size();) {
    std::size_t last = c; // of this hunk
    while (last + 1 < changed.size() && changed[last + 1] - changed[last] <= 2 * context) ++last;
    const std::size_t from = changed[c] - std::min(changed[c], context),
                      to = std::min(count, changed[last] + context + 1);
    out += fmt::format("@@ -{0},{1} +{0},{1} @@\n", from + 1, to - from);
    for (std::size_t i = from; i < to;) {
      std::size_t end = i;
      while (end < to && old[end] != now[end]) ++end;
      for (std::size_t k = i; k < end; ++k) add_line(out, '-', old[k]);
      for (std::size_t k = i; k < end; ++k) add_line(out, '+', now[k]);
      if (end == i) add_line(out, ' ', old[i++]);
      i = std::max(i, end);
    }
    c = last + 1;
  }
  return out;
}

} // namespace warplens::fix
