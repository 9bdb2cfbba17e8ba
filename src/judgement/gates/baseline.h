// Findings that are known: a file that is kept with the source, so that only new ones fail, and those that became worse.
//
// Which finding is which, partners.h says.
#pragma once
#include "base/diagnostic.h"
#include "findings/finding.h"

namespace warplens::gates {

struct Known {
  std::string rule, file, source, kernel; // source: the line, trimmed; may be empty
  u32 line = 0;
  struct Value {
    u32 sm = 0;
    std::string counter;
    double value = 0; // on average, or at most
  };
  std::vector<Value> values{};
  std::string function{}, array{}; // that the line is of, and goes to; empty where unknown, as in older files
};

struct Baseline {
  std::vector<Known> findings;
  std::optional<bool>
      of_run{}; // written by a command that runs the program, or by one that judges its code; older files do not say
};

// JSON, as write_baseline makes it, or as `--findings` and `check --json` do, of which suppressed findings are left out.
// Errors: bad-baseline, with the line where the text is no JSON.
Result<Baseline> read_baseline(std::string_view text, const std::string& file);
// Of all that are not suppressed, and not those about comments.
std::string write_baseline(const findings::List&, std::string_view version);

// Says of each finding how it stands. Returns what is in the baseline and no more found, e.g. because it was mended.
std::vector<Known> compare(findings::List&, const Baseline&);

} // namespace warplens::gates
