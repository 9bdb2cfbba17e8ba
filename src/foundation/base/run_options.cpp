#include "base/run_options.h"
#include <charconv>
#include <fmt/format.h>

namespace warplens {
namespace {

template <class Number> void read(std::string_view text, Number& out) {
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) out = value;
}
void read(std::string_view text, bool& out) { out = text == "1"; }
void read(std::string_view text, std::string& out) {
  if (!text.empty()) out = text;
}
void read(std::string_view text, std::vector<std::string>& out) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}
template <class T> void read(std::string_view text, std::optional<T>& out) {
  if (text.empty()) return;
  T value{};
  read(text, value);
  if (value != T{} || text == "0") out = value;
}

} // namespace

std::string option_text(bool value) { return value ? "1" : ""; }
std::string option_text(u64 value) { return fmt::format("{}", value); }
std::string option_text(double value) { return fmt::format("{}", value); }
std::string option_text(const std::string& value) { return value; }
std::string option_text(const std::vector<std::string>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}

std::vector<std::pair<std::string, std::string>> environment_of(const ProgramOptions& options) {
  return {
#define OPTION_program(type, member, initial, flags, variable, ...) {variable, option_text(options.member)},
#include "base/run_options.def"
  };
}

ProgramOptions options_from(const char* (*variable_named)(const char*)) {
  ProgramOptions out;
#define OPTION_program(type, member, initial, flags, variable, ...)                                          \
  read(variable_named(variable), out.member);
#include "base/run_options.def"
  return out;
}

} // namespace warplens
