// What a verdict says in words, read back as a reader would: rows of tables, strides, and whether verdict and bounds agree.
#pragma once
#include "check/words.h"
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::check_testing {

using Numbers = std::map<std::string, i64>; // "parameter 3", "blockDim.y"

// A sum of products of numbers with names and without.
class Expression {
public:
  Expression(std::string_view text, const Numbers& numbers) : rest_(text), numbers_(numbers) {}
  std::optional<i64> value() {
    const std::optional<i64> out = sum();
    return rest_.empty() ? out : std::nullopt;
  }

private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<i64> sum() {
    const bool negative = take("-");
    std::optional<i64> out = product();
    if (out && negative) out = -*out;
    while (out) {
      const bool plus = take(" + ");
      if (!plus && !take(" - ")) break;
      const std::optional<i64> more = product();
      if (!more) return {};
      out = plus ? *out + *more : *out - *more;
    }
    return out;
  }
  std::optional<i64> product() {
    std::optional<i64> out = factor();
    while (out && take("*")) {
      const std::optional<i64> more = factor();
      if (!more) return {};
      out = *out * *more;
    }
    return out;
  }
  std::optional<i64> factor() {
    if (take("(")) {
      const std::optional<i64> out = sum();
      return take(")") ? out : std::nullopt;
    }
    for (const auto& [name, value] : numbers_)
      if (take(name)) return value;
    i64 out = 0;
    const auto [end, bad] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (bad != std::errc{}) return {};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return out;
  }

  std::string_view rest_;
  const Numbers& numbers_;
};

// "4", "4 to 5"
inline std::optional<check::Interval> interval_of(std::string_view text) {
  const std::size_t to = text.find(" to ");
  auto number = [](std::string_view word) -> std::optional<u64> {
    u64 out = 0;
    const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), out);
    return bad == std::errc{} && end == word.data() + word.size() ? std::optional(out) : std::nullopt;
  };
  const std::optional<u64> least = number(text.substr(0, to)),
                           most = to == text.npos ? least : number(text.substr(to + 4));
  return least && most ? std::optional(check::Interval{*least, *most}) : std::nullopt;
}

// What "sectors by n: 0: 4, 1: 8, 32 from 8 on" or "wavefronts by the largest power of two in n: 1: 1, 2: 2" says of a launch;
// nothing where the numbers decide on no row.
inline std::optional<check::Interval> row_of(std::string_view table, const Numbers& numbers) {
  const std::size_t by = table.find(" by "), colon = table.find(": ");
  if (by == table.npos || colon == table.npos) return {};
  constexpr std::string_view power = "the largest power of two in ";
  std::string_view name = table.substr(by + 4, colon - by - 4);
  const bool by_power = name.starts_with(power);
  if (by_power) name.remove_prefix(power.size());
  std::optional<i64> value = Expression(name, numbers).value();
  if (!value || (by_power && *value == 0)) return {};
  if (by_power) value = *value & -*value;
  std::optional<check::Interval> last;
  i64 largest = 0;
  for (std::string_view rest = table.substr(colon + 2); !rest.empty();) {
    const std::size_t comma = rest.find(", ");
    const std::string_view row = rest.substr(0, comma);
    rest = comma == rest.npos ? "" : rest.substr(comma + 2);
    if (const std::size_t from = row.find(" from "); from != row.npos) {
      const std::optional<i64> first =
          Expression(row.substr(from + 6, row.find(" on") - from - 6), {}).value();
      if (first && *value >= *first) return interval_of(row.substr(0, from));
      continue;
    }
    const std::size_t colon_of_row = row.find(": ");
    const std::optional<i64> key = Expression(row.substr(0, colon_of_row), {}).value();
    last = interval_of(row.substr(colon_of_row + 2));
    if (!key || !last) return {};
    if (*key == *value) return last;
    largest = *key;
  }
  return by_power && *value > largest ? last : std::nullopt; // the last power stands for those above
}

inline std::vector<std::string> tables_of(const check::Judgement& j) {
  std::vector<std::string> out;
  for (const check::Remark& remark : check::remarks(j))
    if (remark.kind == check::Remark::Kind::table) out.push_back(remark.text);
  return out;
}

struct Told {
  u32 lanes = 1; // from each lane to the one so many further
  i64 bytes = 0;
};
// "stride 4*n bytes", "rows of 8 lanes, 4*n + 32 bytes apart"
inline std::optional<Told> stride_of(std::string_view pattern, const Numbers& numbers) {
  Told out;
  if (pattern.starts_with("rows of ")) {
    const std::size_t lanes = pattern.find(" lanes, ");
    if (lanes == pattern.npos || !pattern.ends_with(" bytes apart")) return {};
    const std::optional<i64> row = Expression(pattern.substr(8, lanes - 8), {}).value();
    if (!row) return {};
    out.lanes = static_cast<u32>(*row);
    pattern = pattern.substr(lanes + 8, pattern.size() - lanes - 8 - 12);
  } else if (pattern.starts_with("stride ") && pattern.ends_with(" bytes")) {
    pattern = pattern.substr(7, pattern.size() - 13);
  } else {
    return {};
  }
  const std::optional<i64> bytes = Expression(pattern, numbers).value();
  if (!bytes) return {};
  out.bytes = *bytes;
  return out;
}

// Where verdict and bounds of one judgement do not go together.
inline std::vector<std::string> contradictions(const check::Judgement& j) {
  using check::Verdict;
  std::vector<std::string> out;
  auto expect = [&](bool holds, std::string_view what) {
    if (!holds && !j.costs.empty())
      out.push_back(fmt::format("PTX line {} is {}, but {} ({} to {} where {} would do)", j.site.ptx_line,
                                name(j.verdict), what, paid(j.costs[0], j.space).least,
                                paid(j.costs[0], j.space).most, j.needed));
  };
  const bool written = check::is_written(j.site), strided = j.dependence == check::Dependence::stride;
  const u64 most = j.costs.empty() ? 0 : paid(j.costs[0], j.space).most;
  switch (j.verdict) {
  case Verdict::bank_conflict: expect(most > j.needed, "there is no conflict"); break;
  case Verdict::conflict_free: expect(written || most <= j.needed, "there may be one"); break;
  case Verdict::broadcast: expect(most <= 2, "not all lanes are at one place"); break;
  case Verdict::coalesced:
    expect(!strided || most <= 2 || 2 * most <= 3 * j.needed, "lanes may be apart");
    break;
  case Verdict::uncoalesced: expect(most > j.needed, "it costs no more than it needs"); break;
  default: break;
  }
  return out;
}

} // namespace warplens::check_testing
