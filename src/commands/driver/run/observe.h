// The user's program, run and seen: what it was prepared with, how it ended, and the model of what its kernels did.
#pragma once
#include "driver/findings/run_findings.h"
#include "driver/program/prepare.h"
#include "driver/program/ranks.h"
#include "os/foreground.h"
#include "source/source.h"

namespace warplens::driver {

// A program that has run, and what it did.
struct Observed {
  Gates gates;
  Prepared prepared;
  os::ForegroundEnd end;
  source::SourceFiles sources;
  summary::Model model;
};

// Prepares the program, runs it to its end and builds the model. Completes the options by what the folder's .warplens.toml says.
// `ranks`: of its job, if it has several. Errors: whatever keeps the program from starting.
Result<Observed> observe(RunOptions&, const Job&, const RankReports* ranks, const RunOutput&);

} // namespace warplens::driver
