// Small pieces of text layout for the terminal: numbers a person can read, columns, wrapping. Everything
// counts characters (UTF-8 sequences), not bytes, and keeps control characters of foreign text off the
// terminal.
#pragma once
#include "base/types.h"
#include <string>
#include <string_view>

namespace warplens::report {

// 9999 → "9999", 12500 → "12.5 k", 12500000 → "12.5 M": three significant digits from 10000 on, units of
// 1000.
std::string human(u64 value);
std::string human_bytes(u64 value); // "537 MB", units of 1000
// 0.1234 → "12%", never "100%" or "0%" for something in between: ">99%", "<1%".
std::string percent(double fraction);
// "1 kernel", "3 kernels"
std::string plural(u64 count, std::string_view noun);
std::string compute_capability(u32 sm); // 90 → "9.0", 121 → "12.1"
std::string dimensions(Dim3);           // "64", "64x32", "8x8x4": trailing ones are left out

u32 width_of(std::string_view text);
// Tabs become spaces, other control characters and invalid UTF-8 "?"; longer than `width`: the end becomes
// "...".
std::string clip(std::string_view text, u32 width);
// As clip, but the middle becomes "...": for names and paths, whose ends matter.
std::string clip_middle(std::string_view text, u32 width);
std::string pad_right(std::string_view text, u32 width); // text first, then blanks
std::string pad_left(std::string_view text, u32 width);  // blanks first
// Words broken into lines of at most `width` characters; the first line starts with `first`, the others with
// blanks.
std::string wrap(std::string_view text, std::string_view first, u32 width);

} // namespace warplens::report
