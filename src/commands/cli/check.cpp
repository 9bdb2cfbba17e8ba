// The flags of `warplens check`.
#include "driver/check.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/values.h"
#include "text/terminal_settings.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

void declare(CLI::App& command, driver::CheckOptions& o) {
  command
      .add_option("input", o.inputs,
                  ".cu, .cuh and .ptx files, folders with .cu files, programs with PTX, "
                  "compile_commands.json; '-': PTX or a source from standard "
                  "input")
      ->required()
      ->type_name("FILE")
      ->check(likely_files("*.(cu|cuh|ptx|cubin) compile_commands.json"));
  command.add_option("--block", o.block, "threads of a block, where it is known")
      ->type_name("X,Y,Z")
      ->group("Launches");
  command.add_option("--grid", o.grid, "blocks of the grid, where it is known")
      ->type_name("X,Y,Z")
      ->group("Launches");
  command
      .add_option("--set", o.settings,
                  "the value of a parameter, by its name or its number from 1: --set n=1024")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Launches");
  command.add_option("--kernel", o.kernel, "only kernels whose name contains this")
      ->type_name("NAME")
      ->group("Launches");
  command.add_option("--sm", o.sm, "compute capabilities, separated by commas; verdicts are for the first")
      ->capture_default_str();
  command.add_option("--compiler", o.compiler, "auto, nvcc, clang")
      ->check(one_of({"auto", "nvcc", "clang"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Compiling");
  command.add_option("--compile-options", o.compile_options, "options for the compiler, as nvcc takes them")
      ->type_name("OPTIONS")
      ->group("Compiling");
  command.add_option("--jobs", o.jobs, "files at a time; 0: one per core")
      ->check(whole_number(0, 1024))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group("Compiling");
  command.add_flag("--no-cache", o.no_cache, "compile anew, keep nothing in ~/.cache/warplens")
      ->group("Compiling");
  command.add_flag("--all", o.all, "also list what is fine, and what is not known")->group("Output");
  command.add_flag("--json", o.json, "print findings as JSON")->group("Output");
  add_file(command, "--verdicts", o.verdicts, "write every verdict, with all bounds, as JSON to FILE",
           "Output");
  add_file(command, "--html", o.html, "also write a page for a browser", "Output");
}

} // namespace

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("check", "judge sources without running them, for all launches");
  auto options = std::make_shared<driver::CheckOptions>();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  give_help(*command, "check [OPTIONS] FILE …", "warplens check --block 32,8 matmul.cu",
            "What verdicts mean and what they assume: docs/do/check.md.");
  declare(*command, *options);
  add_gate_options(*command, options->gates);
  command->get_option("--fail-on")->default_str("warning");
  add_terminal_options(*command, colour);
  command->callback([command, options, colour, &exit_code] {
    options->colour = text::colour_wanted(STDOUT_FILENO, *colour);
    options->version = WARPLENS_VERSION;
    note_given(*command, *options);
    driver::Output output = driver::check(*options);
    print(stderr, output.err);
    print(stdout, output.out);
    exit_code = output.exit_code;
  });
}

} // namespace warplens::cli
