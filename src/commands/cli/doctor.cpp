// The flags of `warplens doctor`.
#include "driver/doctor.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include <memory>

namespace warplens::cli {

void add_doctor(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "say what this machine lacks for which command");
  command->add_flag("--json", *json, "one JSON document instead of a table");
  give_help(*command, "doctor [OPTIONS]", "warplens doctor",
            "Compiles and runs a small program with each compiler. Exit code 1: something that is needed is "
            "missing or "
            "does not work.");
  command->callback([json, &exit_code] {
    const driver::DoctorOutput output = driver::doctor(WARPLENS_VERSION, *json);
    print(stdout, output.out);
    exit_code = output.exit_code;
  });
}

} // namespace warplens::cli
