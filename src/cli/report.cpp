// The flags of `warplens report`, and those that it has in common with `run`: what is shown, and where it goes.
#include "driver/report.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/number.h"
#include "cli/output.h"
#include "text/terminal.h"
#include <csignal>
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void declare_report_options(CLI::App& command, driver::RunOptions& options) {
  constexpr u64 most_shown = 1'000'000'000;
  constexpr const char *group = "Report", *output = "Output";
  command.add_flag("--summary", options.summary, "no tables: causes and worst lines only")->group(group);
  command.add_flag("--annotate", options.annotate, "the source with counts in its margin instead of tables")
      ->group(group);
  command.add_option("--group-by", options.group_by, "one table by line, kernel, file or array instead")
      ->check(CLI::IsMember({"line", "kernel", "file", "array"}).description(""))
      ->type_name("WHAT")
      ->group(group);
  command
      .add_flag("--details", options.details,
                "every instruction with its PTX, L1 efficiency, advice, counter names")
      ->group(group);
  command.add_option("--kernel", options.kernel, "only kernels whose name matches")
      ->type_name("REGEX")
      ->group(group);
  command
      .add_option("--top-lines", options.top_lines, "causes, and source lines per kernel, to show; 0: all")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
  command.add_option("--top-kernels", options.top_kernels, "kernels with a table of lines; 0: all")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<u32>(
          "--top", [&options](u32 value) { options.top_lines = options.top_kernels = value; },
          "--top-lines and --top-kernels in one")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->group(group);
  command
      .add_flag(
          "--strict", options.strict,
          "exit code 1 when a launch was not counted exactly, or is missing, or --check finds something")
      ->group(group);
  command
      .add_option("--json", options.json,
                  "write the report as JSON to FILE; '-': only JSON on standard output")
      ->type_name("FILE")
      ->group(output);
  command
      .add_option("--html", options.html,
                  "write the report as one file for a browser to FILE; '-': only it on standard output")
      ->type_name("FILE")
      ->group(output);
  command
      .add_flag("--warnings", options.gates.warnings,
                "also list findings as a compiler lists warnings, after the report")
      ->group(output);
  command.add_option("--report", options.report, "write the text report to FILE instead of standard error")
      ->type_name("FILE")
      ->group(output);
}

void add_no_pager(CLI::App& command, driver::RunOptions& options) {
  command
      .add_flag("--no-pager", options.no_pager,
                "on a terminal, do not show a long report with PAGER (less -FRX where it is not set)")
      ->group("Output");
}

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "show saved runs again, in every form that run has");
  command
      ->add_option("FILE", options->files,
                   "reports that `warplens run --json FILE` wrote; several are shown as one; '-' is standard "
                   "input")
      ->required();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->shown.width = 0;
  give_help(*command, "report [OPTIONS] FILE…", "warplens report --top-lines 20 run.json");
  declare_report_options(*command, options->shown);
  declare_gates(*command, options->shown.gates);
  add_terminal_options(*command, colour, &options->shown.width);
  add_no_pager(*command, options->shown);
  command->get_option("--report")->description("write the text report to FILE instead of standard output");
  command->callback([options, colour, &exit_code] {
    std::signal(SIGPIPE, SIG_IGN);
    driver::RunOptions& shown = options->shown;
    if (shown.report.empty()) shown.report = "-";
    shown.version = WARPLENS_VERSION;
    shown.colour = text::colour_wanted(STDOUT_FILENO, *colour);
    shown.colour_of_file = *colour == text::Colour::always;
    if (shown.width == 0) shown.width = text::terminal_width(STDOUT_FILENO);
    driver::RunOutput output{[](std::string_view text) { return print(stdout, text); },
                             [](std::string_view text) { return print(stderr, text); },
                             pager(STDOUT_FILENO, shown.no_pager)};
    exit_code = driver::report(*options, output);
  });
}

} // namespace warplens::cli
