// What the user's configuration, comments, baseline and thresholds make of a list of findings: which are left out, how grave
// each is, and whether the command fails. The same for findings of a run and of a check.
#pragma once
#include "gates/baseline.h"
#include "gates/comments.h"
#include "gates/config.h"

namespace warplens::gates {

struct Settings {
  std::vector<Condition>
      fail_on; // empty: with a baseline what is new or worse and at least a warning, else nothing
  std::map<findings::Rule, Level> levels;    // by rule
  std::vector<std::string> include, exclude; // patterns of paths, from `folder`
  std::string folder, here;                  // absolute; `here`: what the findings' paths are relative to
  double least_excess = 0;                   // of what an access moves; 0…1
  std::optional<Baseline> baseline;
  bool accepts = false; // what is found is going to be the baseline: only comments fail
};

struct Outcome {
  u64 failing = 0;         // findings
  std::vector<Known> gone; // in the baseline, and not found
  u64 left_out = 0;        // in the baseline, found, and left out: a rule that is off, a path, little excess
  std::vector<std::string> waived; // limits that known findings break, with how many
  std::vector<std::string>
      undecided; // limits that some accesses may break, with one of these: what nothing fails for
};

// Changes the list: findings go, come (those of thresholds and comments), get their severity and their Standing; what is
// graver comes first, and else the order stays. Findings that fail say why.
Outcome apply(findings::List&, const Settings&, const std::vector<Comments>&);

// Is the file one that the settings are about?
bool covers(const Settings&, const std::string& file);

} // namespace warplens::gates
