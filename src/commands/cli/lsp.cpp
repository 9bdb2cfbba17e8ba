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
  add(*command, "--stdio", *stdio, flag(), nullptr,
      "as some editors say it: standard input and output, which is all there is");
  add(*command, "--sm", check.sm, words("LIST"), nullptr,
      "compute capabilities, separated by commas; verdicts are for the first");
  add(*command, "--block", check.block, named("X,Y,Z"), nullptr, "threads of a block, where it is known");
  add(*command, "--last-run", options->last_run, file(), nullptr,
      "a report of `warplens run --json FILE`, shown beside; else .warplens/last-run.json");
  add(*command, "--measured", options->measured, file(), nullptr,
      "counts of a GPU, shown beside: of Nsight Compute or `warplens record`; else "
      ".warplens/measured.ncu-rep");
  add(*command, "--compiler", check.compiler, choice("NAME", {"auto", "nvcc", "clang"}), "Compiling",
      "auto, nvcc, clang");
  add(*command, "--compile-options", check.compile_options, named("OPTIONS"), "Compiling",
      "options for the compiler, as nvcc takes them");
  add(*command, "--compile-commands", options->compile_commands, file(), "Compiling",
      "how files are compiled; else compile_commands.json of the folder, or of build/");
  add(*command, "--config", check.gates.config, file(), "Gates",
      "read FILE rather than the nearest .warplens.toml");
  add(*command, "--no-config", check.gates.no_config, flag(), "Gates", "read no .warplens.toml");
  command->callback([command, options, stdio, &exit_code] {
    options->check.version = WARPLENS_VERSION;
    note_given(*command, options->check);
    exit_code = driver::serve_editor(*options, STDIN_FILENO, STDOUT_FILENO);
  });
}

} // namespace warplens::cli
