// What options take: a file, one of several words, a number. What CLI11's own conversion takes without a word (-4 for a number
// without sign, 1e300 seconds) is refused with the range that there is.
#pragma once
#include "base/types.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

namespace warplens::cli {

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

inline constexpr u64 most_shown = 1'000'000'000;

// Adds to an option what its value may be.
using ValueRule = std::function<void(CLI::Option&)>;

inline ValueRule words(const char* name) {
  return [=](CLI::Option& option) { option.type_name(name)->capture_default_str(); };
}
// ncu writes regex: in front of one.
inline ValueRule expression(const char* name) {
  return [=](CLI::Option& option) {
    option.type_name(name)->transform([](std::string text) {
      constexpr std::string_view prefix = "regex:";
      return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    });
  };
}
inline ValueRule flag() { return {}; }
inline ValueRule named(const char* name) { // without its default in help
  return [=](CLI::Option& option) { option.type_name(name); };
}
inline ValueRule file() {
  return [](CLI::Option& option) {
    option.type_name("FILE")->check(CLI::Validator(
        [](std::string& text) { return std::string(text.empty() ? "'' is no name of a file" : ""); }, ""));
  };
}
inline ValueRule with_default() {
  return [](CLI::Option& option) { option.capture_default_str(); };
}
inline ValueRule choice(const char* name, std::vector<std::string> of) {
  return [=](CLI::Option& option) { option.check(one_of(of))->type_name(name)->capture_default_str(); };
}
// Several of them, separated by commas, or the option again.
inline ValueRule choices(const char* name, std::vector<std::string> of) {
  return [=](CLI::Option& option) {
    option.check(one_of(of))->delimiter(',')->type_name(name)->allow_extra_args(false);
  };
}
// The option may be given again.
inline ValueRule repeated(const char* name) {
  return [=](CLI::Option& option) { option.type_name(name)->allow_extra_args(false); };
}
// The same, where words may have commas in them.
inline ValueRule conditions(const char* name) {
  return [=](CLI::Option& option) { option.delimiter('\0')->allow_extra_args(false)->type_name(name); };
}
// The option may be given again: a line for each.
inline ValueRule lines(const char* name) {
  return [=](CLI::Option& option) {
    option.type_name(name)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::Join);
  };
}
inline ValueRule number(u64 least, u64 most, const char* name = "NUMBER") {
  return [=](CLI::Option& option) {
    option.check(whole_number(least, most))->type_name(name)->capture_default_str();
  };
}
inline ValueRule limit_in_seconds(double most = 1e9) { // 31 years
  return [=](CLI::Option& option) { option.type_name("TIME")->transform(seconds(most)); };
}
// How many to show of something; 0: all.
inline ValueRule how_many() { return number(0, most_shown); }

// Declares an option; no group: the first one in help.
template <class T>
CLI::Option& add(CLI::App& command, const char* flags, T& member, const ValueRule& value, const char* group,
                 const char* help) {
  CLI::Option* option = nullptr;
  if constexpr (std::is_same_v<T, bool>)
    option = command.add_flag(flags, member, help);
  else
    option = command.add_option(flags, member, help);
  if (value) value(*option);
  if (group != nullptr) option->group(group);
  return *option;
}

} // namespace warplens::cli
