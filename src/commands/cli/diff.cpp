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
  auto add_number = [&](const char* name, u32& number, const char* help) {
    command.add_option(name, number, help)
        ->check(shown())
        ->type_name("NUMBER")
        ->capture_default_str()
        ->group("Report");
  };
  command
      .add_option("--match", o.matches, "kernels that are one under two names: --match layernorm1=layernorm3")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false)
      ->group("Report");
  add_number("--top-lines", o.top_lines, "lines of each kernel that changed; 0: all, and those as before");
  add_number("--top-kernels", o.top_kernels, "kernels that changed; 0: all, and those as before");
  add_top(command, o.top_lines, o.top_kernels);
  command
      .add_option("--fail-on", o.fail_on,
                  "exit code 1 when the run or a kernel of both costs more (worse), or also a line "
                  "(worse-line); worse>5% lets pass up to 5%")
      ->delimiter('\0')
      ->allow_extra_args(false)
      ->type_name("CONDITION")
      ->group("Gates");
  command.add_flag("--strict", o.strict, "exit code 1 if a side was not counted completely")->group("Gates");
}

void add_outputs(CLI::App& command, driver::DiffOptions& o) {
  constexpr const char* group = "Output";
  add_file(command, "--json", o.run.json,
           "write the comparison as JSON to FILE; '-': only JSON on standard output", group);
  add_file(command, "--html", o.run.html,
           "write the comparison as one file for a browser to FILE; '-': only it on standard output", group);
  add_file(command, "--markdown", o.markdown, "write tables for a pull request to FILE", group);
  add_file(command, "--report", o.run.report, "write the text to FILE instead of standard output", group);
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
  command->add_option("OLD", options->before, "report, baseline or program before")
      ->required()
      ->type_name("FILE");
  command->add_option("NEW", options->after, "the same, after")->required()->type_name("FILE");
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
