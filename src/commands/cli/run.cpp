// The flags of `warplens run`. Everything after PROGRAM belongs to the program, words that look like flags
// too.
#include "driver/run.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::RunOptions>();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->width = 0;
  CLI::App* command =
      app.add_subcommand("run", "run a CUDA program on the CPU, and report how its accesses coalesce");
  give_help(
      *command, "run [OPTIONS] PROGRAM|FILE.cu|FILE.ptx [ARGUMENTS…]",
      "warplens run --details ./app --size 64",
      "The program and its arguments follow the options. What follows a .ptx, .fatbin or .cubin says how to "
      "launch its kernel: --kernel NAME --grid 8 --block 128 --shared BYTES --arg 'f32[1024]=random' --arg "
      "1000 --save 1=FILE (docs/do/kernel-files.md). Exit code: the program's own. Where that is 0: 1 if a "
      "finding fails (docs/do/ci.md), 2 if WarpLens could not do its work.");
  command->prefix_command(); // what follows the program belongs to the program, flags too
  add_report_options(*command, *options);
  add_filter_options(*command, *options);
  add_gate_options(*command, options->gates);
  add_options_of_run_alone(*command, *options);
  add_terminal_options(*command, colour, &options->width);
  add_pager_options(*command, *options);
  add_compiler_options(*command, *options);
  add_program_options(*command, *options);
  command->callback([command, options, colour, &exit_code] {
    options->command = command->remaining();
    if (options->command.empty()) throw CLI::RequiredError("PROGRAM or FILE.cu");
    if (std::string& first = options->command[0]; first.size() > 1 && first[0] == '-')
      throw CLI::ExtrasError("run", {first}); // cli.cpp says what was meant
    exit_code = driver::run(*options, terminal(STDERR_FILENO, *command, *options, *colour));
  });
}

} // namespace warplens::cli
