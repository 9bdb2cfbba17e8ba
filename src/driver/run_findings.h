// The findings of `run` and `report`: made of the report, held to the gates, written.
#pragma once
#include "driver/gates.h"
#include "report/model.h"
#include "report/source.h"

namespace warplens::driver {

// Returns how many findings fail.
Result<u64> hold_run(const Gates&, const report::Model&, report::SourceFiles&, const RunOptions&,
                     const Outputs&, const RunOutput&);

} // namespace warplens::driver
