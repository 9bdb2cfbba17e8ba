// The rows of base/run_options.def made into flags; values.h has what a value may be.
#include "cli/options.h"
#include "cli/values.h"

namespace warplens::cli {
namespace {

constexpr u64 most_workers = 4096, most_devices = 16, most_launches = u64{1} << 40, most_work = u64{1} << 60;

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
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->group("Report");
}

} // namespace warplens::cli
