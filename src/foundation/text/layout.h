// Laying out text for a terminal: columns, shortening, lines, numbers of things. Everything counts characters
// (UTF-8 sequences), not bytes.
//
// Foreign text (names of kernels, lines of source) may hold what a terminal would obey: clip and clip_middle
// make it harmless, and what does not go through them is our own.
#pragma once
#include "base/types.h"
#include <string>
#include <string_view>

namespace warplens::text {

// Columns that a text takes; colour escapes take none.
u32 width_of(std::string_view text);
std::size_t lines_in(std::string_view text);             // each ended by a newline
std::string pad_right(std::string_view text, u32 width); // text first, then blanks
std::string pad_left(std::string_view text, u32 width);  // blanks first

// Tabs become spaces, other control characters and invalid UTF-8 "?"; longer than `width`: the end becomes
// "...".
std::string clip(std::string_view text, u32 width);
// As clip, but the middle becomes "...": for names and paths, whose ends matter.
std::string clip_middle(std::string_view text, u32 width);

// Words broken into lines of at most `width` columns, joined by newlines; a longer word has a line of its own.
// Lines after the first start with `indent`, which counts; the first one starts in column `at`.
std::string wrap(std::string_view text, u32 width, std::string_view indent = {}, u32 at = 0);

// "kernel" for one, "kernels" and "launches" for any other number.
std::string inflected(std::string_view noun, u64 count);
std::string plural(u64 count, std::string_view noun); // "1 kernel", "3 launches"

} // namespace warplens::text
