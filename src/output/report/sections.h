// The sections of the terminal report, one function each; terminal.cpp puts them in order.
#pragma once
#include "report/terminal.h"
#include "summary/pattern_text.h"
#include "text/style.h"
#include "text/words.h"
#include <set>

namespace warplens::report {

using namespace text;

// What a table with all its columns needs; narrower ones lack some.
inline constexpr u32 least_table_width = 76;

// What a first screen of more lines than a terminal has leaves out, one after the other: first what helps a decision least.
enum class Spared : u8 {
  nothing,
  fine_kernels, // that nothing is wrong with: the table of kernels shows it
  reasons,      // why no proof counted a kernel
  details,      // of causes: what differs between launches, and the whole pattern of those in brief
  times,        // that the program's times are not a GPU's
  served,       // what the L1 serves
  more_causes,  // after the third
  more_kernels, // rows of the table after the third
  conditions,   // of changes
  verdicts,     // on kernels without a cause, but for their names
  causes,       // after the first
  last = causes
};

struct Page {
  const Model& model;
  TerminalOptions options;
  Style style;
  Spared spared = Spared::nothing; // this, and all before it
  bool leaves_out(Spared what) const { return spared >= what; }
};

// Is more asked for than the first screen?
inline bool shows_all(const TerminalOptions& options) {
  return options.lines || options.details || options.annotate || options.group_by != Grouping::none ||
         options.top_lines == 0;
}

std::string title_section(const Page&);    // what was counted, and how the program ended
std::string headline_section(const Page&); // the answer
// Kernels without a finding; `found`: the others, by their index.
std::string verdict_section(const Page&, const std::set<u32>& found);
bool has_idle_lanes(const Kernel&);                     // in most of what it asks for
bool has_mistake(const Page&, const Kernel&);           // did a launch what it may not?
std::string kernel_list(const Page&);                   // a line for each kernel
std::string access_list(const Page&, std::size_t room); // so many of the accesses that no cause tells of
std::string group_section(const Page&);                 // --group-by: one table over the program
std::string annotated_section(const Page&);             // --annotate: the source, with counts in the margin
std::string kernel_section(const Page&, const Kernel&); // one table
// The same for a kernel whose table is that of another block's.
std::string alike_kernel_section(const Page&, const Kernel&, const Kernel& as);
// Have both kernels the same rows, but for how often they ran?
bool reads_alike(const Page&, const Kernel&, const Kernel&);
std::string counter_section(const Page&);                  // what a profiler counted of whole launches
std::string problem_section(const Page&);                  // failed, unknown, not implemented, warnings
std::string closing_section(const Page&);                  // spills, where to read on
std::string instruction_table(const Page&, const Kernel&); // --details
std::string legend_section(const Page&); // --details: the counters that each column predicts

// Of what a kernel moves, the share that is `excess`.
double waste_of(const Kernel&, u64 excess);
// What a finding's access is in the model.
const Kernel& kernel_of(const Page&, const Finding::Access&);
const Line& line_of(const Page&, const Finding::Access&);
const AccessRow& row_of(const Page&, const Finding::Access&);
// Sectors that other warps read too, and that the L1 serves: they cost little.
bool is_served(const Page&, const Finding&);
// Kernels as people call them, each once: "fb", "mv [block 64]", "mv [6 block sizes]".
std::vector<std::string> names_of(const std::vector<const Kernel*>&);
// A finding's kernels, worst first.
std::vector<std::string> kernel_names(const Page&, const Finding&);
// Its lines: "a.cu:3-5, 9, b.h:4 and 4 more"; with the kernel where the finding has several and the lines are in one of them.
std::string places_text(const Page&, const Finding&, std::size_t most = 4);
// As the report calls a file: Model::files, or what else shows which it is.
std::string file_name(const Page&, const std::string& file);
// "main.cu:11: " for a diagnostic, "" where it has no place: the user's own line where it was found in a library that was
// inlined there.
std::string place_prefix(const Page&, const diag::Diagnostic&);
// "matmul.cu:15"; "main.cu:11 → grid.h:4" where calls were inlined; "function fb" without line information.
std::string place_name(const Page&, const Line&);
std::string source_text(const Line&); // what stands there now; may be empty
// A kernel's own parameters, read by all lanes at once: the compiler wrote that, and no array of the program's is read.
bool is_parameter_read(const AccessRow&);
// Passes through the L1, of the stage that takes more of them.
u64 l1_passes(const arch::Counts&);

// Numbers of counts: rounded, with a "~", where some of them come from a sample.
inline std::string shown(u64 value, bool sampled) { return sampled ? about(value) : human(value); }
inline std::string shown_bytes(u64 value, bool sampled) {
  return sampled ? about_bytes(value) : human_bytes(value);
}

} // namespace warplens::report
