// warplens: the command line. Exit codes: run gives the program's own (2 when WarpLens itself failed); the
// other commands 0 clean, 1 findings or a failed gate, 2 error. A broken pipe is not an error.
#include "base/cpu.h"
#include "cli/commands.h"
#include "diag/diagnostic.h"
#include <csignal>
#include <cstdio>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  CLI::App app{"WarpLens shows how every memory access of a CUDA program coalesces, without a GPU",
               "warplens"};
  if (auto wanted = warplens::cpu::wanted_target(); !wanted) {
    auto error = warplens::diag::error("unknown-target", "WARPLENS_TARGET: " + wanted.error());
    std::fputs(warplens::diag::render(error).c_str(), stderr);
    return 2;
  }
  app.set_version_flag("--version", "warplens " WARPLENS_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  int exit_code = 0;
  warplens::cli::add_run(app, exit_code);
  warplens::cli::add_replay(app, exit_code);
  warplens::cli::add_explain(app, exit_code);
  warplens::cli::add_gpus(app, exit_code);
  argc = warplens::cli::drop_separator(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return exit_code;
}
