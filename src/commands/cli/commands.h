// The commands, one file each: add_<command>(app) declares flags and help as data and sets the callback,
// which only fills a driver:: options struct and calls the driver. The exit code goes where `exit_code`
// points.
#pragma once
#include <CLI/CLI.hpp>

namespace warplens::cli {

void add_run(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_record(CLI::App& app, int& exit_code);
void add_rules(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_lsp(CLI::App& app, int& exit_code);
void add_mcp(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_man(CLI::App& app, int& exit_code);
void add_gpus(CLI::App& app, int& exit_code);

} // namespace warplens::cli
