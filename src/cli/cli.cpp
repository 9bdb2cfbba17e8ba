#include "cli/cli.h"
#include "base/cpu.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "diag/diagnostic.h"
#include <csignal>
#include <fmt/format.h>
#include <sstream>

namespace warplens::cli {
namespace {

// CLI11 would say that a subcommand is required, and not which there are.
std::string wrong_command(const CLI::App& app, int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') return {}; // an option: --help
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (argc > 1 && command->get_name() == argv[1]) return {};
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  std::string help = "the commands are " + known + "; `warplens --help` says what they do";
  if (argc > 1 && *argv[1] != '\0')
    help += fmt::format("; a program is started with `warplens run {}`", argv[1]);
  return diag::render(diag::error("no-command",
                                  argc > 1 ? fmt::format("there is no command '{}'", argv[1])
                                           : std::string("there is no command"),
                                  {}, help));
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
  app.get_formatter()->column_width(32);
  int exit_code = 0;
  add_run(app, exit_code);
  add_report(app, exit_code);
  add_replay(app, exit_code);
  add_explain(app, exit_code);
  add_gpus(app);
  argc = drop_separator(app, argc, argv);
  if (std::string wrong = wrong_command(app, argc, argv); !wrong.empty()) {
    print(stderr, "warplens: " + wrong);
    return 2;
  }
  try {
    app.parse(argc, argv);
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
