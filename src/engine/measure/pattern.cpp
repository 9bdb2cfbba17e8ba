#include "measure/pattern.h"

namespace warplens::measure {

std::string_view name(Form form) {
  switch (form) {
  case Form::none: return "none";
  case Form::one_lane: return "one_lane";
  case Form::broadcast: return "broadcast";
  case Form::contiguous: return "contiguous";
  case Form::reversed: return "reversed";
  case Form::permuted: return "permuted";
  case Form::with_gaps: return "with_gaps";
  case Form::misaligned: return "misaligned";
  case Form::strided: return "strided";
  case Form::rows: return "rows";
  case Form::scattered: return "scattered";
  case Form::no_conflict: return "no_conflict";
  case Form::conflict: return "conflict";
  case Form::distinct_constants: return "distinct_constants";
  case Form::local_together: return "local_together";
  case Form::local_apart: return "local_apart";
  }
  return {};
}

std::string_view name(PatternKind kind) {
  switch (kind) {
  case PatternKind::unknown: return "unknown";
  case PatternKind::broadcast: return "broadcast";
  case PatternKind::contiguous: return "contiguous";
  case PatternKind::strided: return "strided";
  case PatternKind::misaligned: return "misaligned";
  case PatternKind::permuted: return "permuted";
  case PatternKind::scattered: return "scattered";
  case PatternKind::conflict_free: return "conflict_free";
  case PatternKind::bank_conflict: return "bank_conflict";
  }
  return {};
}

PatternKind kind_of(const Shape& shape) {
  switch (shape.form) {
  case Form::none: return PatternKind::unknown;
  case Form::one_lane:
  case Form::broadcast: return PatternKind::broadcast;
  case Form::contiguous:
  case Form::with_gaps:
  case Form::local_together: return PatternKind::contiguous;
  case Form::reversed:
  case Form::permuted: return PatternKind::permuted;
  case Form::misaligned: return PatternKind::misaligned;
  case Form::strided: return PatternKind::strided;
  case Form::rows:
    if (shape.stride == 0) return PatternKind::broadcast;
    return shape.offset != 0 ? PatternKind::misaligned : PatternKind::strided;
  case Form::scattered:
  case Form::distinct_constants:
  case Form::local_apart: return PatternKind::scattered;
  case Form::no_conflict: return PatternKind::conflict_free;
  case Form::conflict: return PatternKind::bank_conflict;
  }
  return PatternKind::unknown;
}

} // namespace warplens::measure
