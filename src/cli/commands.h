// The commands, one file each: add_<command>(app) declares flags and help as data and sets the callback,
// which only fills a driver:: options struct and calls the driver. The exit code goes where `exit_code`
// points.
#pragma once
#include "driver/run.h"
#include <CLI/CLI.hpp>

namespace warplens::cli {

void add_run(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void declare_report_options(CLI::App& command, driver::RunOptions&); // of run and report
void add_kernels(CLI::App& command, driver::RunOptions&);            // --kernel
void add_tops(CLI::App& command, u32& lines, u32& kernels, const char* of_lines,
              const char* of_kernels);                              // --top-lines, --top-kernels and --top
void add_no_pager(CLI::App& command, driver::RunOptions&);          // --no-pager
void add_compiling_options(CLI::App& command, driver::RunOptions&); // of run and diff
void add_running_options(CLI::App& command, driver::RunOptions&);   // likewise
void declare_gates(CLI::App& command, driver::GateOptions&);        // likewise
void add_import(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_record(CLI::App& app, int& exit_code);
void add_rules(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_lsp(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app);
void add_man(CLI::App& app, int& exit_code);
void add_gpus(CLI::App& app);

} // namespace warplens::cli
