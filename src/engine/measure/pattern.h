// What the lanes of a site's warps look like, as values: what classify.h finds in the emulated program, and what
// the report groups by and puts into words (summary/pattern_text.h).
#pragma once
#include "base/types.h"
#include <string_view>

namespace warplens::measure {

inline constexpr u64 sector_bytes = 32; // of every capability

// A warp has the first form of this list that fits, of those that its space knows.
enum class Form : u8 {
  none, // no warp was looked at
  one_lane,
  broadcast,
  contiguous,
  reversed,
  permuted,
  with_gaps,
  misaligned,
  strided,
  rows,
  scattered,
  no_conflict,
  conflict,
  distinct_constants,
  local_together,
  local_apart
};
std::string_view name(Form);

// A form with what makes two warps of that form alike. Members that a form does not use stay 0.
struct Shape {
  Form form = Form::none;
  i64 stride = 0;              // bytes between neighbouring lanes (of a row)
  u32 rows = 0, row_lanes = 0; // strided: `rows` parts, where lanes are out of turn
  i64 gap = 0;                 // bytes from one row's start to the next
  u32 offset = 0;              // misaligned: bytes past a sector's start
  // Bytes between neighbouring lanes, up or down.
  u64 distance() const { return static_cast<u64>(stride < 0 ? -stride : stride); }
  auto operator<=>(const Shape&) const = default;
};

// The forms by what can be done about them.
enum class PatternKind : u8 {
  unknown,
  broadcast,
  contiguous,
  strided,
  misaligned,
  permuted,
  scattered,
  conflict_free,
  bank_conflict
};
std::string_view name(PatternKind);
PatternKind kind_of(const Shape&);

// The shape of a site's warps that explains most of what they cost beyond need, or the most frequent one where they
// cost nothing beyond (distribution.h).
struct Pattern {
  Shape shape{};
  u32 lanes = 0; // active, on average; 0 unless the form is with_gaps, scattered or local_apart
  u32 units =
      0; // on average: sectors (scattered, local_apart), ways (conflict), addresses (distinct_constants)
  u32 most_units = 0;      // conflict: of the worst warp of that shape, where not all are alike; else 0
  u32 ways = 0;            // of the site's worst bank conflict, of any shape
  double share = 0;        // 0…1 of the warps
  double excess_share = 0; // 0…1 of what the warps cost beyond need; 0 where that is nothing
  PatternKind kind() const { return kind_of(shape); }
  bool operator==(const Pattern&) const = default;
};

} // namespace warplens::measure
