// The flags of `warplens compare`.
#include "driver/compare.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include <fmt/format.h>
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
      ->expected(0, -1);
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->width = 0;
  give_help(*command, "compare [OPTIONS] SIDE SIDE [SIDE]", "warplens compare run.json profile.ncu-rep",
            "Exit code 0: equal, 1: not, 2: error. More: docs/do/measure-on-a-gpu.md");
  add(*command, "--tolerance", options->tolerance, words("SHARE"), nullptr,
      "counts that differ by at most this share are equal: 0.001 is 0.1 %")
      .check(CLI::Range(0.0, 1.0));
  add(*command, "--accept", options->accepted, repeated("REASONS"), nullptr,
      "reasons that do not count as a difference, separated by commas: predicated, widened, "
      "merged, registers, spilled, "
      "contended, timing, …")
      .delimiter(',');
  add(*command, "--kernel", options->kernel, named("REGEX"), nullptr, "only kernels whose name matches");
  add(*command, "--top-lines", options->top_lines, how_many(), nullptr,
      "lines of a launch to show; 0: all, and what is equal");
  add(*command, "--json", options->json, file(), nullptr,
      "write the comparison as JSON to FILE; '-': only JSON on standard output");
  add(*command, "--html", options->html, file(), nullptr,
      "write the comparison as one file for a browser to FILE; '-': only it on standard output");
  add(*command, "--sm", options->sm, words("SM"), nullptr, "compute capability that programs are run for");
  add(*command, "--arguments", options->arguments, named("WORDS"), nullptr,
      "arguments of programs, as in a shell");
  add_terminal_options(*command, colour, &options->width);
  command->callback([options, colour, &exit_code] {
    if (const std::size_t sides = options->sides.size(); sides < 2 || sides > 3)
      throw CLI::ValidationError(
          fmt::format("compare holds two or three sides against each other, and was given {}", sides));
    options->version = WARPLENS_VERSION;
    options->colour = text::colour_wanted(STDOUT_FILENO, *colour);
    if (options->width == 0) options->width = text::terminal_width(STDOUT_FILENO);
    exit_code = driver::compare(*options, streams());
  });
}

} // namespace warplens::cli
