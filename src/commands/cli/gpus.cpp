// The flags of `warplens gpus`.
#include "driver/gpus.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include <memory>

namespace warplens::cli {

void add_gpus(CLI::App& app, int&) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("gpus", "list compute capabilities, and where each rule comes from");
  give_help(*command, "gpus [OPTIONS]", "warplens gpus");
  command->add_flag("--json", *json, "one JSON document instead of a table");
  command->callback([json] { print(stdout, *json ? driver::gpus_json() : driver::gpus_text()); });
}

} // namespace warplens::cli
