// Where the text of all commands goes, so that none of them loses it in silence.
#pragma once
#include "driver/run.h"
#include "text/terminal_settings.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string_view>

namespace warplens::cli {

// Closed standard descriptors get /dev/null, the wrong way round: what is written to them still fails, and no file that is
// opened later takes their number and with it our output.
void keep_standard_descriptors();

// False when the text could not be written. A pipe that nobody reads any more took it: that is not an error.
bool print(std::FILE*, std::string_view text);

// Standard output and standard error. A reader that goes away does not end the process: it has to clean up.
driver::RunOutput streams();

// The same, for a report that people read on the terminal of `descriptor`, screen by screen where it is long (os/pager.h): what
// the options say of colour and width is settled by what that is. `command`: whose options were read.
driver::RunOutput terminal(int descriptor, const CLI::App& command, driver::RunOptions&, text::Colour);

// Which of --sm and --compiler the command line names: of the others .warplens.toml may say something.
template <class Options> void note_given(const CLI::App& command, Options& options) {
  auto given = [&](const char* name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option != nullptr && option->count() != 0;
  };
  options.sm_given = given("--sm"), options.compiler_given = given("--compiler");
}

// The exit code at the end of the process: `code`, or 2, with a message, where text for standard output was lost.
int finish(int code);

} // namespace warplens::cli
