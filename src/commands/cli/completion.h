// Scripts that complete WarpLens's commands, options and their values in a shell.
#pragma once
#include "cli/option_table.h"

namespace warplens::cli {

// Pure functions of the table; each is a whole file for its shell.
std::string bash_completion(const std::vector<CommandRow>&);
std::string zsh_completion(const std::vector<CommandRow>&);
std::string fish_completion(const std::vector<CommandRow>&);

} // namespace warplens::cli
