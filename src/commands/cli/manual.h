// Manual pages, in the man macros of roff (man(7)).
#pragma once
#include "cli/option_table.h"

namespace warplens::cli {

// The page warplens(1), or warplens-COMMAND(1).
std::string manual_page(const CommandRow&, const std::vector<CommandRow>& table, const std::string& version);

} // namespace warplens::cli
