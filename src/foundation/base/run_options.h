// What the runtime in the program's process has to know of the options of `run`: the rows of run_options.def for `program`. The
// parent hands them over as environment variables; the second run of --verify-fix gets them as words of a command line.
#pragma once
#include "base/types.h"
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens {

struct ProgramOptions {
#define OPTION_program(type, member, initial, ...) type member = initial;
#include "base/run_options.def"
};

// The value of an option as text, as a flag or an environment variable takes it; empty: as if it were not given.
std::string option_text(bool);
std::string option_text(u64);
std::string option_text(double);
std::string option_text(const std::string&);
std::string option_text(const std::vector<std::string>&); // "sync,memory"
inline std::string option_text(u32 number) { return option_text(u64{number}); }
template <class T> std::string option_text(const std::optional<T>& value) {
  return value ? option_text(*value) : std::string();
}

// Adds the flag and its value to `words`, where the value is not what it is without the flag.
template <class T>
void add_option_words(std::vector<std::string>& words, std::string_view flags, const T& value,
                      const T& initial) {
  if (value == initial) return;
  words.emplace_back(flags.substr(flags.rfind(',') + 1)); // of "-j,--workers" the long one
  if constexpr (!std::is_same_v<T, bool>) words.push_back(option_text(value));
}

std::vector<std::pair<std::string, std::string>> environment_of(const ProgramOptions&);

// `variable` looks a variable up, and returns "" for one that is not set. What makes no sense is as good as not set.
ProgramOptions options_from(const char* (*variable)(const char* name));

} // namespace warplens
