// The flags of `warplens compare`.
#include "driver/compare.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "show predicted and measured counts side by side");
  command
      ->add_option("SIDE", options->sides,
                   "two or three of these: reports of `run --json`, .ncu-rep files, output of `ncu --csv`, "
                   "recordings, "
                   "programs, .cu files")
      ->required()
      ->expected(2, 3);
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->width = 0;
  give_help(*command, "compare [OPTIONS] SIDE SIDE [SIDE]", "warplens compare run.json profile.ncu-rep",
            "Exit code 0: equal, 1: not, 2: error. More: docs/do/measure-on-a-gpu.md");
  command
      ->add_option("--tolerance", options->tolerance,
                   "counts that differ by at most this share are equal: 0.001 is 0.1 %")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--accept", options->accepted,
                   "reasons that do not count as a difference, separated by commas: predicated, widened, "
                   "merged, registers, spilled, "
                   "contended, timing, …")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("REASONS");
  command->add_option("--kernel", options->kernel, "only kernels whose name matches")->type_name("REGEX");
  command
      ->add_option("--top-lines", options->top_lines, "lines of a launch to show; 0: all, and what is equal")
      ->check(shown())
      ->type_name("NUMBER")
      ->capture_default_str();
  add_file(*command, "--json", options->json,
           "write the comparison as JSON to FILE; '-': only JSON on standard output");
  add_file(*command, "--html", options->html,
           "write the comparison as one file for a browser to FILE; '-': only it on standard output");
  command->add_option("--sm", options->sm, "compute capability that programs are run for")
      ->type_name("SM")
      ->capture_default_str();
  command->add_option("--arguments", options->arguments, "arguments of programs, as in a shell")
      ->type_name("WORDS");
  add_terminal_options(*command, colour, &options->width);
  command->callback([options, colour, &exit_code] {
    options->version = WARPLENS_VERSION;
    options->colour = text::colour_wanted(STDOUT_FILENO, *colour);
    if (options->width == 0) options->width = text::terminal_width(STDOUT_FILENO);
    exit_code = driver::compare(*options, streams());
  });
}

} // namespace warplens::cli
