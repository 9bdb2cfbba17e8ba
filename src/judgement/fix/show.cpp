// A note for each thing that the tokens around an access show. See show.h.
#include "fix/show.h"
#include "source/arrays.h"
#include "source/functions.h"
#include "source/structures.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace warplens::fix {
namespace {

using Kind = findings::Remedy::Kind;
using source::Range;

class Shower {
public:
  Shower(const ArrayUse& p, const access::SourceFrame& at, findings::Finding& out)
      : p_(p), s_(p.tokens), at_(at), out_(out), function_(source::function_around(s_, p.use)) {}

  void all() {
    array_ = source::array_visible(s_, p_.array, p_.use);
    declaration();
    if (p_.remedy.kind == Kind::aligned || p_.remedy.kind == Kind::other_order) member();
    if (p_.remedy.kind == Kind::other_order) order();
  }

private:
  void note(std::string text, u32 token) {
    const u32 begin = s_.at(token).begin;
    out_.notes.push_back(
        {std::move(text), access::SourceFrame{p_.file, s_.line_of(begin), s_.column_of(begin), {}}});
  }

  std::string text_of(Range r) const {
    if (r.first >= r.last) return {};
    return std::string(
        s_.text().substr(s_.at(r.first).begin, s_.at(r.last - 1).end() - s_.at(r.first).begin));
  }

  // Of arrays whose declaration decides.
  void declaration() {
    if (!array_ ||
        (array_->shared != (out_.rule == findings::Rule::bank_conflict) && p_.remedy.kind == Kind::none))
      return;
    const std::size_t dimensions = array_->dimensions.size();
    std::string text = fmt::format("'{}' is declared here", p_.array);
    if (p_.remedy.kind == Kind::longer_rows && dimensions > 1)
      text += fmt::format("; its rows have '{}' elements", text_of(array_->dimensions.back()));
    else if (p_.remedy.kind == Kind::longer_rows)
      text += ", without rows: what is added to them goes into each index of it";
    note(std::move(text), array_->name);
  }

  // "p[i].x": the compiler's column is at the x, or at the p.
  void member() {
    u32 token = p_.use;
    const bool before = s_.at(token - 1).is(".") || s_.at(token - 1).is("->");
    if (!s_.at(token).word() || !before) return;
    std::optional<source::Structure> type = source::structure(s_, source::type_of(s_, p_.array, p_.use));
    if (!type) return;
    for (const source::Member& m : type->members)
      if (s_.at(m.name).is(s_.at(token).text)) {
        std::string size = type->bytes == 0 ? "" : fmt::format(", {} of its {} bytes", m.bytes, type->bytes);
        return note(fmt::format("'{}' is a member of '{}'{}", s_.at(token).text, type->name, size), m.name);
      }
  }

  // Names whose values follow threadIdx.x, by their initialisers.
  bool follows_lane(Range r) {
    seen_.clear();
    return reaches_lane(r, 0);
  }
  bool reaches_lane(Range r, u32 depth) {
    constexpr u32 deepest = 4;
    for (u32 i = r.first; i < r.last; ++i) {
      if (s_.at(i).is("threadIdx") && s_.at(i + 1).is(".") && s_.at(i + 2).is("x")) return true;
      if (!s_.at(i).word() || s_.at(i - 1).is(".") || depth == deepest || !function_) continue;
      if (!seen_.insert(s_.at(i).text).second) continue;
      for (const Range& value : values_of(i))
        if (reaches_lane(value, depth + 1)) return true;
    }
    return false;
  }
  // What a name is given before it is used there.
  std::vector<Range> values_of(u32 name) const {
    std::vector<Range> out;
    for (u32 k = function_->body.first; k < name && k < function_->body.last; ++k) {
      if (!s_.at(k).is(s_.at(name).text) || !s_.at(k + 1).is("=") || s_.at(k - 1).is(".")) continue;
      u32 end = k + 2;
      while (end < function_->body.last && !s_.at(end).is(";") && !s_.at(end).is(",")) ++end;
      out.push_back({k + 2, end});
    }
    return out;
  }
  // Is it threadIdx.x, or the name of such a sum, and something that all lanes share?
  bool steps_by_one(Range r, u32 depth = 0) {
    constexpr u32 deepest = 4;
    bool found = false;
    for (const Range& term : summands(r)) {
      if (!follows_lane(term)) continue;
      const bool thread = s_.at(term.first).is("threadIdx") && term.last - term.first == 3;
      const bool name = term.last - term.first == 1 && depth < deepest && function_;
      const std::vector<Range> values = name ? values_of(term.first) : std::vector<Range>();
      if (found || (!thread && (values.size() != 1 || !steps_by_one(values[0], depth + 1)))) return false;
      found = true;
    }
    return found;
  }
  std::vector<Range> summands(Range r) const {
    std::vector<Range> out;
    u32 begin = r.first;
    for (u32 i = r.first; i < r.last; ++i) {
      if (s_.partner(i) != source::no_token && s_.partner(i) > i) i = s_.partner(i);
      if (!s_.at(i).is("+") && !s_.at(i).is("-")) continue;
      out.push_back({begin, i});
      begin = i + 1;
    }
    out.push_back({begin, r.last});
    return out;
  }

