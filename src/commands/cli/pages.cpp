// `warplens completion` and `warplens man`: the tables of all commands, for shells and for man.
#include "base/diagnostic.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/output.h"
#include "cli/values.h"
#include <algorithm>
#include <memory>

namespace warplens::cli {

void add_completion(CLI::App& app, int&) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print a completion script for bash, zsh or fish");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  give_help(*command, "completion SHELL",
            "warplens completion bash > ~/.local/share/bash-completion/completions/warplens",
            "An installed WarpLens has them where the shells look.");
  command->callback([&app, shell] {
    const std::vector<CommandRow> table = command_table(app);
    print(stdout, *shell == "bash"  ? bash_completion(table)
                  : *shell == "zsh" ? zsh_completion(table)
                                    : fish_completion(table));
  });
}

void add_man(CLI::App& app, int& exit_code) {
  auto page = std::make_shared<std::string>();
  auto list = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("man", "print a manual page");
  command->add_option("COMMAND", *page, "of this command; else of warplens itself");
  command->add_flag("--list", *list, "print the names of the commands that have one");
  give_help(*command, "man [OPTIONS] [COMMAND]", "warplens man run | man -l -",
            "What it prints is for man(1), where installed pages are found by `man warplens-run`.");
  command->callback([&app, page, list, &exit_code] {
    const std::vector<CommandRow> table = command_table(app);
    if (*list) {
      for (const CommandRow& row : table)
        if (!row.name.empty()) print(stdout, row.name + "\n");
      return;
    }
    auto wanted = std::ranges::find(table, *page, &CommandRow::name);
    if (wanted != table.end()) {
      print(stdout, manual_page(*wanted, table, WARPLENS_VERSION));
      return;
    }
    diag::Diagnostic error = diag::error("no-command", "there is no command '" + *page + "'", {},
                                         "`warplens man --list` names those that there are");
    print(stderr, "warplens: " + diag::render(error));
    exit_code = 2;
  });
}

} // namespace warplens::cli
