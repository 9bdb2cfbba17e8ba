// The flags of findings and gates, which `run`, `report` and `check` have in common, and the command that lists the rules.
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include "driver/rules.h"
#include "text/terminal.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

CLI::Option* several(CLI::Option* option) { return option->delimiter('\0')->allow_extra_args(false); }

void add_forms(CLI::App& command, driver::GateOptions& gates) {
  constexpr const char* group = "Findings";
  command.add_flag("--github", gates.github, "also print findings as annotations of a GitHub workflow")
      ->group(group);
  add_file(command, "--sarif", gates.sarif, "write findings as SARIF 2.1.0 to FILE; '-': standard output",
           group);
  add_file(command, "--markdown", gates.markdown, "write findings as a table for a pull request to FILE",
           group);
  add_file(command, "--findings", gates.findings, "write findings as JSON to FILE", group);
}

} // namespace

void declare_gates(CLI::App& command, driver::GateOptions& gates) {
  add_forms(command, gates);
  constexpr const char* group = "Gates";
  several(
      command.add_option("--fail-on", gates.fail_on,
                         "exit code 1 when a finding is that grave (note, warning, error), is of a rule, or "
                         "exceeds: sectors-per-request>8, wavefronts-per-instruction>2, excess>20%"))
      ->type_name("CONDITION")
      ->group(group);
  add_file(command, "--baseline", gates.baseline, "findings in FILE do not fail, unless they became worse",
           group);
  add_file(command, "--write-baseline", gates.write_baseline, "write what is found to FILE, and accept it",
           group);
  several(command.add_option("--rule", gates.levels, "how grave a rule is: off, note, warning or error"))
      ->type_name("RULE=SEVERITY")
      ->group(group);
  add_file(command, "--config", gates.config, "read FILE rather than the nearest .warplens.toml", group);
  command.add_flag("--fix", gates.fix, "make the changes that are mechanical in the source")->group("Fixes");
  command
      .add_flag("--fix-dry-run", gates.fix_dry_run,
                "print them as a diff that patch -p1 takes, and change nothing")
      ->group("Fixes");
  command.add_flag("--no-config", gates.no_config, "read no .warplens.toml")->group(group);
}

void add_rules(CLI::App& app, int& exit_code) {
  auto rule = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("rules", "list what findings are about");
  command->add_option("RULE", *rule, "explain this one");
  command->add_flag("--json", *json, "write a JSON document");
  give_help(*command, "rules [OPTIONS] [RULE]", "warplens rules bank-conflict",
            "Rules are named in --fail-on, in --rule, in .warplens.toml and in comments of the source: "
            "docs/CI.md.");
  command->callback([rule, json, &exit_code] {
    driver::RulesOutput out = driver::rules({*rule, *json, text::terminal_width(STDOUT_FILENO)});
    print(stdout, out.out);
    print(stderr, out.err);
    exit_code = out.exit_code;
  });
}

} // namespace warplens::cli