  // The uses of the array on the finding's line.
  std::vector<Range> subscripts() const {
    std::vector<Range> out;
    for (u32 i = s_.token_at(at_.line, 1); i < s_.size() && s_.line_of(s_.at(i).begin) == at_.line; ++i)
      if (s_.at(i).is(p_.array) && s_.at(i + 1).is("[") && s_.partner(i + 1) != source::no_token)
        out.push_back({i + 2, s_.partner(i + 1)});
    return out;
  }
  // Of these the one at the finding: the last before its column, else the only one.
  static std::optional<Range> at_finding(const std::vector<Range>& all, u32 use) {
    std::optional<Range> found;
    for (const Range& one : all)
      if (one.first - 2 <= use || all.size() == 1) found = one;
    return found;
  }

  // The terms of a sum that both follow threadIdx.x, one of them multiplied.
  std::optional<std::pair<Range, Range>> diagonal_in(Range index) {
    const std::vector<Range> terms = summands(index);
    for (const Range& term : terms)
      for (const Range& other : terms)
        if (is_product(term) && follows_lane(term) && !is_product(other) && steps_by_one(other))
          return std::pair(term, other);
    return {};
  }
  bool is_product(Range term) const {
    for (u32 i = term.first; i < term.last; ++i)
      if (s_.at(i).is("*")) return true;
    return false;
  }

  // Of a sum, the term with threadIdx.x in it that is multiplied.
  void order() {
    const std::vector<Range> all = subscripts();
    if (!all.empty() &&
        std::ranges::all_of(all, [&](const Range& one) { return diagonal_in(one).has_value(); }))
      return diagonal(diagonal_in(all[0])->first, diagonal_in(all[0])->second);
    std::optional<Range> index = at_finding(all, p_.use);
    if (!index) return;
    if (s_.at(index->last + 1).is("[") && s_.partner(index->last + 1) == source::no_token) return;
    if (s_.at(index->last + 1).is("["))
      return order_of_two(*index, {index->last + 2, s_.partner(index->last + 1)});
    const std::vector<Range> terms = summands(*index);
    for (const Range& term : terms) {
      if (!is_product(term) || !follows_lane(term)) continue;
      const std::string all = text_of(*index), part = text_of(term);
      note(fmt::format("{}'{}' follows threadIdx.x, and it is multiplied",
                       all == part ? "the index " : fmt::format("in the index '{}', ", all), part),
           term.first);
      return other_lines();
    }
  }

  // Rows and columns change places, and neighbouring threads still go along a diagonal.
  void diagonal(Range first, Range last) {
    note(fmt::format("both '{}' and '{}' follow threadIdx.x: another order of the indices gains nothing",
                     text_of(first), text_of(last)),
         first.first);
    if (out_.fix)
      out_.fix->text =
          "keep the array by its diagonals, so that neighbouring threads use neighbouring elements";
    if (out_.fix) out_.fix->example.clear();
  }

  void order_of_two(Range first, Range last) {
    if (!follows_lane(first)) return;
    if (steps_by_one(last)) return diagonal(first, last);
    if (follows_lane(last)) return;
    note(fmt::format("it is the first index, '{}', that follows threadIdx.x, and not the last, '{}'",
                     text_of(first), text_of(last)),
         first.first);
    other_lines();
  }

  // What would have to change with it.
  void other_lines() {
    if (!function_) return;
    std::set<u32> lines;
    for (u32 i = function_->body.first; i < function_->body.last; ++i)
      if (s_.at(i).is(p_.array) && s_.at(i + 1).is("[")) lines.insert(s_.line_of(s_.at(i).begin));
    lines.erase(at_.line);
    constexpr std::size_t most = 8;
    if (lines.empty() || lines.size() > most) return;
    out_.notes.push_back(
        {fmt::format("another order of the indices of '{}' changes line{} {} of this function, too", p_.array,
                     lines.size() == 1 ? "" : "s", fmt::join(lines, ", ")),
         {}});
  }

  const ArrayUse& p_;
  const source::Tokens& s_;
  const access::SourceFrame& at_;
  findings::Finding& out_;
  std::optional<source::Function> function_;
  std::optional<source::Array> array_;
  std::set<std::string_view> seen_; // names that were followed
};

} // namespace

void show(const ArrayUse& place, const access::SourceFrame& at, findings::Finding& out) {
  Shower(place, at, out).all();
}

} // namespace warplens::fix
