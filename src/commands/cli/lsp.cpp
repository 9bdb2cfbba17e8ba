// The flags of `warplens lsp`.
#include "driver/lsp.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_lsp(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::LspOptions>();
  driver::CheckOptions& check = options->check;
  CLI::App* command = app.add_subcommand("lsp", "serve an editor: findings and counts, line by line");
  give_help(
      *command, "lsp [OPTIONS]", "warplens lsp --sm 90,70",
      "Speaks the Language Server Protocol on standard input and output. docs/do/editors.md says how editors "
      "start it.");
  auto stdio = std::make_shared<bool>(false);
  command->add_flag("--stdio", *stdio,
                    "as some editors say it: standard input and output, which is all there is");
  command
      ->add_option("--sm", check.sm, "compute capabilities, separated by commas; verdicts are for the first")
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--block", check.block, "threads of a block, where it is known")->type_name("X,Y,Z");
  add_file(*command, "--last-run", options->last_run,
           "a report of `warplens run --json FILE`, shown beside; else .warplens/last-run.json");
  add_file(*command, "--measured", options->measured,
           "counts of a GPU, shown beside: of Nsight Compute or `warplens record`; else "
           ".warplens/measured.ncu-rep");
  command->add_option("--compiler", check.compiler, "auto, nvcc, clang")
      ->check(one_of({"auto", "nvcc", "clang"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Compiling");
  command
      ->add_option("--compile-options", check.compile_options, "options for the compiler, as nvcc takes them")
      ->type_name("OPTIONS")
      ->group("Compiling");
  add_file(*command, "--compile-commands", options->compile_commands,
           "how files are compiled; else compile_commands.json of the folder, or of build/", "Compiling");
  add_file(*command, "--config", check.gates.config, "read FILE rather than the nearest .warplens.toml",
           "Gates");
  command->add_flag("--no-config", check.gates.no_config, "read no .warplens.toml")->group("Gates");
  command->callback([command, options, stdio, &exit_code] {
    options->check.version = WARPLENS_VERSION;
    note_given(*command, options->check);
    exit_code = driver::serve_editor(*options, STDIN_FILENO, STDOUT_FILENO);
  });
}

} // namespace warplens::cli
