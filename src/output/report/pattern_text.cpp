#include "report/pattern_text.h"
#include <cstdlib>
#include <fmt/format.h>

namespace warplens::report {
namespace {

using measure::Form;
using measure::Pattern;
using measure::Shape;

std::string_view unit_of(const access::Site& site) {
  if (site.vector > 1) return "vectors";
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
  std::string apart = fmt::format("{} bytes apart", shape.gap);
  if (shape.stride == 0)
    return fmt::format("{} addresses, each for {} lanes, {}", shape.rows, shape.row_lanes, apart);
  if (shape.offset != 0)
    return fmt::format("{} rows of {} lanes, misaligned by {} bytes", shape.rows, shape.row_lanes,
                       shape.offset);
  if (shape.stride == static_cast<i64>(site.bytes))
    return fmt::format("{} rows of {} lanes, {}", shape.rows, shape.row_lanes, apart);
  return fmt::format("{} rows of {} lanes with stride {} bytes, {}", shape.rows, shape.row_lanes,
                     shape.stride, apart);
}

std::string conflict_text(const Pattern& pattern) {
  std::string out = pattern.most_units == 0 ? fmt::format("{}-way bank conflict", pattern.units)
                                            : fmt::format("bank conflicts, {}-way, worst {}-way",
                                                          pattern.units, pattern.most_units);
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
  case Form::strided: return fmt::format("stride {} bytes{}", shape.stride, in_elements(shape.stride, site));
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

} // namespace warplens::report
