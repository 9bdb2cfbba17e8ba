// Video instructions (PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions"): integer operations
// on words, halves or bytes at more than 32 bits of precision, then saturation, then a secondary operation
// with c. Compilers emit them rarely: one function computes all, and what a form asks for is data.
//
// Byte and half selectors of operands (r1.b0, r2.h10) and merging into parts of the destination are not
// covered.
#pragma once
#include "sem/value.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

enum class VideoOperation : u8 {
  add,
  sub,
  absolute_difference,
  min,
  max,
  average, // rounds halves up, negative sums down
  shift_left,
  shift_right,
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  multiply_add
};
enum class VideoSecond : u8 { none, add, min, max };

struct VideoForm {
  VideoOperation operation{};
  VideoSecond second{};
  u8 width = 32; // of an element: 32, or 16 or 8, of which a word has several
  u8 scale = 0;  // multiply_add: bits that the sum is shifted right by
  bool signed_result = false, signed_a = false, signed_b = false;
  bool saturate = false;
  bool wrapped = false;  // shifts: modulo 32 instead of 32 at most
  bool plus_one = false; // multiply_add
};

// Bits `at` and up of a word as a number of `width` bits.
inline i64 video_element(u32 word, u32 at, u32 width, bool is_signed) {
  u32 top = word >> at << (32 - width);
  return is_signed ? i64{static_cast<i32>(top) >> (32 - width)} : i64{top >> (32 - width)};
}
inline i64 video_clamp(i64 x, u32 width, bool is_signed) {
  i64 low = is_signed ? -(i64{1} << (width - 1)) : 0, high = low + (i64{1} << width) - 1;
  return x < low ? low : x > high ? high : x;
}

inline i64 video_primary(const VideoForm& form, i64 a, i64 b) {
  i64 by = form.wrapped ? b & 31 : b > 32 ? 32 : b;
  switch (form.operation) {
  case VideoOperation::add: return a + b;
  case VideoOperation::sub: return a - b;
  case VideoOperation::absolute_difference: return a < b ? b - a : a - b;
  case VideoOperation::min: return a < b ? a : b;
  case VideoOperation::max: return a > b ? a : b;
  case VideoOperation::average: return (a + b + (a + b >= 0)) >> 1;
  case VideoOperation::shift_left: return a << by;
  case VideoOperation::shift_right: return a >> by;
  case VideoOperation::equal: return a == b;
  case VideoOperation::not_equal: return a != b;
  case VideoOperation::less: return a < b;
  case VideoOperation::less_or_equal: return a <= b;
  case VideoOperation::greater: return a > b;
  case VideoOperation::greater_or_equal: return a >= b;
  case VideoOperation::multiply_add: break; // video_multiply_add()
  }
  return 0;
}

// One operation on a whole word.
inline u32 video_scalar(const VideoForm& form, u32 a, u32 b, u32 c) {
  i64 result =
      video_primary(form, video_element(a, 0, 32, form.signed_a), video_element(b, 0, 32, form.signed_b));
  u32 word = static_cast<u32>(form.saturate ? video_clamp(result, 32, form.signed_result) : result);
  i64 first = video_element(word, 0, 32, form.signed_result),
      second = video_element(c, 0, 32, form.signed_result);
  switch (form.second) {
  case VideoSecond::none: return word;
  case VideoSecond::add: return word + c;
  case VideoSecond::min: return first < second ? word : c;
  case VideoSecond::max: return first > second ? word : c;
  }
  return 0;
}

// The same operation on the two halves or four bytes of a word. With a secondary operation, which is to add,
// the results are added to c; else they are packed and c does not matter (it fills elements that a mask
// leaves out).
inline u32 video_simd(const VideoForm& form, u32 a, u32 b, u32 c) {
  u32 packed = 0, sum = c, element = ~0u >> (32 - form.width);
  for (u32 at = 0; at < 32; at += form.width) {
    i64 result = video_primary(form, video_element(a, at, form.width, form.signed_a),
                               video_element(b, at, form.width, form.signed_b));
    if (form.saturate) result = video_clamp(result, form.width, form.signed_result);
    packed |= (static_cast<u32>(result) & element) << at;
    sum += static_cast<u32>(result);
  }
  return form.second == VideoSecond::add ? sum : packed;
}

// vmad: a·b + c (+ 1 with .po), shifted right by 0, 7 or 15, saturated to the signedness of the sources.
inline u32 video_multiply_add(const VideoForm& form, u32 a, u32 b, u32 c) {
  bool is_signed = form.signed_a || form.signed_b;
  i128 product = i128{video_element(a, 0, 32, form.signed_a)} * video_element(b, 0, 32, form.signed_b);
  i128 sum = (product + video_element(c, 0, 32, is_signed) + form.plus_one) >> form.scale;
  if (!form.saturate) return static_cast<u32>(sum);
  return is_signed ? static_cast<u32>(clamp_to<i32>(sum)) : clamp_to<u32>(sum);
}

inline u32 video(const VideoForm& form, u32 a, u32 b, u32 c) {
  if (form.operation == VideoOperation::multiply_add) return video_multiply_add(form, a, b, c);
  return form.width == 32 ? video_scalar(form, a, b, c) : video_simd(form, a, b, c);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
