// Where the text of all commands goes, so that none of them loses it in silence.
#pragma once
#include <cstdio>
#include <functional>
#include <string_view>

namespace warplens::cli {

// Closed standard descriptors get /dev/null, the wrong way round: what is written to them still fails, and no file that is
// opened later takes their number and with it our output.
void keep_standard_descriptors();

// False when the text could not be written. A pipe that nobody reads any more took it: that is not an error.
bool print(std::FILE*, std::string_view text);

// Shows a text screen by screen where the descriptor is a terminal with fewer lines (os/pager.h); false where it did not.
std::function<bool(std::string_view)> pager(int descriptor, bool off);

// The exit code at the end of the process: `code`, or 2, with a message, where text for standard output was lost.
int finish(int code);

} // namespace warplens::cli
