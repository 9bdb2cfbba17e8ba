// The report as a value: what every writer (terminal, details, JSON) renders, so that they cannot disagree.
//
// build() groups the launches of one kernel with one block shape, adds up their sites, merges PTX
// instructions that the user sees as one access (same place, opcode, space and pattern: an unrolled loop),
// asks advise/ what to change, and puts the worst first. Worst means most cycles beyond what the lanes needed
// (measure::excess_cycles), which compares spaces; ties are decided by bytes and place, so that the same records
// give the same report, to the byte. Launches that are partial, failed, unknown or refused are groups of their
// own: partial counts never mix with exact ones.
//
// What is said of the program as a whole, its totals, its lines and its findings, is of the kernels that were counted, as far as
// they were: partial ones, too.
#pragma once
#include "advise/advise.h"
#include "measure/ledger.h"
#include "measure/record.h"
#include "measure/wire.h"
#include "source/places.h"
#include "summary/array_names.h"
#include "summary/launches.h"
#include "summary/limit.h"
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace warplens::summary {

// What ptxas did with a kernel; only known where the CUDA toolkit is.
struct LocalUse {
  u64 stack_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0; // per thread
};

// How the program ended, as far as the report must say it.
struct Outcome {
  int exit_code = 0;
  int signal = 0; // 0: it ended by itself
  measure::Stop stopped = measure::Stop::no;
  double seconds = 0, launch_seconds = 0; // that it ran; of these, in launches, over all its processes
  bool was_stopped() const { return stopped != measure::Stop::no; }
};

// What the program did and this report does not hold; a message says why.
struct Missing {
  u64 launches = 0;  // their records did not arrive
  u64 events = 0;    // whatever the program had to tell that did not arrive, launches included
  u64 processes = 0; // of the program, that still ran: what they launch from then on
};

// Where numbers come from that a GPU counted (src/measured). Empty where the file does not say.
struct Measurement {
  std::string tool, gpu, driver; // "Nsight Compute 2025.3.1", "NVIDIA H200", "580.159.04"
  std::vector<std::string> files;
  std::vector<std::string> lacks; // counts that nothing was measured of: "tags"
  bool operator==(const Measurement&) const = default;
};
std::string
text_of(const Measurement&); // "measured by Nsight Compute 2025.3.1 on NVIDIA H200, driver 580.159.04"

// The ranks of a job whose launches these are, with the processes of each; none where no launcher started the program.
struct Ranks {
  u32 of = 0; // that the job had
  std::map<u32, std::set<i64>> processes;
  std::string job{}; // tells jobs apart; empty: several, or not known
};

struct Input {
  std::optional<Measurement> measured; // nothing: WarpLens counted
  std::vector<std::string> command;
  std::vector<u32> sm;                             // as asked for, first = the device
  std::vector<Launch> launches;                    // no two alike; in the order of the first of each
  std::vector<measure::LaunchStarted> interrupted; // started, never ended
  std::vector<std::string> never_launched;         // kernels that the program could have launched
  std::vector<measure::Unsupported> unsupported;
  std::vector<diag::Diagnostic> messages;
  std::map<std::string, LocalUse> local_use; // by mangled kernel name
  Outcome outcome;
  Missing missing;
  u64 left_out = 0; // launches that ran without being counted, because --launches or the like said so
  std::map<std::string, u64> left_out_of; // by demangled name, unless they were read from a saved run
  Ranks ranks;
};

struct Options {
  std::string kernel_filter; // regular expression (RE2's syntax), searched in the demangled name; empty: all
  std::string root{};        // files below this folder are called by their path from there
  // Was that source file changed after the program was built? Then its lines may not be those that ran.
  std::function<bool(const std::string& file)> changed{};
};

// What an access costs per request (shared, constant: per instruction) under the first architecture, and what it
// would cost if its lanes lay side by side.
struct Cost {
  double actual = 0, ideal = 0;
  std::string_view
      unit{}; // "sectors", "wavefronts", "requests"; "bytes" where transactions have several sizes
};

// What a piece of advice does to its metric under one architecture.
struct Effect {
  u64 before = 0, after = 0;
  bool operator==(const Effect&) const = default;
};

// One access as the user sees it: the record of one site, or the sum of those that are one to a reader, with the first's site.
struct AccessRow : measure::SiteRecord {
  u32 sites = 1;                           // PTX instructions merged
  u64 excess_bytes = 0, excess_cycles = 0; // under the first architecture
  u64 cycles = 0;                          // likewise, excess and need
  double efficiency = 1;
  double from_l2 = 1; // of its sectors, the share that comes from there (measure/reuse.h)
  Cost cost{};
  double share = 0;                            // of the kernel's excess cycles
  bool is_rare() const { return spread >= 1; } // a sample met it too seldom to judge it
  std::vector<advise::Advice> advice;          // largest gain first
  // [advice][architecture], the first one's too: what it does there. None where the same rule has nothing to say under that
  // architecture, or where the classes' examples do not add up to what was counted for it.
  std::vector<std::vector<std::optional<Effect>>> effects;
  u64 wait_cycles = 0; // advise::Advice: of atomics that wait for one another
};

// How many parts of a whole (ranks of a job, devices of a program) did something, and who moved least and most. 0: it is not
// told apart.
struct Parts {
  struct Share {
    u32 part = 0;
    u64 bytes = 0; // measure::bytes_moved
    bool operator==(const Share&) const = default;
  };
  u32 count = 0, of = 0;
  Share least, most;
  bool operator==(const Parts&) const = default;
};

struct Line {
  access::SourceFrame
      place; // the innermost frame in the user's own files; file empty without line information
  std::vector<access::SourceFrame> calls; // that were inlined on the way there, outermost first
  std::string function;                   // without line information: the PTX function, as people call it
  std::string text;                       // the source line, trimmed; empty when the file was not found
  bool changed = false;                   // the file is newer than the program: see Options
  std::vector<AccessRow> rows;            // worst first
  u64 excess_bytes = 0, excess_cycles = 0;
  double share = 0;
  Parts ranks, devices; // summary/parts.h
};

// What a kernel's time goes into, as far as that can be told without a GPU.
enum class Limiter : u8 {
  none,       // it does hardly anything: starting it takes longer
  memory,     // its accesses: moving less saves time
  arithmetic, // issuing its instructions: moving less may save nothing
  unclear     // waiting for loads, or several of these, take about as long
};
struct Reason {
  std::string text;
  u64 launches = 0;
};

struct Kernel {
  std::string mangled, name, module;
  std::vector<std::string>
      called_from;          // of a library's kernel: the program's calls that it is behind, "main.cu:12"
  std::string range;        // the NVTX ranges of its launches, "epoch/forward"
  std::string short_name;   // as people say it, told apart from other kernels' by what differs
  std::string label;        // the same, and its own among the report's: with the block where that differs
  measure::Status status{}; // of all its launches
  std::vector<u32> sm;
  Dim3 block;
  std::vector<std::pair<Dim3, u64>> grids; // and how many launches used it, in order of appearance
  u64 launches = 0;
  u64 first_launch = 0;   // index in its process
  std::vector<u32> alike; // Model::input.launches[] that it is the sum of, in their order
  measure::Blocks blocks; // sampled, partial: of all its launches
  double spread =
      0; // of what it moves: measure::SiteRecord, added up as if all were off in the same direction
  std::vector<Reason>
      reasons; // sampled, partial, failed, unknown, refused: why; proved: what stands for what, or why not
  u64 shared_bytes = 0, local_bytes = 0;
  std::vector<access::LocalArray> local_arrays;
  bool is_machine_code = false;      // not PTX: its spilled registers are counted, too
  u32 registers = 0;                 // measure::LaunchContent
  std::vector<arch::Counts> spilled; // of `totals`; per architecture, or empty
  std::optional<LocalUse> local_use;
  std::vector<Line> lines; // worst first; only accesses that ran
  std::vector<AccessRow> never_executed;
  std::map<access::Space, std::vector<arch::Counts>> totals; // per architecture
  u64 excess_bytes = 0, moved_bytes = 0, excess_cycles = 0;  // under the first architecture, of all spaces
  u64 cycles = 0;                                            // of all its accesses, excess and need
  double share = 0;                                          // of the program's excess cycles
  Parts ranks, devices;                                      // summary/parts.h
  u32 timing_dependent =
      0; // PTX instructions of `lines` that are in no sum: they may be counted otherwise next time
  u64 warp_instructions = 0;
  Limit limit;                         // under the first architecture
  Limiter limiter = Limiter::unclear;  // likewise
  bool measured = false;               // by a GPU, not counted by WarpLens
  std::optional<double> measured_time; // seconds, of all its launches, where the GPU told of each
};

// Rows with one cause: what its advice says, and the pattern, are the same; or they go to one array of one kernel.
struct Finding {
  struct Access {
    u32 kernel = 0, line = 0, row = 0; // Model::kernels[].lines[].rows[]
  };
  std::vector<Access> accesses;       // worst first
  std::optional<findings::Rule> rule; // of the advice that they share, where there is one
  u64 excess_bytes = 0, excess_cycles = 0;
  u64 wait_cycles = 0; // of its rows; where it is more than excess_cycles, it decides the place in the order
  double share = 0;    // of the excess cycles of all findings
  arch::Counts counts{}; // of all, under the first architecture
  Cost cost{};           // likewise, per request
  // What the advice of the worst access changes, over all its accesses; others stay. What accesses beside it lose is subtracted.
  struct Prediction {
    advise::Metric metric{};
    u64 before = 0, after = 0;
    u64 saved_bytes = 0; // of what warps move; 0 in shared and constant memory
  };
  std::optional<Prediction> predicted;
};

// A source line over all kernels and architectures' first: templates and inlined functions are in several.
struct ProgramLine {
  std::vector<std::pair<u32, u32>> lines; // Model::kernels[].lines[], worst first
  u64 excess_bytes = 0, excess_cycles = 0;
  double share = 0; // of the program's excess cycles
};

struct Warning {
  diag::Diagnostic diagnostic;
  std::string source; // the line at its span
  u64 times = 1;
};

struct Model {
  Input input;          // launches that the filter left: what the JSON lists
  u64 filtered_out = 0; // launches
  // Every launch of the program was counted exactly or by proof, and nothing is missing, but for those that were not to
  // be counted (Input::left_out). Launches that the filter left out count as well; where all were left out, there is
  // nothing that this could be said of.
  bool complete = false;
  std::vector<Kernel> kernels; // worst first; those that were not counted after those that were
  std::map<access::Space, std::vector<arch::Counts>> totals; // per architecture
  u64 excess_bytes = 0, moved_bytes = 0, excess_cycles = 0;  // under the first architecture, of all spaces
  u64 cycles = 0;                                            // likewise, of all kernels
  std::vector<Finding> findings;                             // worst first; after them those that L1 serves
  std::vector<ProgramLine> lines;                            // those with excess, worst first
  std::map<std::string, std::string> files; // as the compiler names them → as a reader wants them
  bool lines_known =
      true; // false: no access of any kernel has a source line, as of programs without -lineinfo
  std::vector<Warning> warnings;                        // diagnostics of launches and messages, each once
  std::vector<std::pair<std::string, u64>> unsupported; // function, calls
};

// Is a kernel's total an estimate, and so the program's?
bool has_sampled(const Model&);
// "412 of 1000 blocks": how far sampled and partial launches were counted.
std::string blocks_of(const Kernel&);

// What --strict asks: every launch counted, none missing, no message that is an error, and nothing that --check found against the
// program.
bool passes_strict(const Model&);

// Fails on a filter that is no regular expression.
Result<void> check_kernel_filter(const std::string&);
// Fails only on a malformed filter. One that matches nothing is said in a message.
Result<Model> build(Input, const SourceLines&, const Options&);

} // namespace warplens::summary
