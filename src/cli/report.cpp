// The flags of `warplens report`, and those that it has in common with `run`: what is shown, and where it goes.
#include "driver/report.h"
#include "cli/commands.h"
#include "cli/number.h"
#include "cli/output.h"
#include "text/terminal.h"
#include <csignal>
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void declare_report_options(CLI::App& command, driver::RunOptions& options) {
  constexpr u64 most_shown = 1'000'000'000;
  command
      .add_option("--json", options.json,
                  "write the report as JSON to FILE; '-': only JSON on standard output")
      ->type_name("FILE");
  command.add_option("--report", options.report, "write the text report to FILE instead of standard error")
      ->type_name("FILE");
  command.add_flag("--details", options.details,
                   "every instruction with its PTX, L1 efficiency, advice, counter names");
  command.add_option("--top", options.top, "kernels, and source lines per kernel, to show; 0: all")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str();
  command.add_option("--kernel", options.kernel, "only kernels whose name matches")->type_name("REGEX");
  command.add_flag(
      "--strict", options.strict,
      "exit code 1 when a launch was not counted exactly, or is missing, or --check finds something");
}

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "show saved runs again, in every form that run has");
  command
      ->add_option("FILE", options->files,
                   "reports that `warplens run --json FILE` wrote; several are shown as one; '-' is standard "
                   "input")
      ->required();
  declare_report_options(*command, options->shown);
  command->get_option("--report")->description("write the text report to FILE instead of standard output");
  command->callback([options, &exit_code] {
    std::signal(SIGPIPE, SIG_IGN);
    driver::RunOptions& shown = options->shown;
    if (shown.report.empty()) shown.report = "-";
    shown.version = WARPLENS_VERSION;
    shown.colour = text::colour_wanted(STDOUT_FILENO);
    shown.width = text::terminal_width(STDOUT_FILENO);
    driver::RunOutput output{[](std::string_view text) { return print(stdout, text); },
                             [](std::string_view text) { return print(stderr, text); }};
    exit_code = driver::report(*options, output);
  });
}

} // namespace warplens::cli
