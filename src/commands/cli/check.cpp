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
  constexpr const char *launches = "Launches", *compiling = "Compiling", *output = "Output";
  add(command, "--block", o.block, named("X,Y,Z"), launches, "threads of a block, where it is known");
  add(command, "--grid", o.grid, named("X,Y,Z"), launches, "blocks of the grid, where it is known");
  add(command, "--set", o.settings, repeated("NAME=VALUE"), launches,
      "the value of a parameter, by its name or its number from 1: --set n=1024");
  add(command, "--kernel", o.kernel, named("NAME"), launches, "only kernels whose name contains this");
  add(command, "--sm", o.sm, with_default(), nullptr,
      "compute capabilities, separated by commas; verdicts are for the first");
  add(command, "--compiler", o.compiler, choice("NAME", {"auto", "nvcc", "clang"}), compiling,
      "auto, nvcc, clang");
  add(command, "-p,--compile-commands", o.compile_commands, named("PATH"), compiling,
      "the folder of a build: its compile_commands.json has the options of each FILE");
  add(command, "--compile-options", o.compile_options, named("OPTIONS"), compiling,
      "options for the compiler, as nvcc takes them");
  add(command, "--jobs", o.jobs, number(0, 1024), compiling, "files at a time; 0: one per core");
  add(command, "--no-cache", o.no_cache, flag(), compiling,
      "compile anew, keep nothing in ~/.cache/warplens");
  add(command, "--all", o.all, flag(), output, "also list what is fine, and what is not known");
  add(command, "--json", o.json, flag(), output, "print findings as JSON");
  add(command, "--verdicts", o.verdicts, file(), output,
      "write every verdict, with all bounds, as JSON to FILE");
  add(command, "--html", o.html, file(), output, "also write a page for a browser");
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
