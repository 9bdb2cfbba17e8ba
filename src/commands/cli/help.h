// Help that fits a terminal: options in groups, their words broken at 80 columns, an example last. And what a command says of
// an option that it does not have.
#pragma once
#include "text/terminal_settings.h"
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace warplens::cli {

// `usage` follows "Usage: warplens "; `example` is a command line.
void give_help(CLI::App& command, std::string usage, const std::string& example, std::string more = {});

// The `usage` that give_help() was told; empty where it was not called.
std::string usage_of(const CLI::App& command);

// --color and, where `width` is given, --width. Both are read when the command runs.
void add_terminal_options(CLI::App& command, const std::shared_ptr<text::Colour>& colour,
                          u32* width = nullptr);

// "did you mean '--details'?" for an argument that the command does not know; empty where nothing is near.
std::string suggested_option(const CLI::App& command, std::string_view argument);

} // namespace warplens::cli
