// One of several words, as the value of an option. Help does not list them behind the option, because its description says
// what each means; completion and manual pages read them here.
#pragma once
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace warplens::cli {

inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::IsMember(words).description("").name(fmt::format("{}", fmt::join(words, " ")));
}

// The words of the option's choice; empty where it takes others.
inline std::string choice_of(CLI::Option& option) {
  try {
    return option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

} // namespace warplens::cli
