// The report's words: numbers a person can read, and the layout of text/layout.h with foreign text made
// harmless.
#pragma once
#include "text/layout.h"
#include <string>
#include <string_view>

namespace warplens::report {

// Between a number and its unit: wrap() does not break a line there. A terminal gets blanks in its place.
inline constexpr std::string_view no_break = "\u00a0";
std::string with_plain_blanks(std::string text);

// 9999 → "9999", 12500 → "12.5 k", 12500000 → "12.5 M": three significant digits from 10000 on, units of
// 1000; no_break before the unit.
std::string human(u64 value);
std::string human_bytes(u64 value);     // "537 MB", units of 1000
std::string human_time(double seconds); // "1.25 µs"
// 0.1234 → "12%", never "100%" or "0%" for something in between: ">99%", "<1%".
std::string percent(double fraction);
// "1 kernel", "3 kernels"
std::string plural(u64 count, std::string_view noun);
std::string compute_capability(u32 sm); // 90 → "9.0", 121 → "12.1"
std::string dimensions(Dim3);           // "64", "64x32", "8x8x4": trailing ones are left out

using text::clip;
using text::clip_middle;
using text::pad_left;
using text::pad_right;
using text::width_of;
// Words broken into lines of at most `width` characters, each ended; the first line starts with `first`, the
// others with blanks. A word that is wider than a line loses its middle.
std::string wrap(std::string_view text, std::string_view first, u32 width);
// The same with the first line from the margin on and the others four characters further in.
std::string hanging(std::string_view text, u32 width);

} // namespace warplens::report
