// Long texts on a terminal, screen by screen.
#pragma once
#include <string_view>

namespace warplens::os {

// Shows the text with the user's pager: what PAGER says, given to the shell as others do; else less, which ends by itself
// where the text fits. False, and nothing shown, where the descriptor is not a terminal or has room for all lines, where
// PAGER is empty or "cat", and where the pager cannot be started.
bool page(std::string_view text, int descriptor);

} // namespace warplens::os
