// The flags of `warplens diff`. Programs are run as `run` would run them.
#include "driver/diff.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/number.h"
#include "cli/output.h"
#include "text/terminal.h"
#include <csignal>
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

void add_shown(CLI::App& command, driver::DiffOptions& o) {
  constexpr u64 most_shown = 1'000'000'000;
  constexpr const char* group = "Report";
  command.add_option("--kernel", o.run.kernel, "only kernels whose name matches")
      ->type_name("REGEX")
      ->group(group);
  command
      .add_option("--top-lines", o.top_lines,
                  "lines of each kernel that changed; 0: all, and those as before")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
  command.add_option("--top-kernels", o.top_kernels, "kernels that changed; 0: all, and those as before")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<u32>(
          "--top", [&o](u32 value) { o.top_lines = o.top_kernels = value; },
          "--top-lines and --top-kernels in one")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->group(group);
  command
      .add_option("--fail-on", o.fail_on,
                  "exit code 1 when the run or a kernel of both costs more (worse), or also a line "
                  "(worse-line); worse>5% lets pass up to 5%")
      ->delimiter('\0')
      ->allow_extra_args(false)
      ->type_name("CONDITION")
      ->group("Gates");
  command.add_flag("--strict", o.strict, "exit code 1 when a side was not counted to its end")
      ->group("Gates");
}

void add_outputs(CLI::App& command, driver::DiffOptions& o) {
  constexpr const char* group = "Output";
  command
      .add_option("--json", o.run.json,
                  "write the comparison as JSON to FILE; '-': only JSON on standard output")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--html", o.run.html,
                  "write the comparison as one file for a browser to FILE; '-': only it on standard output")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--markdown", o.markdown, "write tables for a pull request to FILE")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--report", o.run.report, "write the text to FILE instead of standard output")
      ->type_name("FILE")
      ->group(group);
}

} // namespace

void add_diff(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::DiffOptions>();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->run.width = 0;
  CLI::App* command = app.add_subcommand("diff", "what became better and worse from one run to another");
  give_help(*command, "diff [OPTIONS] OLD NEW", "warplens diff old.json new.json",
            "OLD and NEW are reports that `warplens run --json FILE.json` wrote, baselines, or programs to "
            "run, with "
            "their arguments in quotes: warplens diff './old 64' './new 64'. docs/DIFF.md says how lines are "
            "matched "
            "and what is compared.");
  command->add_option("OLD", options->before, "report, baseline or program before")
      ->required()
      ->type_name("FILE");
  command->add_option("NEW", options->after, "the same, after")->required()->type_name("FILE");
  add_shown(*command, *options);
  add_outputs(*command, *options);
  add_terminal_options(*command, colour, &options->run.width);
  add_no_pager(*command, options->run);
  add_compiling_options(*command, options->run);
  add_running_options(*command, options->run);
  command->callback([command, options, colour, &exit_code] {
    std::signal(SIGPIPE, SIG_IGN);
    driver::RunOptions& run = options->run;
    run.version = WARPLENS_VERSION;
    run.sm_given = command->count("--sm") != 0;
    run.compiler_given = command->count("--compiler") != 0;
    run.colour = text::colour_wanted(STDOUT_FILENO, *colour);
    run.colour_of_file = *colour == text::Colour::always;
    run.progress = isatty(STDERR_FILENO) != 0;
    if (run.width == 0) run.width = text::terminal_width(STDOUT_FILENO);
    driver::RunOutput output{[](std::string_view text) { return print(stdout, text); },
                             [](std::string_view text) { return print(stderr, text); },
                             pager(STDOUT_FILENO, run.no_pager)};
    exit_code = driver::diff(*options, output);
  });
}

} // namespace warplens::cli
