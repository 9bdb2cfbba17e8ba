// The flags of `warplens gpus`.
#include "driver/gpus.h"
#include "cli/commands.h"
#include <cstdio>
#include <memory>

namespace warplens::cli {

void add_gpus(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("gpus", "the compute capabilities, their rules and where each comes from");
  command->add_flag("--json", *json, "one JSON document instead of a table");
  command->callback([json, &exit_code] {
    std::string text = *json ? driver::gpus_json() : driver::gpus_text();
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      exit_code = 2;
  });
}

} // namespace warplens::cli
