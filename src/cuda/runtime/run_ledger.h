// The ledger of the run that this process belongs to.
#pragma once
#include "measure/unseen.h"
#include <string>

namespace warplens::runtime {

// The one with that name, which is shared memory; null where it cannot be opened. Once opened it stays: the process may give up the
// rights that opening takes. So it is first asked for when the library is loaded.
measure::SharedLedger* run_ledger(const std::string& name);

} // namespace warplens::runtime
