#include "cli/cli.h"
#include "base/closest.h"
#include "base/cpu.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "diag/diagnostic.h"
#include "driver/run.h"
#include <csignal>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace warplens::cli {
namespace {

// CLI11 would say that a subcommand is required, and not which there are.
std::string wrong_command(const CLI::App& app, int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') return {}; // an option: --help
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (argc > 1 && command->get_name() == argv[1]) return {};
    known.push_back(command->get_name());
  }
  if (argc <= 1 || *argv[1] == '\0')
    return diag::render(diag::error(
        "no-command", "there is no command", {},
        fmt::format("the commands are {}; `warplens --help` says what they do", fmt::join(known, ", "))));
  std::string word = argv[1], help;
  bool program = word.find('/') != word.npos || word.ends_with(".cu") || word.ends_with(".ptx") ||
                 ::access(argv[1], F_OK) == 0;
  if (program)
    help = fmt::format("did you mean `warplens run {}`?", word);
  else if (std::string near = closest(word, known); !near.empty())
    help = fmt::format("did you mean `warplens {}`?", near);
  else
    help = fmt::format("the commands are {}; `warplens --help` says what they do; a program is started with "
                       "`warplens run {}`",
                       fmt::join(known, ", "), word);
  return diag::render(diag::error("no-command", fmt::format("there is no command '{}'", word), {}, help));
}

// The first argument of the command that it has no use for.
diag::Diagnostic unknown_argument(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const std::string& argument : command->remaining(true)) {
      if (argument == "--") continue;
      std::string help = suggested_option(*command, argument);
      if (driver::is_launch_option(argument))
        help = fmt::format(
            "it belongs to the launch of a kernel, which follows its file: warplens run FILE.ptx {} …",
            argument);
      return diag::error(
          "bad-option",
          fmt::format("{} '{}' is not known to {}", argument.starts_with('-') ? "option" : "argument",
                      argument, command->get_name()),
          {}, help.empty() ? fmt::format("`warplens {} --help` lists them", command->get_name()) : help);
    }
  return diag::error("bad-option", "an argument is not known", {}, "`warplens --help`");
}

} // namespace

int run_command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  keep_standard_descriptors();
  CLI::App app{"WarpLens shows how every memory access of a CUDA program coalesces, without a GPU",
               "warplens"};
  if (auto wanted = cpu::wanted_target(); !wanted) {
    auto error = diag::error("unknown-target", "WARPLENS_TARGET: " + wanted.error());
    print(stderr, diag::render(error));
    return 2;
  }
  app.set_version_flag("--version", "warplens " WARPLENS_VERSION);
  app.require_subcommand(1);
  give_help(
      app, "COMMAND [OPTIONS] …", "warplens run examples/matmul.cu",
      "Each command has a --help of its own. More: docs/EXPLAIN.md, docs/MODEL.md, docs/HOW_IT_WORKS.md");
  int exit_code = 0;
  add_run(app, exit_code);
  add_report(app, exit_code);
  add_diff(app, exit_code);
  add_import(app, exit_code);
  add_compare(app, exit_code);
  add_record(app, exit_code);
  add_replay(app, exit_code);
  add_explain(app, exit_code);
  add_check(app, exit_code);
  add_lsp(app, exit_code);
  add_gpus(app);
  add_rules(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app);
  add_man(app, exit_code);
  argc = drop_separator(app, argc, argv);
  if (std::string wrong = wrong_command(app, argc, argv); !wrong.empty()) {
    print(stderr, "warplens: " + wrong);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    print(stderr, "warplens: " + diag::render(unknown_argument(app)));
    exit_code = 2;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    int code = app.exit(error, out, err);
    print(stdout, out.str());
    print(stderr, diag::without_controls(err.str()));
    exit_code = code == 0 ? 0 : 2;
  }
  return finish(exit_code);
}

} // namespace warplens::cli
