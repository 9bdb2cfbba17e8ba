// The flags of `warplens replay`.
#include "driver/replay.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include "text/terminal_settings.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_replay(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "count the accesses of a pattern or trace file");
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  give_help(*command, "replay [OPTIONS] FILE", "warplens replay --sm 70,90 patterns.jsonl");
  add(*command, "FILE", options->path, {}, nullptr,
      "pattern file (JSON lines), NVBit mem_trace output or Accel-Sim .traceg, "
      "gzip or not; '-' is standard input")
      .required();
  add(*command, "--sm", options->sm, with_default(), nullptr,
      "compute capability or GPU, or several: 90, 9.0, sm_90, h100, 10,35,90");
  command->add_flag("--json", options->json, "one JSON object per access instead of a table");
  add(*command, "--html", options->html, file(), nullptr,
      "also write a page for a browser; '-': instead of the table");
  command->add_flag("--keep-going", options->keep_going,
                    "count the lines after a malformed one (then the exit code is 1)");
  add_terminal_options(*command, colour);
  command->callback([options, colour, &exit_code] {
    options->colour = text::colour_wanted(STDERR_FILENO, *colour);
    options->version = WARPLENS_VERSION;
    driver::TextSinks sinks{[](std::string_view text) { return print(stdout, text); },
                            [](std::string_view text) { print(stderr, text); }};
    exit_code = driver::replay(*options, sinks);
  });
}

} // namespace warplens::cli
