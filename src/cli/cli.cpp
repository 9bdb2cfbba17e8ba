#include "cli/cli.h"
#include "base/cpu.h"
#include "cli/commands.h"
#include "diag/diagnostic.h"
#include <csignal>
#include <cstdio>

namespace warplens::cli {

int run_command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  CLI::App app{"WarpLens shows how every memory access of a CUDA program coalesces, without a GPU",
               "warplens"};
  if (auto wanted = cpu::wanted_target(); !wanted) {
    auto error = diag::error("unknown-target", "WARPLENS_TARGET: " + wanted.error());
    std::fputs(diag::render(error).c_str(), stderr);
    return 2;
  }
  app.set_version_flag("--version", "warplens " WARPLENS_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  int exit_code = 0;
  add_run(app, exit_code);
  add_replay(app, exit_code);
  add_explain(app, exit_code);
  add_gpus(app, exit_code);
  argc = drop_separator(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return exit_code;
}

} // namespace warplens::cli
