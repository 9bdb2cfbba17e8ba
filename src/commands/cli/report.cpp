// The flags of `warplens report` and `warplens import`.
#include "driver/report.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

namespace {

// `report` and `import` are one command with files from elsewhere.
void add_shown(CLI::App& command, int& exit_code, const char* files,
               const std::shared_ptr<driver::ReportOptions>& options) {
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->shown.width = 0;
  options->shown.report = "-";
  command.add_option("FILE", options->files, files)->required();
  add_report_options(command, options->shown);
  add_filter_options(command, options->shown);
  add_gate_options(command, options->shown.gates);
  add_terminal_options(command, colour, &options->shown.width);
  add_pager_options(command, options->shown);
  command.get_option("--report")->description("write the text report to FILE instead of standard output");
  command.callback([&command, options, colour, &exit_code] {
    exit_code = driver::report(*options, terminal(STDOUT_FILENO, command, options->shown, *colour));
  });
}

} // namespace

void add_report(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("report", "show saved runs again, in every form");
  give_help(*command, "report [OPTIONS] FILE…", "warplens report --top-lines 20 run.json");
  add_shown(*command, exit_code,
            "reports that `warplens run --json FILE` wrote; several are shown as one; '-' is standard input",
            std::make_shared<driver::ReportOptions>());
}

void add_import(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::ReportOptions>();
  options->command = "import";
  CLI::App* command = app.add_subcommand("import", "show what a GPU counted, as a report");
  give_help(*command, "import [OPTIONS] FILE…", "warplens import --json measured.json profile.ncu-rep",
            "More: docs/do/measure-on-a-gpu.md");
  add_shown(
      *command, exit_code,
      "an .ncu-rep file, what `ncu` or `nvprof --metrics` printed (as text or with --csv), or a file of "
      "`warplens record`; several are shown as one",
      options);
}

} // namespace warplens::cli
