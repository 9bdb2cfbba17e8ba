// Two or three accounts of one program laid side by side, as a value: what was predicted, what a GPU counted, a recording, or
// any two of a kind. Every writer renders this value.
//
// Kernels are matched by name, launches of a kernel by their order, lines by file and number, or by their text where the source
// was changed between the sides (moved.h), accesses of a line by space and kind of operation. Each count that differs has a
// residual and, where the numbers tell one, a reason (reasons.h).
#pragma once
#include "summary/model.h"
#include <array>

namespace warplens::compare {

inline constexpr std::size_t most_sides = 3;

// What a side's counts are of. What the assembler does lies between the first and the others.
enum class Code : u8 { ptx, machine_code, measured };
std::string_view name(Code); // as in JSON

struct Side {
  std::string name; // the file or the program
  const summary::Input* input = nullptr;
  bool measured() const { return input->measured.has_value(); }
  Code code() const; // predicted from machine code: where a launch is
};

// Why a count differs. The order is that in which reasons are looked for.
enum class Reason : u8 {
  none,         // it does not differ
  uncounted,    // a side could not count the launch
  other_input,  // the launches have other grids or blocks
  edited,       // a source of the kernel was changed between the sides
  timing,       // which thread comes first decides
  contended,    // an atomic that the hardware combines or repeats
  spilled,      // registers that the assembler keeps in local memory
  registers,    // memory that it keeps in registers
  widened,      // several accesses made one wide one
  merged,       // equal accesses made once
  predicated,   // also counted for warps in which no lane performs it
  other_line,   // the same, shown at another line
  not_repeated, // the kernel was not made of the same lines on both sides
  unexplained
};
std::string_view name(Reason);  // as in JSON and on the command line
std::string_view words(Reason); // "predicated off: counted for warps in which no lane performs it, too"
std::optional<Reason> reason_called(std::string_view);

using Values = std::array<std::optional<double>, most_sides>; // of each side; nothing where it does not say

struct Count {
  std::string_view name; // "sectors", or of a whole launch the profiler's name
  Values values;
  double residual = 0; // of the two sides that are compared: (second - first) / the larger, -1…1
  Reason reason = Reason::none;
};

// One kind of access at one line.
struct Line {
  access::SourceFrame place;             // file empty: without a line
  std::string function;                  // then
  std::string text;                      // of the line, where it is known
  std::array<u32, most_sides> numbers{}; // of the line on each side; 0: it has none
  access::Space space{};
  access::Kind kind{}; // reductions are atomics: the assembler decides which of the two it is
  std::vector<Count> counts;
  std::array<std::string, most_sides> opcodes; // "ld.global.f32", "LDG"; several with blanks
  Reason reason = Reason::none;                // of what differs
  double weight = 0;                           // cycles that the differences are worth: the order
};

// Launches that are alike on every side.
struct Launches {
  u64 first = 0, count = 1;                                // n-th launch of its kernel
  std::array<std::optional<Dim3>, most_sides> grid, block; // nothing: the side has no such launch
  std::array<std::string, most_sides> problem;             // why a side has no counts
  std::vector<Line> lines;                                 // most weight first
  std::vector<Count> sums;                                 // of the whole launch
  std::optional<double> bound,
      took; // seconds: the least time that is predicted, and the time that was measured
  double weight = 0;
};

struct Kernel {
  std::string name; // demangled where a side knows it
  std::array<u64, most_sides> launches{};
  std::vector<Launches> groups;
  double weight = 0;
};

struct Options {
  double tolerance = 0;         // counts this close are equal: 0.001 is 0.1 %
  std::vector<Reason> accepted; // do not make sides differ
  std::string kernel_filter;    // as report's
};

struct Model {
  std::vector<Side> sides;
  std::size_t base = 0, other = 1;      // which two of the sides residuals are of
  std::vector<Kernel> kernels;          // most weight first
  u64 equal = 0;                        // counts, each of its launches
  std::map<Reason, u64> different;      // likewise
  u64 launches_equal = 0, launches = 0; // with all counts of lines equal; that both sides have
  u64 sums_equal = 0, sums = 0;         // sums of whole launches
  std::vector<std::string> notes;       // what is not compared, and why
  bool differs = false;                 // beyond the tolerance, for a reason that is not accepted
};

// `sources` has the lines that each side brought along, which may be of another version than its neighbour's; `files` those on disk, which
// are shown where no side has any. Errors: bad-kernel-filter, compare-too-large (more launches than a comparison holds).
Result<Model> compare(std::vector<Side>, const std::vector<summary::SourceLines>& sources,
                      const summary::SourceLines& files, const Options&);

std::string terminal(const Model&, u32 width, bool colour, u32 top_lines);
std::string json(const Model&, std::string_view version);

} // namespace warplens::compare
