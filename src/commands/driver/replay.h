// `replay`: counts the accesses of a pattern or trace file, one after the other, in constant memory.
#pragma once
#include "driver/options/replay.h"
#include <functional>
#include <string_view>

namespace warplens::driver {

// Where text goes; each is called with whole lines. `out` returns false when nothing more can be written.
struct TextSinks {
  std::function<bool(std::string_view)> out;
  std::function<void(std::string_view)> diagnostics;
};

// The exit code: 0 when every line was counted, 1 when `keep_going` passed over malformed lines, 2 on an
// error.
int replay(const ReplayOptions&, const TextSinks&);

} // namespace warplens::driver
