#include "cli/commands.h"

namespace warplens::cli {

void add_run(CLI::App&, int&) {}

} // namespace warplens::cli
