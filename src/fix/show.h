// What only the source shows of a finding, as notes with their places: where the array is declared, which member of which
// structure is meant, which of the indices follows threadIdx.x, and where else the array is indexed.
#pragma once
#include "findings/finding.h"
#include "fix/remedies.h"

namespace warplens::fix {

void show(const Place&, const access::SourceFrame& at, findings::Finding&);

} // namespace warplens::fix
