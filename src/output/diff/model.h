// Two runs held against each other, as a value: what every writer of `diff` renders, so that they cannot disagree.
//
// Kernels are matched by name, lines by their text in the order of the source (text/lines.h), accesses of a line by space,
// operation and array. Accesses are compared by their cycles at the busiest stage of an SM (measure::StageCycles), which lets
// spaces be added up, and by what they move where that is the same. A kernel is compared by what it keeps the busiest SM busy
// with: the same accesses take less where more SMs share them. Counts are exact, so that any difference is one; those of a
// sample differ where the difference is more than both spreads.
// Where a kernel was launched another number of times, one launch is compared with one, on average. What depends on timing
// is left out, and kernels that were not counted to their end are not compared.
//
// Findings of two baselines (gates/baseline.h) are the same kind of model without cycles: they know averages per request.
#pragma once
#include "gates/baseline.h"
#include "summary/model.h"

namespace warplens::diff {

enum class Change : u8 { worse, better, added, removed, same };
std::string_view name(Change);

// Under the architecture of the comparison. Of all launches, or of one where Kernel::per_launch says so.
struct Cost {
  double cycles = 0, excess_cycles = 0; // of one SM, were it to do all
  double moved_bytes = 0, excess_bytes = 0;
  double spread = 0; // of a sample: in 95 of 100 cases the cycles are no farther off than this
  Cost& operator+=(const Cost&);
  double waste() const; // of the bytes that moved, the share that no lane needed
};

// Accesses of one line to one array.
struct ComparedAccess {
  struct Side {
    std::string what;           // "load global 4 B"; of a baseline the rule
    std::string array, pattern; // of the worst; empty where unknown
    std::string unit;           // "sectors"
    double each = 0, ideal = 0; // per request (shared, constant: per instruction)
    u64 requests = 0;           // so many of them; a baseline does not say
    Cost cost;
  };
  access::Space space{}; // a baseline does not say
  std::optional<Side> before, after;
  Change change{};
};

struct LinePlace {
  std::string file; // as people call it; empty without line information
  u32 line = 0;
  std::string text;               // of the line, trimmed; empty where it is not known
  std::string function;           // without line information
  std::vector<std::string> calls; // that were inlined on the way, outermost first: "main.cu:11"
};

struct Line {
  std::optional<LinePlace> before, after;
  bool edited = false; // its text is another
  Cost old_cost, new_cost;
  Change change{};
  std::vector<ComparedAccess> accesses; // what changed most first
};

// What decides: the cycles that keep the busiest SM busy, where they are known of both sides; else those of one SM that does all.
struct Cycles {
  double before = 0, after = 0;
  double spread = 0; // of both together: Cost::spread
  bool of_busiest = false;
};

struct Kernel {
  struct Side {
    std::string label, name; // short, demangled
    Dim3 block{};
    std::vector<std::pair<Dim3, u64>> grids; // and how many launches used it
    u64 launches = 0;
    Cost cost;
    std::string_view stage; // that its accesses keep busiest (summary/limit.h); empty: not known
    double busiest = 0;     // cycles of it
    bool too_short = false; // its launches take longer to start
  };
  std::optional<Side> before, after;
  bool renamed = false;    // matched by what its lines are
  bool asked = false;      // matched by the user (--match)
  bool per_launch = false; // costs are averages of a launch
  Cycles cycles;
  Change change{};
  std::vector<Line> lines; // what changed most first
};

// What moved in one space, and what of it for nothing, in the unit that people know.
struct Traffic {
  access::Space space{};
  std::string_view unit; // "bytes", "wavefronts", "requests"
  u64 moved = 0, excess = 0;
};

struct Side {
  std::string name; // the file, or the command
  std::vector<u32> sm;
  bool complete = true;
  u64 launches = 0;
  Cost cost; // of all launches that were compared
  std::vector<Traffic> traffic;
};

struct Model {
  bool counted = true; // false: of baselines, which have no cycles
  u32 sm = 0;          // the architecture of the comparison
  Side before, after;
  Cycles
      cycles; // of the whole; of kernels that the sides launch another number of times, as often as the second does
  Change change{};                   // of the whole
  std::vector<Kernel> kernels;       // worse, better, added, removed, same; of each what changed most first
  std::vector<std::string> warnings; // what makes the comparison doubtful, as sentences without a full stop
  std::vector<std::string> notes;    // what it leaves out
};

// Which architecture: the one asked for (0: the first that both have). Fails where they have none in common.
Result<u32> common_architecture(const std::vector<u32>& before, const std::vector<u32>& after, u32 asked);

// One side of a comparison.
struct Run {
  std::string name;
  const summary::Model& model;
};
// A kernel of the first run, and what the second one calls it.
using Match = std::pair<std::string, std::string>;
// Errors: diff-architecture; diff-match, of a kernel that its side has not.
Result<Model> compare(const Run& before, const Run& after, u32 sm = 0,
                      const std::vector<Match>& matches = {});

struct Findings {
  std::string name;
  const gates::Baseline& baseline;
};
Result<Model> compare(const Findings& before, const Findings& after, u32 sm = 0);

// `cycles` first, bytes where these are the same.
Change change_of(const Cost& before, const Cost& after);
// Of a kernel or of the whole. Where the busiest stages have as much to do nothing is better or worse, whatever the others do.
Change change_of(const Cycles&, const Cost& before, const Cost& after);
// By how much, from -1; of what was not there before, infinity.
double growth(double before, double after);

} // namespace warplens::diff
