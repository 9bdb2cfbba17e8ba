// The flags of `warplens run`. Everything after PROGRAM belongs to the program, words that look like flags
// too.
#include "driver/run.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

constexpr u64 most_workers = 4096, most_launches = u64{1} << 40;
constexpr double most_seconds = 1e9; // 31 years

} // namespace

void add_compiling_options(CLI::App& command, driver::RunOptions& o) {
  constexpr const char* group = "Compiling a .cu file";
  command.add_option("--compiler", o.compiler, "nvcc or clang; auto: nvcc if there is one, else clang")
      ->check(one_of({"auto", "nvcc", "clang"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--compile-options", o.compile_options,
                  "for the compiler, as in a shell: '-std=c++20 -Iinclude'")
      ->type_name("STRING")
      ->group(group);
  command
      .add_flag("--no-cache", o.no_cache,
                "compile and read everything anew, keep nothing in ~/.cache/warplens")
      ->group(group);
}

void add_running_options(CLI::App& command, driver::RunOptions& o) {
  constexpr const char* group = "Running";
  command
      .add_option(
          "--sm", o.sm,
          "compute capability or GPU, or several (the first is the device): 90, 9.0, sm_90, h100, 70,90")
      ->type_name("LIST")
      ->capture_default_str()
      ->group(group);
  command
      .add_flag(
          "--count-only", o.count_only,
          "count by proof where addresses depend on indices alone; compute results only where the program "
          "reads them")
      ->group(group);
  command
      .add_flag(
          "--no-results", o.no_results,
          "as --count-only, and end the program where it waits for results that only it reads: all that it "
          "launched is counted by then")
      ->group(group);
  command
      .add_option(
          "--count-as", o.count_as,
          "machine-code: accesses as the assembler made them (read where nvcc -lineinfo put it for --sm); "
          "ptx: as PTX has them; auto: machine-code where there is some")
      ->check(one_of({"auto", "ptx", "machine-code"}))
      ->type_name("CODE")
      ->capture_default_str()
      ->group(group);
  command.add_option("--launches", o.launches, "count so many launches; the others only run")
      ->check(whole_number(0, most_launches))
      ->type_name("NUMBER")
      ->group(group);
  command.add_option("--launch-skip", o.launch_skip, "count none of the first so many launches")
      ->check(whole_number(0, most_launches))
      ->type_name("NUMBER")
      ->group(group);
  command.add_option("--per-kernel", o.per_kernel, "count so many launches of each kernel")
      ->check(whole_number(0, most_launches))
      ->type_name("NUMBER")
      ->group(group);
  command
      .add_option("--check", o.checks,
                  "also look for mistakes; sync: barriers and masks that not all threads keep to; memory: "
                  "reads of what "
                  "nobody wrote, use after free, leaks; race: shared memory without a barrier between")
      ->check(one_of({"sync", "memory", "race"}))
      ->delimiter(',')
      ->type_name("KIND")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--memory", o.memory,
                  "gpu: tolerate what a GPU tolerates; strict: stop at any access past an allocation")
      ->check(one_of({"gpu", "strict"}))
      ->type_name("MODE")
      ->capture_default_str()
      ->group(group);
  command.add_option("--timeout", o.timeout, "stop a launch that takes longer")
      ->type_name("SECONDS")
      ->check(seconds(most_seconds))
      ->group(group);
  command
      .add_flag("--keep-going", o.keep_going,
                "tell the program that all is well where a launch fails, and run the launches after it")
      ->group(group);
  command.add_option("-j,--workers", o.workers, "threads per launch; 0: one per core")
      ->check(whole_number(0, most_workers))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
}

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::RunOptions>();
  auto no_progress = std::make_shared<bool>(false);
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->width = 0;
  CLI::App* command =
      app.add_subcommand("run", "run a CUDA program on the CPU and report how its accesses coalesce");
  give_help(
      *command, "run [OPTIONS] PROGRAM|FILE.cu|FILE.ptx [ARGUMENTS…]",
      "warplens run --details ./app --size 64",
      "The program and its arguments follow the options. What follows a .ptx, .fatbin or .cubin says how to "
      "launch its kernel: --kernel NAME --grid 8 --block 128 --shared BYTES --arg 'f32[1024]=random' --arg "
      "1000 "
      "--save 1=FILE; docs/KERNEL_FILES.md explains them. Exit code: the program's own; 2 when it could "
      "not be "
      "started or the report not be written; where it would be 0, 1 when a finding fails (docs/CI.md).");
  command->prefix_command(); // what follows the program belongs to the program, flags too
  declare_report_options(*command, *options);
  command
      ->add_option("--source-root", options->source_roots,
                   "also show source lines from files in DIR, wherever it is; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Report");
  declare_gates(*command, options->gates);
  command
      ->add_flag("--verify-fix", options->gates.verify_fix,
                 "of a .cu file: run it with the changes, too, and compare what it prints, copies and "
                 "writes, and what "
                 "its lines cost")
      ->group("Fixes");
  add_terminal_options(*command, colour, &options->width);
  add_no_pager(*command, *options);
  command
      ->add_flag("--no-progress", *no_progress,
                 "no progress line on a terminal, nor a line a minute elsewhere")
      ->group("Output");
  add_compiling_options(*command, *options);
  add_running_options(*command, *options);
  command->callback([command, options, no_progress, colour, &exit_code] {
    options->command = command->remaining();
    if (options->command.empty()) throw CLI::RequiredError("PROGRAM or FILE.cu");
    if (std::string& first = options->command[0]; first.size() > 1 && first[0] == '-')
      throw CLI::ExtrasError("run", {first}); // cli.cpp says what was meant
    options->progress = !*no_progress;
    exit_code = driver::run(*options, terminal(STDERR_FILENO, *command, *options, *colour));
  });
}

} // namespace warplens::cli
