#include "cli/commands.h"

namespace warplens::cli {

void add_explain(CLI::App&, int&) {}

} // namespace warplens::cli
