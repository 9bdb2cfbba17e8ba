// `warplens rules`: lists what findings are about.
#include "driver/rules.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "text/terminal_settings.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {
void add_rules(CLI::App& app, int& exit_code) {
  auto rule = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("rules", "list the rules of findings");
  command->add_option("RULE", *rule, "explain this one");
  command->add_flag("--json", *json, "write a JSON document");
  give_help(*command, "rules [OPTIONS] [RULE]", "warplens rules bank-conflict",
            "Rules are named in --fail-on, in --rule, in .warplens.toml and in comments of the source: "
            "docs/do/ci.md.");
  command->callback([rule, json, &exit_code] {
    driver::RulesOutput out = driver::rules({*rule, *json, text::terminal_width(STDOUT_FILENO)});
    print(stdout, out.out);
    print(stderr, out.err);
    exit_code = out.exit_code;
  });
}

} // namespace warplens::cli
