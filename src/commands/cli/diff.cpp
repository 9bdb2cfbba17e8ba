// The flags of `warplens diff`. Programs are run as `run` would run them.
#include "driver/diff.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/values.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

void add_shown(CLI::App& command, driver::DiffOptions& o) {
  add_filter_options(command, o.run);
  add(command, "--match", o.matches, repeated("OLD=NEW"), "Report",
      "kernels that are one under two names: --match layernorm1=layernorm3");
  add(command, "--top-lines", o.top_lines, how_many(), "Report",
      "lines of each kernel that changed; 0: all, and those as before");
  add(command, "--top-kernels", o.top_kernels, how_many(), "Report",
      "kernels that changed; 0: all, and those as before");
  add_top(command, o.top_lines, o.top_kernels);
  add(command, "--fail-on", o.fail_on, conditions("CONDITION"), "Gates",
      "exit code 1 when the run or a kernel of both costs more (worse), or also a line "
      "(worse-line); worse>5% lets pass up to 5%");
  add(command, "--strict", o.strict, flag(), "Gates", "exit code 1 if a side was not counted completely");
}

void add_outputs(CLI::App& command, driver::DiffOptions& o) {
  constexpr const char* group = "Output";
  add(command, "--json", o.run.json, file(), group,
      "write the comparison as JSON to FILE; '-': only JSON on standard output");
  add(command, "--html", o.run.html, file(), group,
      "write the comparison as one file for a browser to FILE; '-': only it on standard output");
  add(command, "--markdown", o.markdown, file(), group, "write tables for a pull request to FILE");
  add(command, "--report", o.run.report, file(), group, "write the text to FILE instead of standard output");
}

} // namespace

void add_diff(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::DiffOptions>();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->run.width = 0;
  CLI::App* command = app.add_subcommand("diff", "say what became better and worse between two runs");
  give_help(*command, "diff [OPTIONS] OLD NEW", "warplens diff old.json new.json",
            "OLD and NEW are reports that `warplens run --json FILE.json` wrote, baselines, or programs to "
            "run, with "
            "their arguments in quotes: warplens diff './old 64' './new 64'. docs/do/compare-versions.md "
            "says how lines are "
            "matched "
            "and what is compared.");
  add(*command, "OLD", options->before, named("FILE"), nullptr, "report, baseline or program before")
      .required();
  add(*command, "NEW", options->after, named("FILE"), nullptr, "the same, after").required();
  add_shown(*command, *options);
  add_outputs(*command, *options);
  add_terminal_options(*command, colour, &options->run.width);
  add_pager_options(*command, options->run);
  add_compiler_options(*command, options->run);
  add_program_options(*command, options->run);
  command->callback([command, options, colour, &exit_code] {
    options->run.no_progress = isatty(STDERR_FILENO) == 0;
    exit_code = driver::diff(*options, terminal(STDOUT_FILENO, *command, options->run, *colour));
  });
}

} // namespace warplens::cli
