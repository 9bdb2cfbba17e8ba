// A finding: one thing about a program that its author may want to change, as a value. `check` makes them from code alone,
// `run` from what it counted; text, JSON, SARIF, annotations, baselines and thresholds read them, and know of neither.
//
// Everything is already in words or numbers; nothing refers to a module, a run or a report.
#pragma once
#include "access/site.h"
#include "base/diagnostic.h"
#include "base/types.h"
#include "findings/remedy.h"
#include "findings/rule.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::findings {

enum class Severity : u8 { note, warning, error };

// How much is known of it. `proved`: for every launch. `conditional`: for every launch that meets the conditions.
// `measured`: for the launches of a run. `possible`: it cannot be ruled out.
enum class Certainty : u8 { proved, conditional, measured, possible };

// What one warp's request costs on one architecture, from the best case to the worst; of a run, the average is between
// them. Equal where every warp is alike.
struct Cost {
  u32 sm = 0;          // 90
  std::string counter; // as in Counts: "sectors", "wavefronts", "tag_passes", "requests"
  double least = 0, most = 0;
  std::optional<double> average; // of a run, exactly
  double needed = 0;             // what the bytes would need; 0 where that is not defined
  std::optional<double> fixed;   // after the fix, at most; counted by the same rules
  bool reached = false;          // a warp all of whose lanes take part pays `most`, wherever it begins
};

struct Note {
  std::string text; // one sentence, no full stop
  std::optional<access::SourceFrame> place;
};

// Replaces text from one place up to, not including, another; 1-based lines, and columns in bytes.
struct Edit {
  std::string file;
  u32 line = 0, column = 0, end_line = 0, end_column = 0;
  std::string replacement;
};

struct Fix {
  std::string text;        // what to do: one sentence
  std::string example;     // code, may be empty
  std::vector<Edit> edits; // where it is mechanical; else empty
  Remedy remedy{};         // what edits are made from
};

// What an access is to a whole run; nothing where no run was counted.
struct Weight {
  u64 moved_bytes = 0, excess_bytes = 0; // of these, what no lane asked for
  double share = 0;                      // of the cycles that the program's accesses lose
  double saved = 0;                      // of the program's traffic, what the fix saves
  bool sampled = false;                  // the bytes are an estimate, from a sample of the blocks
};

// What the user's baseline, comments and thresholds make of a finding (gates/gates.h); nothing, before they were asked.
struct Standing {
  enum class Baseline : u8 { none, fresh, unchanged, worse };
  Baseline baseline = Baseline::none;
  std::optional<std::string> suppressed; // by a comment in the source: the reason that it gives
  std::string fails;                     // why the command fails with it; empty where it does not
};

struct Finding {
  Rule rule{};
  Severity severity = Severity::warning;
  Certainty certainty = Certainty::proved;
  access::SourceStack place{}; // innermost first, then where it was inlined; empty without line information
  std::string kernel{};        // demangled; the function, where no kernel is known
  std::string array{};         // that is accessed, as the source calls it; empty where unknown
  std::string message{};       // one sentence, no full stop
  std::string threshold{};     // of over-threshold: the condition that it breaks, as the user wrote it
  std::vector<std::string>
      conditions{}; // conditional: all of them; and what is assumed where it is more than that
  std::vector<Note> notes{};
  std::vector<Cost> costs{};
  std::optional<Fix> fix{};
  std::string source{}; // the line at the place, trimmed; empty where it is not known
  std::optional<Weight> weight{};
  Standing standing{};
};

// An access that was judged, whatever came of it: what expectations and thresholds are held to.
struct JudgedAccess {
  access::SourceStack place{};
  std::string kernel{}, array{}, source{};
  std::string what{}; // "load global 4 B"; of a run with its array
  std::vector<Cost> costs{};
  bool is_decided = true; // whether it is fine is known, whatever the launch
};

// Everything that one command found, worst first.
struct List {
  std::vector<Finding> findings;
  std::vector<JudgedAccess> accesses;
  std::optional<Weight> all{}; // of all accesses of a run; the shares are 1
  // Of a run: how often a warp saved registers in local memory or brought them back. Nothing where kernels ran as PTX, which does
  // not tell.
  std::optional<u64> spills{};
  // What was to be judged and was not: a file, which the span names, or a part of a run. Errors: findings that others of this
  // program have may be missing here. Warnings: what is missing is missing every time.
  std::vector<diag::Diagnostic> gaps{};
  u64 files = 0; // that were to be judged; 0 of a run
};

} // namespace warplens::findings
