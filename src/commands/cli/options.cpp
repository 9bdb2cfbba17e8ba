// What a value of an option may be, which the rows of base/run_options.def name; and the rows made into flags.
#include "cli/options.h"
#include "cli/values.h"
#include <functional>

namespace warplens::cli {
namespace {

constexpr u64 most_workers = 4096, most_devices = 16, most_launches = u64{1} << 40, most_work = u64{1} << 60;
constexpr double most_seconds = 1e9; // 31 years

// Adds to an option what its value may be.
using ValueRule = std::function<void(CLI::Option&)>;

ValueRule words(const char* name) {
  return [=](CLI::Option& option) { option.type_name(name)->capture_default_str(); };
}
// ncu writes regex: in front of one.
ValueRule expression(const char* name) {
  return [=](CLI::Option& option) {
    option.type_name(name)->transform([](std::string text) {
      constexpr std::string_view prefix = "regex:";
      return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    });
  };
}
ValueRule flag() {
  return [](CLI::Option&) {};
}
ValueRule file() {
  return [](CLI::Option& option) { option.type_name("FILE"); };
}
ValueRule choice(const char* name, std::vector<std::string> of) {
  return [=](CLI::Option& option) { option.check(one_of(of))->type_name(name)->capture_default_str(); };
}
// Several of them, separated by commas, or the option again.
ValueRule choices(const char* name, std::vector<std::string> of) {
  return [=](CLI::Option& option) {
    option.check(one_of(of))->delimiter(',')->type_name(name)->allow_extra_args(false);
  };
}
// The option may be given again.
ValueRule repeated(const char* name) {
  return [=](CLI::Option& option) { option.type_name(name)->allow_extra_args(false); };
}
// The same, where words may have commas in them.
ValueRule conditions(const char* name) {
  return [=](CLI::Option& option) { option.delimiter('\0')->allow_extra_args(false)->type_name(name); };
}
// The option may be given again: a line for each.
ValueRule lines(const char* name) {
  return [=](CLI::Option& option) {
    option.type_name(name)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::Join);
  };
}
ValueRule number(u64 least, u64 most) {
  return [=](CLI::Option& option) {
    option.check(whole_number(least, most))->type_name("NUMBER")->capture_default_str();
  };
}
ValueRule limit_in_seconds() {
  return [](CLI::Option& option) { option.type_name("TIME")->transform(seconds(most_seconds)); };
}
// How many to show of something; 0: all.
ValueRule how_many() {
  return [](CLI::Option& option) { option.check(cli::shown())->type_name("NUMBER")->capture_default_str(); };
}

template <class T>
void add(CLI::App& command, const char* flags, T& member, const ValueRule& value, const char* group,
         const char* help) {
  CLI::Option* option = nullptr;
  if constexpr (std::is_same_v<T, bool>)
    option = command.add_flag(flags, member, help);
  else
    option = command.add_option(flags, member, help);
  value(*option);
  option->group(group);
}

} // namespace

#define DECLARE(type, member, initial, flags, variable, value, group, help)                                  \
  add(command, flags, o.member, value, group, help);

void add_program_options(CLI::App& command, ProgramOptions& o) {
#define OPTION_program DECLARE
#include "base/run_options.def"
}
void add_compiler_options(CLI::App& command, driver::RunOptions& o) {
#define OPTION_compiler DECLARE
#include "base/run_options.def"
}
void add_filter_options(CLI::App& command, driver::RunOptions& o) {
#define OPTION_filter DECLARE
#include "base/run_options.def"
}
void add_report_options(CLI::App& command, driver::RunOptions& o) {
#define OPTION_report DECLARE
#include "base/run_options.def"
  add_top(command, o.top_lines, o.top_kernels);
}
void add_pager_options(CLI::App& command, driver::RunOptions& o) {
#define OPTION_pager DECLARE
#include "base/run_options.def"
}
void add_gate_options(CLI::App& command, driver::GateOptions& o) {
#define OPTION_gates DECLARE
#include "base/run_options.def"
}
void add_options_of_run_alone(CLI::App& command, driver::RunOptions& o) {
#define OPTION_only_run DECLARE
#include "base/run_options.def"
}

void add_top(CLI::App& command, u32& lines, u32& kernels) {
  command
      .add_option_function<u32>(
          "--top", [&lines, &kernels](u32 value) { lines = kernels = value; },
          "--top-lines and --top-kernels in one")
      ->check(cli::shown())
      ->type_name("NUMBER")
      ->group("Report");
}

} // namespace warplens::cli
