// The findings of `run` and `report`: made of the report, held to the gates, written.
#pragma once
#include "driver/findings/fixing.h"
#include "driver/findings/gates.h"
#include "source/source.h"
#include "summary/model.h"

namespace warplens::driver {

struct HeldRun {
  u64 failing = 0;      // findings
  bool answered = true; // Gates::Held
  Patch fixes;          // of the source, where --fix or --verify-fix asks for them
};
Result<HeldRun> hold_run(const Gates&, const summary::Model&, source::SourceFiles&, const RunOptions&,
                         const Outputs&, const RunOutput&);

} // namespace warplens::driver
