// The flags of `warplens mcp`.
#include "driver/mcp.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/values.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_mcp(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::McpOptions>();
  CLI::App* command =
      app.add_subcommand("mcp", "serve a coding agent: run, check, fix, explain, report, diff");
  give_help(*command, "mcp [OPTIONS]", "warplens mcp --folder src",
            "Speaks the Model Context Protocol on standard input and output. docs/do/agents.md says how "
            "agents start it.");
  add(*command, "--folder", options->folders, repeated("DIR"), nullptr,
      "paths may lie in DIR; may be repeated; else the current folder");
  add(*command, "--time-limit", options->time_limit, limit_in_seconds(1e6), nullptr,
      "stop a tool after this time: 300, 90s, 5m")
      .capture_default_str();
  command->callback([options, &exit_code] {
    options->version = WARPLENS_VERSION;
    exit_code = driver::serve_agent(*options, STDIN_FILENO, STDOUT_FILENO);
  });
}

} // namespace warplens::cli
