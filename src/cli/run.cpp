// The flags of `warplens run`. Everything after PROGRAM belongs to the program, words that look like flags
// too.
#include "driver/run.h"
#include "cli/commands.h"
#include "cli/number.h"
#include "cli/output.h"
#include "text/terminal.h"
#include <algorithm>
#include <csignal>
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

constexpr u64 most_shown = 1'000'000'000, most_workers = 4096;
constexpr double most_seconds = 1e9; // 31 years

// CLI11 does not know that the program comes after the options.
class RunFormatter : public CLI::Formatter {
public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: warplens run [OPTIONS] PROGRAM|FILE.cu [ARGUMENTS…]\n";
  }
};

} // namespace

// CLI11 would look for what follows "--" in `app` itself, because `run` has no positional options.
int drop_separator(CLI::App& app, int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "run") return argc;
  const CLI::App& command = *app.get_subcommand("run");
  for (int i = 2; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--") {
      std::copy(argv + i + 1, argv + argc + 1, argv + i); // the closing nullptr, too
      return argc - 1;
    }
    if (!argument.starts_with('-')) return argc; // the program
    const CLI::Option* option = command.get_option_no_throw(std::string(argument));
    if (option != nullptr && option->get_items_expected_max() > 0) ++i; // its value
  }
  return argc;
}

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<driver::RunOptions>();
  auto no_progress = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("run", "run a CUDA program on the CPU and report how its accesses coalesce");
  auto formatter = std::make_shared<RunFormatter>();
  formatter->column_width(32);
  command->formatter(formatter);
  command->footer(
      "The program and its arguments follow the options: warplens run --details ./app --size 64\n"
      "Exit code: the program's own; 2 when it could not be started or the report not be written.");
  command->prefix_command(); // what follows the program belongs to the program, flags too
  command
      ->add_option("--sm", options->sm,
                   "compute capability, or several (the first is the device): 90, 9.0, sm_90, 70,90")
      ->capture_default_str();
  command
      ->add_option("--json", options->json,
                   "write the report as JSON to FILE; '-': only JSON on standard output")
      ->type_name("FILE");
  command->add_option("--report", options->report, "write the text report to FILE instead of standard error")
      ->type_name("FILE");
  command
      ->add_option("--compiler", options->compiler, "of a .cu file; auto: nvcc if there is one, else clang")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}))
      ->capture_default_str();
  command
      ->add_option("--compile-options", options->compile_options,
                   "for the compiler, as in a shell: '-std=c++20 -Iinclude'")
      ->type_name("STRING");
  command
      ->add_option("--source-root", options->source_roots,
                   "also show source lines from files in DIR, wherever it is; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command->add_flag("--details", options->details,
                    "every instruction with its PTX, L1 efficiency, advice, counter names");
  command
      ->add_option("--top-lines", options->top_lines, "causes, and source lines per kernel, to show; 0: all")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_option("--top-kernels", options->top_kernels, "kernels with a table of lines; 0: all")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      ->add_option_function<u32>(
          "--top", [options](u32 value) { options->top_lines = options->top_kernels = value; },
          "--top-lines and --top-kernels in one")
      ->check(whole_number(0, most_shown))
      ->type_name("NUMBER");
  command->add_flag("--summary", options->summary, "no tables: causes and worst lines only");
  command->add_option("--kernel", options->kernel, "only kernels whose name matches")->type_name("REGEX");
  command->add_option("-j,--workers", options->workers, "threads per launch; 0: one per core")
      ->check(whole_number(0, most_workers))
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      ->add_option("--memory", options->memory,
                   "gpu: tolerate what a GPU tolerates; strict: stop at any access past an allocation")
      ->check(CLI::IsMember({"gpu", "strict"}))
      ->capture_default_str();
  command->add_flag("--count-only", options->count_only,
                    "count by proof where addresses depend on indices alone; compute results only where the "
                    "program reads them");
  command->add_option("--timeout", options->timeout, "stop a launch that takes longer")
      ->type_name("SECONDS")
      ->check(seconds(most_seconds));
  command->add_flag("--strict", options->strict,
                    "exit code 1 when a launch was not counted exactly, or is missing");
  command->add_flag("--no-cache", options->no_cache,
                    "compile and read everything anew, keep nothing in ~/.cache/warplens");
  command->add_flag("--no-progress", *no_progress, "no progress line on a terminal");
  command->callback([command, options, no_progress, &exit_code] {
    options->command = command->remaining();
    if (options->command.empty()) throw CLI::RequiredError("PROGRAM or FILE.cu");
    if (std::string& first = options->command[0]; first.size() > 1 && first[0] == '-')
      throw CLI::ExtrasError("run", {first});
    std::signal(SIGPIPE, SIG_IGN); // a reader that goes away must not keep us from cleaning up
    options->version = WARPLENS_VERSION;
    options->colour = text::colour_wanted(STDERR_FILENO);
    options->progress = isatty(STDERR_FILENO) && !*no_progress;
    options->width = text::terminal_width(STDERR_FILENO);
    driver::RunOutput output{[](std::string_view text) { return print(stdout, text); },
                             [](std::string_view text) { return print(stderr, text); }};
    exit_code = driver::run(*options, output);
  });
}

} // namespace warplens::cli
