// What the user's terminal is and wants to be spared, each decided in one place for all commands.
#pragma once
#include "base/types.h"

namespace warplens::text {

// What the user said of colours on the command line.
enum class Colour : u8 { automatic, always, never };

// Whether what goes to this descriptor is to be coloured: by the command line; where that leaves it open, it is a terminal,
// and NO_COLOR is not set, or set to nothing (no-color.org).
bool colour_wanted(int descriptor, Colour choice = Colour::automatic);
// Whether it shows more than ASCII: by LC_ALL, LC_CTYPE, LANG, the first of them that is set, as in
// setlocale(3).
bool unicode_wanted();
// Columns for what goes to the descriptor: by COLUMNS, else those of the terminal behind it; 80 where there is neither, or one
// too narrow for tables.
u32 terminal_width(int descriptor);

} // namespace warplens::text
