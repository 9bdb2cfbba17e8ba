// What commands do with findings: the gates that they must pass, and the forms they are written in.
#pragma once
#include "driver/options/check.h"
#include "findings/writers.h"
#include "gates/gates.h"
#include <set>
#include <span>

namespace warplens::driver {

class Outputs;

// The source that findings are about, by the names that they have for its files.
struct FindingSources {
  findings::SourceText text;
  std::set<std::string> changed{}; // whose lines are not those that were judged
  std::span<const findings::Rule>
      rules{}; // that the command looks for; empty: all. Others are ignored in vain
  // Where not all of a program was judged: the files that were, beside those that accesses come from. What a baseline has of
  // others that are still there is left alone.
  std::optional<std::set<std::string>> judged{};
  bool is_filtered = false; // kernels or launches were left out: of what is not found, nothing is known
};

// The file that the options name, else the nearest .warplens.toml; where there is none, nothing is asked. Errors: of reading
// it.
Result<gates::Config> configuration(const GateOptions&);

// What findings call a file: its path from the working directory where it lies below, else as it is.
std::string from_here(const std::string& file);

class Gates {
public:
  // Reads the configuration and the baseline. Errors: bad-config, bad-baseline and what else is wrong before anything ran.
  static Result<Gates> prepare(const GateOptions&);

  // What the configuration says and the command line did not. Errors: compiler's options that are no words.
  Result<void> complete(RunOptions&) const;
  Result<void> complete(CheckOptions&) const;
  // What fails where nobody said so and there is no baseline.
  void fail_by_default(std::string_view condition);

  // Is the file one that the configuration is about ([paths])?
  bool covers(const std::string& file) const { return gates::covers(settings_, from_here(file)); }
  // Is there a condition or a baseline? Else only comments fail.
  bool asks() const { return !settings_.fail_on.empty() || settings_.baseline.has_value(); }

  struct Held {
    u64 failing = 0;
    bool answered = true; // false: what the gates ask cannot be known, as the list is not conclusive
    std::string said;     // for the terminal, after the findings; may be empty
  };
  // Reads the comments of the files that accesses come from, and holds the list to everything (gates::apply).
  Held hold(findings::List&, const FindingSources&) const;

private:
  template <class Options> Result<void> complete_compiling(Options&) const;
  std::string closing(const findings::List&, const gates::Outcome&) const;
  gates::Settings settings_;
  gates::Config config_;
  std::string write_baseline_; // file; empty: none
};

// The text that a diagnostic about the configuration is about, to be shown with it; else empty.
std::string configuration_at(const diag::Diagnostic&);

// Into the files that the options name; no baseline of a list that is not conclusive.
Result<void> write_findings(const findings::List&, const findings::SourceText&, const GateOptions&,
                            std::string_view version, const Outputs&, const RunOutput&);

} // namespace warplens::driver
