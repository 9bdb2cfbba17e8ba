// Sentences by form: each form of measure::Form has its own, with the numbers that it uses. See pattern_text.h.
#include "summary/pattern_text.h"
#include "access/opcode.h"
#include "text/words.h"
#include <cstdlib>
#include <fmt/format.h>

namespace warplens::summary {
namespace {

// With more active lanes than that they are not worth a word: edges of a grid.
constexpr double many_lanes = 28;

using measure::Form;
using measure::Pattern;
using measure::Shape;

std::string_view unit_of(const access::Site& site) {
  const bool may_be_double =
      site.bytes == 8 && site.element != access::ElementType::floating; // of machine code
  if (site.vector > 1 && !may_be_double) return "vectors";
  if (site.element == access::ElementType::floating && site.bytes == 4) return "floats";
  if (site.element == access::ElementType::floating && site.bytes == 8) return "doubles";
  return "elements";
}

// " (32 floats)": the stride in elements, when it is a whole number of them.
std::string in_elements(i64 stride, const access::Site& site) {
  i64 bytes = site.bytes;
  if (bytes == 0 || stride % bytes != 0) return {};
  std::string_view unit = unit_of(site);
  i64 elements = std::abs(stride / bytes);
  return fmt::format(" ({} {})", elements, elements == 1 ? unit.substr(0, unit.size() - 1) : unit);
}

std::string rows_text(const Shape& shape, const access::Site& site) {
  if (shape.gap == 0 && shape.offset == 0 && shape.stride == static_cast<i64>(site.bytes))
    return fmt::format("{} neighbouring {}, each for {} lanes", shape.row_lanes, unit_of(site), shape.rows);
  const std::string apart = fmt::format("{} bytes apart", shape.gap);
  const bool last_is_short = shape.rows * shape.row_lanes > warp_size;
  const std::string lanes = fmt::format("{}{} lanes", last_is_short ? "up to " : "", shape.row_lanes);
  if (shape.stride == 0) return fmt::format("{} addresses, each for {}, {}", shape.rows, lanes, apart);
  if (shape.offset != 0)
    return fmt::format("{} rows of {}, misaligned by {} bytes", shape.rows, lanes, shape.offset);
  if (shape.stride == static_cast<i64>(site.bytes))
    return fmt::format("{} rows of {}, {}", shape.rows, lanes, apart);
  return fmt::format("{} rows of {} with stride {} bytes, {}", shape.rows, lanes, shape.stride, apart);
}

std::string conflict_text(const Pattern& pattern) {
  std::string out = pattern.most_units == 0 ? fmt::format("{}-way bank conflict", pattern.units)
                                            : fmt::format("up to {}-way bank conflict", pattern.most_units);
  if (pattern.shape.stride != 0) out += fmt::format(", stride {} bytes", pattern.shape.stride);
  return out;
}

} // namespace

std::string describe(const Pattern& pattern, const access::Site& site) {
  const Shape& shape = pattern.shape;
  switch (shape.form) {
  case Form::none: return {};
  case Form::one_lane: return "one active lane";
  case Form::broadcast: return site.kind == access::Kind::load ? "broadcast" : "one address for all lanes";
  case Form::contiguous:
    return shape.rows == 0 ? "contiguous" : fmt::format("contiguous, {}", rows_text(shape, site));
  case Form::reversed: return "contiguous, in reverse";
  case Form::permuted: return "permuted within the line";
  case Form::with_gaps: return fmt::format("contiguous, {} of 32 lanes active", pattern.lanes);
  case Form::misaligned: return fmt::format("misaligned by {} bytes", shape.offset);
  case Form::strided:
    return fmt::format("stride {} bytes{}{}", shape.stride, in_elements(shape.stride, site),
                       shape.rows == 0 ? "" : fmt::format(" in {} parts", shape.rows));
  case Form::rows: return rows_text(shape, site);
  case Form::scattered:
    return fmt::format("scattered: {} sectors for {} lanes", pattern.units, pattern.lanes);
  case Form::no_conflict: return "no bank conflict";
  case Form::conflict: return conflict_text(pattern);
  case Form::distinct_constants: return fmt::format("{} distinct addresses in a warp", pattern.units);
  case Form::local_together: return "same offset in every lane";
  case Form::local_apart:
    return fmt::format("offsets differ: {} sectors for {} lanes", pattern.units, pattern.lanes);
  }
  return {};
}

double active_lanes(const arch::Counts& counts) {
  if (counts.instructions == 0) return warp_size;
  return static_cast<double>(counts.threads) / static_cast<double>(counts.instructions);
}

std::string idle_lanes(const AccessRow& row) {
  const double lanes = row.counters.empty() ? warp_size : active_lanes(row.counters[0]);
  return lanes < many_lanes ? fmt::format(", {:.1f} of 32 lanes active", lanes) : "";
}

std::string pattern_text(const AccessRow& row, bool with_lanes) {
  if (row.pattern.shape.form == measure::Form::none && row.site.kind == access::Kind::async_copy &&
      row.distribution.classes.empty() && access::is_bulk(row.site))
    return "rows, by the copy engine";
  if (row.pattern.shape.form == measure::Form::none)
    return row.space == access::Space::texture || row.space == access::Space::surface
               ? "the layout of texels is not documented"
               : "pattern not known"; // measured, or a report of an earlier version
  std::string text = describe(row.pattern, row.site);
  if (row.pattern.share < 0.995) text += fmt::format(" in {} of warps", text::percent(row.pattern.share));
  const bool told = row.pattern.shape.form == Form::one_lane || row.pattern.shape.form == Form::with_gaps;
  if (with_lanes && !(told && row.pattern.share >= 0.995)) text += idle_lanes(row);
  return text;
}

std::string described(const access::Site& site, access::Space space, const std::string& array, bool written) {
  using access::Kind;
  const bool stores = site.kind == Kind::store || written;
  const std::string_view verb = site.kind == Kind::store        ? "store"
                                : is_atomic(site.kind)          ? "atomic"
                                : site.kind == Kind::async_copy ? "copy"
                                                                : "load",
                         preposition = stores                 ? "to"
                                       : is_atomic(site.kind) ? "on"
                                                              : "from";
  if (is_spill(site)) return fmt::format("the assembler's {} of registers", verb);
  return fmt::format("{} of {} byte{} {} {}", verb, site.bytes, site.bytes == 1 ? "" : "s", preposition,
                     array.empty() ? fmt::format("{} memory", access::name(space))
                                   : fmt::format("'{}'", array));
}

std::string access_name(const AccessRow& row) {
  std::string_view kind =
      row.site.kind == access::Kind::async_copy ? "async copy" : access::name(row.site.kind);
  return fmt::format("{} {} {} B", kind, access::name(row.space), row.site.bytes);
}

} // namespace warplens::summary
