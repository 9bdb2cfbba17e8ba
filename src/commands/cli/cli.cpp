// All commands put together, and what is said of arguments that are none. See cli.h.
#include "cli/cli.h"
#include "base/closest.h"
#include "base/cpu.h"
#include "base/diagnostic.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "driver/run.h"
#include "os/process.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <csignal>
#include <deque>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace warplens::cli {
namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, int& exit_code);
  bool tells_of_all = false; // it prints every command's options
};
constexpr Command all_commands[] = {
    {"run", add_run},       {"report", add_report},   {"diff", add_diff},
    {"import", add_import}, {"compare", add_compare}, {"record", add_record},
    {"replay", add_replay}, {"explain", add_explain}, {"check", add_check},
    {"lsp", add_lsp},       {"mcp", add_mcp},         {"gpus", add_gpus},
    {"rules", add_rules},   {"doctor", add_doctor},   {"completion", add_completion, true},
    {"man", add_man, true}};

// The command that is named alone: declaring all was 44 % of the instructions of `run --help`. All where none is named, or where it
// tells of all.
void add_commands(CLI::App& app, int& exit_code, std::string_view named) {
  const auto* only = std::ranges::find(all_commands, named, &Command::name);
  for (const Command& command : all_commands)
    if (only == std::end(all_commands) || only->tells_of_all || &command == only) command.add(app, exit_code);
}

// "it is an option of run, check: warplens run --fix …"; empty: of none.
std::string commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_option_no_throw(option.substr(0, option.find('='))) != nullptr)
      commands.push_back(command->get_name());
  if (commands.empty()) return {};
  return fmt::format("it is an option of {}: warplens {} {} …", fmt::join(commands, ", "), commands[0],
                     option);
}

// An option before the command: --help and --version, or one that belongs behind it.
std::string wrong_first_option(const CLI::App& app, const std::string& word) {
  if (app.get_option_no_throw(word) != nullptr) return {};
  const std::string help = commands_with(app, word);
  return diag::render(
      diag::error("bad-option", fmt::format("there is no command before '{}'", word), {},
                  help.empty() ? "options follow a command; `warplens --help` lists the commands" : help));
}

// CLI11 would say that a subcommand is required, and not which there are.
std::string wrong_command(const CLI::App& app, int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') return wrong_first_option(app, argv[1]);
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
  else if (std::string with = commands_with(app, "--" + word); !with.empty())
    help = with;
  else
    help = fmt::format("the commands are {}; `warplens --help` says what they do; a program is started with "
                       "`warplens run {}`",
                       fmt::join(known, ", "), word);
  return diag::render(diag::error("no-command", fmt::format("there is no command '{}'", word), {}, help));
}

// What CLI11 says of a wrong argument, in the form that every other error has.
diag::Diagnostic wrong_argument(const CLI::App& app, const CLI::ParseError& error) {
  std::string command;
  for (const CLI::App* chosen : app.get_subcommands()) command = " " + chosen->get_name();
  return diag::error("bad-option", error.what(), {},
                     fmt::format("`warplens{} --help` says what it takes", command));
}

// The first argument of the command that it has no use for.
diag::Diagnostic unknown_argument(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const std::string& argument : command->remaining(true)) {
      if (argument == "--") continue;
      std::string help = suggested_option(*command, argument);
      if (help.empty() && argument.starts_with("--")) {
        CLI::App all;
        int unused = 0;
        add_commands(all, unused, {});
        help = commands_with(all, argument);
      }
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

// The first "--" ends the options of every command. CLI11 forgets that where a list of files goes on behind it, or a program
// follows. So it is taken out, and what is behind it and begins like an option is spelled otherwise: a file with its folder,
// an expression with a blank. The words of a program (run, record) stay as they are. Gives the new argc.
int drop_separator(const CLI::App& app, int argc, char** argv) {
  static std::deque<std::string> spelled; // for as long as argv
  const auto commands = app.get_subcommands(
      [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; });
  if (commands.empty()) return argc;
  const CLI::App& command = *commands[0];
  const char* in_front = command.get_name() == "explain" ? " " : "./";
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") {
      std::copy(argv + i + 1, argv + argc + 1, argv + i); // the closing nullptr, too
      for (int word = i; word < argc - 1 && (word == i || !command.get_prefix_command()); ++word)
        if (argv[word][0] == '-' && argv[word][1] != '\0')
          argv[word] = spelled.emplace_back(std::string(in_front) + argv[word]).data();
      return argc - 1;
    }
    if (command.get_prefix_command() && !argument.starts_with('-')) return argc; // the program
    const CLI::Option* option = argument.starts_with('-') ? command.get_option_no_throw(argument) : nullptr;
    if (option != nullptr && option->get_items_expected_max() > 0) ++i; // its value
  }
  return argc;
}

// `warplens help run` is `warplens run --help`.
void help_as_option(int argc, char** argv) {
  static char option[] = "--help";
  if (argc < 2 || std::string_view(argv[1]) != "help") return;
  if (argc > 2) argv[1] = argv[2];
  argv[argc > 2 ? 2 : 1] = option;
}

} // namespace

int run_command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  os::survive_file_size_limit();
  os::remove_temporary_folders_on_signals();
  keep_standard_descriptors();
  CLI::App app{"WarpLens shows how every memory access of a CUDA program coalesces, without a GPU",
               "warplens"};
  if (auto wanted = cpu::wanted_target(); !wanted) {
    auto error = diag::error("unknown-target", "WARPLENS_TARGET: " + wanted.error());
    print(stderr, "warplens: " + diag::render(error));
    return 2;
  }
  app.set_version_flag("--version", "warplens " WARPLENS_VERSION);
  app.require_subcommand(1);
  give_help(app, "COMMAND [OPTIONS] …", "warplens run examples/matmul.cu",
            "Each command has a --help of its own. More: docs/README.md");
  int exit_code = 0;
  help_as_option(argc, argv);
  add_commands(app, exit_code, argc > 1 ? argv[1] : "");
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
    if (error.get_exit_code() == 0) { // --help, --version
      std::ostringstream out;
      app.exit(error, out, out);
      print(stdout, out.str());
    } else {
      print(stderr, "warplens: " + diag::render(wrong_argument(app, error)));
      exit_code = 2;
    }
  }
  return finish(exit_code);
}

} // namespace warplens::cli
