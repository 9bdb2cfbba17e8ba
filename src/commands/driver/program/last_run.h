// What `run` leaves for the editor (docs/do/editors.md): its report, in the folder .warplens of the project, where there is one.
// The folder is what asks for it: who made it wants the hints of every run without saying so each time, and in a project
// without it no run leaves a file that nobody asked for.
#pragma once
#include "driver/options/run.h"
#include "summary/model.h"

namespace warplens::driver {

// From the project's folder, where the language server looks.
inline constexpr std::string_view last_run_file = ".warplens/last-run.json";

// Into the nearest .warplens of the working directory and the folders above it. Where it cannot be written, says so and goes
// on: the program ran, and its report is shown.
void save_last_run(const summary::Model&, const RunOptions&, const RunOutput&);

} // namespace warplens::driver
