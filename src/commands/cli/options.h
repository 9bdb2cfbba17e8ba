// Declares the options of `run`, and those of them that other commands have, from base/run_options.def: one function for each
// who of its rows.
#pragma once
#include "driver/run.h"
#include <CLI/CLI.hpp>

namespace warplens::cli {

void add_program_options(CLI::App&, ProgramOptions&);
void add_compiler_options(CLI::App&, driver::RunOptions&);
void add_filter_options(CLI::App&, driver::RunOptions&);
void add_report_options(CLI::App&, driver::RunOptions&); // and --top, which is two of them in one
void add_pager_options(CLI::App&, driver::RunOptions&);
void add_gate_options(CLI::App&, driver::GateOptions&);
void add_options_of_run_alone(CLI::App&, driver::RunOptions&);

// --top: both numbers at once.
void add_top(CLI::App&, u32& lines, u32& kernels);

} // namespace warplens::cli
