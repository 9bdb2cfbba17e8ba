// The flags of `warplens record`.
#include "driver/record.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include "os/foreground.h"
#include "text/terminal_settings.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {

void add_record(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::RecordOptions>();
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  auto no_counters = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("record", "count on this machine's GPU, without Nsight Compute");
  give_help(*command, "record [OPTIONS] PROGRAM [ARGUMENTS…]",
            "warplens record -o measured.jsonl ./app --size 64",
            "The program runs once for the counters of its launches, and once for their instructions. Where "
            "no CUPTI 12.8 or 12.9 is found (Nsight Compute brings one along), it runs once more for each "
            "launch: CUPTI 13.0 counts one in a run. Needs a GPU, and a build with CUPTI. Exit code: the "
            "program's own; 2 when nothing was recorded. More: docs/do/measure-on-a-gpu.md");
  command->prefix_command();
  add(*command, "-o,--output", options->output, words("FILE"), nullptr, "the file that is written");
  add(*command, "--no-counters", *no_counters, flag(), nullptr,
      "counts by instruction alone, no counters and times of whole launches");
  add(*command, "--launches", options->launches, number(1, 10'000), nullptr,
      "record the first NUMBER launches of each process");
  add(*command, "--jobs", options->jobs, named("NUMBER"), nullptr,
      "make up to NUMBER runs at once, one for each launch [default: what half of the processors and of the "
      "memory have room for, at most 8]")
      .check(whole_number(1, os::most_side_by_side));
  add(*command, "--cupti", options->cupti, named("FILE"), nullptr,
      "the CUPTI library that counts all launches by instruction; '': none [default: 12.9 or 12.8, where one "
      "is found]");
  add_terminal_options(*command, colour);
  command->callback([command, options, colour, no_counters, &exit_code] {
    options->command = command->remaining();
    if (options->command.empty()) throw CLI::RequiredError("PROGRAM");
    if (options->command[0].size() > 1 && options->command[0][0] == '-')
      throw CLI::ExtrasError("record", {options->command[0]});
    options->counters = !*no_counters;
    options->colour = text::colour_wanted(STDERR_FILENO, *colour);
    exit_code = driver::record(*options, streams());
  });
}

} // namespace warplens::cli
