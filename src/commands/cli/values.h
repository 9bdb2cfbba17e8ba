// What options take: a file, one of several words, a number. What CLI11's own conversion takes without a word (-4 for a number
// without sign, 1e300 seconds) is refused with the range that there is.
#pragma once
#include "base/types.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace warplens::cli {

// An option whose value names a file. Without `group`, of the first group in help.
inline void add_file(CLI::App& command, const char* name, std::string& file, const char* words,
                     const char* group = nullptr) {
  CLI::Option* option = command.add_option(name, file, words)->type_name("FILE");
  if (group != nullptr) option->group(group);
}

// One of several words. Help does not list them behind the option, because its description says what each means; completion and
// manual pages read them here.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::IsMember(words).description("").name(fmt::format("{}", fmt::join(words, " ")));
}

// Files with names like these are what is likely meant: shells that can offer them first read it here.
inline constexpr std::string_view files_like = "files like ";
inline CLI::Validator likely_files(const std::string& patterns) {
  return CLI::Validator([](std::string&) { return std::string(); }, "", std::string(files_like) + patterns);
}

// The words of the option's choice, or what likely_files() says; empty where it takes others.
inline std::string choice_of(CLI::Option& option) {
  try {
    return option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

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

// A time above 0: "90" and "90s" are seconds, "5m" and "5min" minutes, "1h" an hour. It leaves the number of seconds.
inline CLI::Validator seconds(double most) {
  return CLI::Validator(
      [most](std::string& text) -> std::string {
        double value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
        const bool is_minutes = unit == "m" || unit == "min";
        if (is_minutes) value *= 60;
        if (unit == "h") value *= 3600;
        const bool is_unit = unit.empty() || unit == "s" || is_minutes || unit == "h";
        if (error == std::errc() && is_unit && value > 0 && value <= most) {
          if (!unit.empty()) text = std::to_string(value);
          return {};
        }
        return "'" + text + "' is not a time above 0 and at most " + std::to_string(static_cast<u64>(most)) +
               " seconds, such as 90s or 5m; without this option there is no limit";
      },
      "");
}

// How many to show of something; 0: all.
inline CLI::Validator shown() { return whole_number(0, 1'000'000'000); }

} // namespace warplens::cli
