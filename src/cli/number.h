// Numbers on the command line: what CLI11's own conversion takes without a word (-4 for a number without sign, 1e300
// seconds) is refused with the range that there is.
#pragma once
#include "base/types.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

namespace warplens::cli {

// A whole number from `least` to `most`, in decimal.
inline CLI::Validator whole_number(u64 least, u64 most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        u64 value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
          return {};
        return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
               std::to_string(most);
      },
      "");
}

// A number of seconds above 0.
inline CLI::Validator seconds(double most) {
  return CLI::Validator(
      [most](std::string& text) -> std::string {
        double value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value > 0 && value <= most) return {};
        return "'" + text + "' is not a number of seconds above 0 and at most " +
               std::to_string(static_cast<u64>(most)) + "; without this option there is no limit";
      },
      "");
}

} // namespace warplens::cli
