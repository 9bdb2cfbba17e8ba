#include "cli/commands.h"

namespace warplens::cli {

void add_replay(CLI::App&, int&) {}

} // namespace warplens::cli
