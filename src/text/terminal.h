// What the user's terminal is and wants to be spared, each decided in one place for all commands.
#pragma once
#include "base/types.h"

namespace warplens::text {

// Whether what goes to this descriptor is to be coloured: it is a terminal, and NO_COLOR is not set, or set to
// nothing (no-color.org).
bool colour_wanted(int descriptor);
// Whether it shows more than ASCII: by LC_ALL, LC_CTYPE, LANG, the first of them that is set, as in
// setlocale(3).
bool unicode_wanted();
// Columns of the terminal behind the descriptor; 80 where there is none, or one too narrow for tables.
u32 terminal_width(int descriptor);

} // namespace warplens::text
