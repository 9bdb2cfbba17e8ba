// The flags of `warplens explain`.
#include "driver/explain.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/values.h"
#include "text/terminal_settings.h"
#include <memory>
#include <unistd.h>

namespace warplens::cli {
namespace {

constexpr u64 most_bytes = u64{1} << 40; // no GPU has as much memory

void declare(CLI::App& command, driver::ExplainOptions& o, bool& ascii) {
  command.add_option("expression", o.asked.access,
                     "the access, as in the source: 'A[threadIdx.y*n + threadIdx.x]', 'p[i].y'");
  constexpr const char *access = "Access", *threads = "Threads", *output = "Output";
  add(command, "--set", o.asked.settings, repeated("NAME=EXPR"), access,
      "a value or a definition: --set n=1024 --set 'i=blockIdx.x*blockDim.x + threadIdx.x'");
  add(command, "--type", o.asked.type, with_default(), access,
      "the element's type: float, double2, 'struct{float x,y,z;}'");
  add(command, "--dims", o.asked.dims, named("N,M"), access,
      "elements of each dimension of A[i][j], outermost first");
  add(command, "--block", o.asked.block, words("X,Y,Z"), threads, "threads of a block");
  add(command, "--grid", o.asked.grid, words("X,Y,Z"), threads, "blocks of the grid");
  add(command, "--cta", o.asked.cta, words("X,Y,Z"), threads, "the block to look at");
  add(command, "--warp", o.asked.warp, number(0, ~u32{0}), threads, "the warp to draw");
  add(command, "--if", o.asked.condition, named("EXPR"), threads,
      "only threads for which this is true take part: --if 'i < n'");
  add(command, "--sm", o.sm, with_default(), nullptr,
      "compute capability or GPU: 90, h100 (`warplens gpus` lists them)");
  add(command, "--space", o.asked.space, with_default(), access,
      "global, shared, local, constant, texture, surface");
  add(command, "--op", o.asked.operation, with_default(), access, "load, store, reduction, atomic");
  add(command, "--cache", o.asked.cache, {}, access,
      "cache operator of the instruction: ca, cg, cs, nc and others");
  add(command, "--base", o.asked.base, number(0, most_bytes, "BYTES"), access,
      "bytes from a 256-byte boundary to the array's start");
  add(command, "--pitch", o.asked.pitch, named("BYTES"), access,
      "bytes from row to row, where rows are padded (cudaMallocPitch)")
      .check(whole_number(1, most_bytes));
  add(command, "--case", o.case_name, named("NAME"), nullptr,
      "a built-in example instead of an expression; without a name, lists them")
      .expected(0, 1);
  add(command, "--burst", o.asked.burst, named("BYTES"), access,
      "draw and count by DRAM bursts of this size: --burst 64")
      .check(whole_number(1, 4096));
  add(command, "--counter", o.counter, named("NAME [VALUE]"), nullptr,
      "instead of an access: what a counter of Nsight Compute or nvprof means, and a value of it")
      .expected(1, 2);
  add(command, "--pool", o.pool, named("DECLARATIONS"), access,
      "arrays placed one after the other in one allocation: 'float a[100]; double b[10];'");
  add(command, "--svg", o.svg, file(), output,
      "also write the drawing to this file; '-': instead of the words");
  add(command, "--html", o.html, file(), output,
      "also write a page for a browser; '-': instead of the words");
  add(command, "--json", o.json, flag(), output, "print JSON instead of words");
  add(command, "--ascii", ascii, flag(), output, "draw with ASCII characters only");
}

} // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("explain", "draw one access: where lanes go, what it costs, what helps");
  auto options = std::make_shared<driver::ExplainOptions>();
  auto ascii = std::make_shared<bool>(false);
  auto colour = std::make_shared<text::Colour>(text::Colour::automatic);
  give_help(*command, "explain [OPTIONS] EXPRESSION",
            "warplens explain --set n=1024 'A[threadIdx.y*n + threadIdx.x]'");
  declare(*command, *options, *ascii);
  add_terminal_options(*command, colour);
  command->callback([command, options, ascii, colour, &exit_code] {
    options->list_cases = command->count("--case") > 0 && options->case_name.empty();
    options->unicode = !*ascii && text::unicode_wanted();
    options->colour = text::colour_wanted(STDOUT_FILENO, *colour);
    options->version = WARPLENS_VERSION;
    driver::Output output = driver::explain(*options);
    print(stdout, output.out);
    print(stderr, output.err);
    exit_code = output.exit_code;
  });
}

} // namespace warplens::cli
