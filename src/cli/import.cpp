// The flags of `warplens import`: those of `report`, since it is the same with another source.
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "driver/report.h"
#include "text/terminal.h"
#include <csignal>
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_import(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::ReportOptions>();
  options->command = "import";
  CLI::App* command = app.add_subcommand("import", "show what a GPU counted, in every form that run has");
  command
      ->add_option("FILE", options->files,
                   "an .ncu-rep file, what `ncu --csv` printed (pages raw, details, source), or a file of "
                   "`warplens record`; several are "
                   "shown as one")
      ->required();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->shown.width = 0;
  give_help(*command, "import [OPTIONS] FILE…", "warplens import --json measured.json profile.ncu-rep",
            "More: docs/MEASURED.md");
  declare_report_options(*command, options->shown);
  declare_gates(*command, options->shown.gates);
  add_terminal_options(*command, colour, &options->shown.width);
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
                             [](std::string_view text) { return print(stderr, text); }};
    exit_code = driver::report(*options, output);
  });
}

} // namespace warplens::cli
