// Edits that move the elements of an array: safe where each of them is only ever named by its indices, and no index leaves
// its dimension, which C++ forbids.
#include "fix/arrays.h"
#include "fix/edits.h"
#include "fix/remedies.h"
#include <fmt/format.h>

namespace warplens::fix {
namespace {

// "tile", "2*n + 1": more can be added behind it.
bool is_sum(const Source& s, Range r) {
  for (u32 i = r.first; i < r.last; ++i) {
    const Token& t = s.at(i);
    const bool fine = t.word() || t.kind == Token::Kind::number || t.is("+") || t.is("-") || t.is("*") ||
                      t.is("/") || t.is("(") || t.is(")") || t.is("::");
    if (!fine) return false;
  }
  return r.last > r.first;
}

std::string_view text_of(const Source& s, Range r) {
  return s.text().substr(s.at(r.first).begin, s.at(r.last - 1).end() - s.at(r.first).begin);
}

// Does evaluating it do nothing else, so that it may be evaluated later? And is it on one line?
bool is_quiet(const Source& s, Range r) {
  for (u32 i = r.first; i < r.last; ++i) {
    const Token& t = s.at(i);
    const bool assigns = t.is("++") || t.is("--") ||
                         (t.text.ends_with('=') && t.text.size() == 2 && !t.is("==") && !t.is("!=") &&
                          !t.is("<=") && !t.is(">="));
    const bool calls =
        t.is("(") && s.at(i - 1).word() && i > r.first && !s.at(i - 1).is("min") && !s.at(i - 1).is("max");
    if (assigns || calls || t.is("=") || t.is("[")) return false;
  }
  return text_of(s, r).find('\n') == std::string_view::npos;
}

Edits swapped(const Place& p, const std::vector<Range>& pair) {
  const Source& s = p.source;
  const std::string_view first = text_of(s, pair[0]), last = text_of(s, pair[1]);
  if (first == last) return {};
  auto one = [&](Range r, std::string_view text) {
    return replacing(s, p.file, s.at(r.first).begin, s.at(r.last - 1).end(), std::string(text));
  };
  return {one(pair[0], last), one(pair[1], first)};
}

} // namespace

bool is_own(std::string_view file) { return file.ends_with(".cu"); }

Edits longer_rows(const Place& p) {
  const Source& s = p.source;
  std::optional<Array> array = array_visible(s, p.array, p.use);
  if (!array || !array->shared || array->dimensions.size() < 2 || !element_uses(s, *array, true)) return {};
  const Range row = array->dimensions.back();
  const u32 size = size_of(s, array->type);
  if (p.remedy.bytes > p.remedy.row / 2)
    return {}; // most of the array would be for nothing: a matter of taste
  if (size == 0 || p.remedy.bytes == 0 || p.remedy.bytes % size != 0 || !is_sum(s, row)) return {};
  // A parameter of a template has no value here; then the rows are those that were seen if there are no others.
  const std::optional<u64> elements = constant(s, row);
  if (elements ? *elements * size != p.remedy.row : array->dimensions.size() != 2) return {};
  const u32 end = s.at(row.last - 1).end();
  return {replacing(s, p.file, end, end, fmt::format(" + {}", p.remedy.bytes / size))};
}

Edits other_order(const Place& p) {
  const Source& s = p.source;
  std::optional<Array> array = array_visible(s, p.array, p.use);
  if (!array || array->dimensions.size() != 2 || (!array->shared && !is_own(p.file))) return {};
  std::optional<std::vector<Use>> uses = element_uses(s, *array, false);
  if (!uses || uses->empty()) return {};
  Edits out = swapped(p, array->dimensions);
  for (const Use& use : *uses) {
    if (!is_quiet(s, use.indices[0]) || !is_quiet(s, use.indices[1])) return {};
    for (findings::Edit& edit : swapped(p, use.indices)) out.push_back(std::move(edit));
  }
  return out;
}

} // namespace warplens::fix
