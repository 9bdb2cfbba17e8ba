#include "cli/commands.h"

namespace warplens::cli {

void add_gpus(CLI::App&, int&) {}

} // namespace warplens::cli
