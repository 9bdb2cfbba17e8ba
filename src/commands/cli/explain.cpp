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
  command
      .add_option("--set", o.asked.settings,
                  "a value or a definition: --set n=1024 --set 'i=blockIdx.x*blockDim.x + threadIdx.x'")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false)
      ->group("Access");
  command.add_option("--type", o.asked.type, "the element's type: float, double2, 'struct{float x,y,z;}'")
      ->capture_default_str()
      ->group("Access");
  command.add_option("--dims", o.asked.dims, "elements of each dimension of A[i][j], outermost first")
      ->type_name("N,M")
      ->group("Access");
  command.add_option("--block", o.asked.block, "threads of a block")
      ->type_name("X,Y,Z")
      ->capture_default_str()
      ->group("Threads");
  command.add_option("--grid", o.asked.grid, "blocks of the grid")
      ->type_name("X,Y,Z")
      ->capture_default_str()
      ->group("Threads");
  command.add_option("--cta", o.asked.cta, "the block to look at")
      ->type_name("X,Y,Z")
      ->capture_default_str()
      ->group("Threads");
  command.add_option("--warp", o.asked.warp, "the warp to draw")
      ->check(whole_number(0, ~u32{0}))
      ->type_name("NUMBER")
      ->capture_default_str()
      ->group("Threads");
  command
      .add_option("--if", o.asked.condition, "only threads for which this is true take part: --if 'i < n'")
      ->type_name("EXPR")
      ->group("Threads");
  command.add_option("--sm", o.sm, "compute capability or GPU: 90, h100 (`warplens gpus` lists them)")
      ->capture_default_str();
  command.add_option("--space", o.asked.space, "global, shared, local, constant, texture, surface")
      ->capture_default_str()
      ->group("Access");
  command.add_option("--op", o.asked.operation, "load, store, reduction, atomic")
      ->capture_default_str()
      ->group("Access");
  command
      .add_option("--cache", o.asked.cache, "cache operator of the instruction: ca, cg, cs, nc and others")
      ->group("Access");
  command.add_option("--base", o.asked.base, "bytes from a 256-byte boundary to the array's start")
      ->check(whole_number(0, most_bytes))
      ->type_name("BYTES")
      ->capture_default_str()
      ->group("Access");
  command
      .add_option("--pitch", o.asked.pitch, "bytes from row to row, where rows are padded (cudaMallocPitch)")
      ->check(whole_number(1, most_bytes))
      ->type_name("BYTES")
      ->group("Access");
  command
      .add_option("--case", o.case_name,
                  "a built-in example instead of an expression; without a name, lists them")
      ->expected(0, 1)
      ->type_name("NAME");
  command.add_option("--burst", o.asked.burst, "draw and count by DRAM bursts of this size: --burst 64")
      ->check(whole_number(1, 4096))
      ->type_name("BYTES")
      ->group("Access");
  command
      .add_option("--counter", o.counter,
                  "instead of an access: what a counter of Nsight Compute or nvprof means, and a value of it")
      ->expected(1, 2)
      ->type_name("NAME [VALUE]");
  command
      .add_option("--pool", o.pool,
                  "arrays placed one after the other in one allocation: 'float a[100]; double b[10];'")
      ->type_name("DECLARATIONS")
      ->group("Access");
  add_file(command, "--svg", o.svg, "also write the drawing to this file; '-': instead of the words",
           "Output");
  add_file(command, "--html", o.html, "also write a page for a browser; '-': instead of the words", "Output");
  command.add_flag("--json", o.json, "print JSON instead of words")->group("Output");
  command.add_flag("--ascii", ascii, "draw with ASCII characters only")->group("Output");
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
