// Numbers and lists that a person can read, and paragraphs of text that may be anybody's.
#pragma once
#include "text/layout.h"
#include <string>
#include <string_view>
#include <vector>

namespace warplens::text {

// Between a number and its unit: wrap() does not break a line there. A terminal gets blanks in its place.
inline constexpr std::string_view no_break = "\u00a0";
std::string with_plain_blanks(std::string text);

// 9999 → "9999", 12500 → "12.5 k", 12500000 → "12.5 M": three significant digits from 10000 on, units of
// 1000; no_break before the unit.
std::string human(u64 value);
std::string human_bytes(u64 value); // "537 MB", units of 1000
// Of what is estimated: two digits, "~540 MB".
std::string about(u64 value);
std::string about_bytes(u64 value);
std::string plus_minus(double fraction); // "±3%", never less than 1%
std::string human_time(double seconds);  // "1.25 µs"
// 0.1234 → "12%", never "100%" or "0%" for something in between: ">99%", "<1%".
std::string percent(double fraction);
// "1 kernel", "12.5 k kernels"
std::string human(u64 count, std::string_view noun);
std::string compute_capability(u32 sm); // 90 → "9.0", 121 → "12.1"
std::string dimensions(Dim3);           // "64", "64x32", "8x8x4": trailing ones are left out

// Words broken into lines of at most `width` characters, each ended; the first line starts with `first`, the
// others with blanks. A word that is wider than a line loses its middle.
std::string wrap(std::string_view text, std::string_view first, u32 width);
// The same with the first line from the margin on and the others four characters further in.
std::string hanging(std::string_view text, u32 width);

// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>&, std::size_t most);
void add_new(std::vector<std::string>&, const std::string&);

} // namespace warplens::text
