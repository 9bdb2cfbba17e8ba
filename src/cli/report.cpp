// The flags of `warplens report` and `warplens import`, and those that they have in common with `run` and `diff`: what is
// shown, and where it goes.
#include "driver/report.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_kernels(CLI::App& command, driver::RunOptions& options) {
  command.add_option("--kernel", options.kernel, "only kernels whose name matches")
      ->type_name("REGEX")
      ->group("Report");
}

void add_tops(CLI::App& command, u32& lines, u32& kernels, const char* of_lines, const char* of_kernels) {
  auto add = [&](const char* name, u32& number, const char* words) {
    command.add_option(name, number, words)
        ->check(shown())
        ->type_name("NUMBER")
        ->capture_default_str()
        ->group("Report");
  };
  add("--top-lines", lines, of_lines);
  add("--top-kernels", kernels, of_kernels);
  command
      .add_option_function<u32>(
          "--top", [&lines, &kernels](u32 value) { lines = kernels = value; },
          "--top-lines and --top-kernels in one")
      ->check(shown())
      ->type_name("NUMBER")
      ->group("Report");
}

void declare_report_options(CLI::App& command, driver::RunOptions& options) {
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
  add_kernels(command, options);
  add_tops(command, options.top_lines, options.top_kernels,
           "causes, and source lines per kernel, to show; 0: all", "kernels with a table of lines; 0: all");
  command
      .add_flag(
          "--strict", options.strict,
          "exit code 1 when a launch was not counted exactly, or is missing, or --check finds something")
      ->group(group);
  add_file(command, "--json", options.json,
           "write the report as JSON to FILE; '-': only JSON on standard output", output);
  add_file(command, "--html", options.html,
           "write the report as one file for a browser to FILE; '-': only it on standard output", output);
  command
      .add_flag("--warnings", options.gates.warnings,
                "also list findings as a compiler lists warnings, after the report")
      ->group(output);
  add_file(command, "--report", options.report, "write the text report to FILE instead of standard error",
           output);
}

void add_no_pager(CLI::App& command, driver::RunOptions& options) {
  command
      .add_flag("--no-pager", options.no_pager,
                "on a terminal, do not show a long report with PAGER (less -FRX where it is not set)")
      ->group("Output");
}

namespace {

// `report` and `import` are one command with files from elsewhere.
void add_shown(CLI::App& command, int& exit_code, const char* files,
               const std::shared_ptr<driver::ReportOptions>& options) {
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  options->shown.width = 0;
  options->shown.report = "-";
  command.add_option("FILE", options->files, files)->required();
  declare_report_options(command, options->shown);
  declare_gates(command, options->shown.gates);
  add_terminal_options(command, colour, &options->shown.width);
  add_no_pager(command, options->shown);
  command.get_option("--report")->description("write the text report to FILE instead of standard output");
  command.callback([&command, options, colour, &exit_code] {
    exit_code = driver::report(*options, terminal(STDOUT_FILENO, command, options->shown, *colour));
  });
}

} // namespace

void add_report(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("report", "show saved runs again, in every form that run has");
  give_help(*command, "report [OPTIONS] FILE…", "warplens report --top-lines 20 run.json");
  add_shown(*command, exit_code,
            "reports that `warplens run --json FILE` wrote; several are shown as one; '-' is standard input",
            std::make_shared<driver::ReportOptions>());
}

void add_import(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::ReportOptions>();
  options->command = "import";
  CLI::App* command = app.add_subcommand("import", "show what a GPU counted, in every form that run has");
  give_help(*command, "import [OPTIONS] FILE…", "warplens import --json measured.json profile.ncu-rep",
            "More: docs/MEASURED.md");
  add_shown(*command, exit_code,
            "an .ncu-rep file, what `ncu --csv` printed (pages raw, details, source), or a file of "
            "`warplens record`; several are shown as one",
            options);
}

} // namespace warplens::cli
