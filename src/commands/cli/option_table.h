// The options of the commands as a table of plain values: what help prints, for whoever else needs it (completion, manual
// pages). Made from the tables that CLI11 parses by, so that none of them can say something else.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warplens::cli {

enum class Value : unsigned char { none, word, choice, file, folder };

struct OptionRow {
  std::vector<std::string> names; // "-j", "--workers"
  std::string shown;              // "-j,--workers NUMBER [0]", as in help
  std::string description, group;
  Value value = Value::none;
  std::vector<std::string> choices;
  std::string likely; // of files: patterns of the names that are likely, with blanks between
};

struct CommandRow {
  std::string name; // empty: warplens itself
  std::string description, usage, footer, example;
  std::vector<OptionRow> options;
  std::vector<OptionRow> arguments; // by position; names: "FILE"
  bool runs_program = false;        // the first word that is no option is a program, and what follows is its
};

// warplens itself first, then its commands.
std::vector<CommandRow> command_table(const CLI::App&);

} // namespace warplens::cli
