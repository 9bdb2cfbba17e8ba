// The report of a run as findings: one for each place in the source whose accesses cost more than they need, over all
// kernels that came there, with exact counts; and what went wrong in the run as far as gates must know of it.
//
// Left out are accesses that depend on timing, which the next run may count otherwise.
#pragma once
#include "findings/finding.h"
#include "summary/model.h"
#include <functional>

namespace warplens::summary {

// What findings call a file that the compiler named: by its path from the working directory where it lies below, else
// absolute, so that others find it again.
using NameOfFile = std::function<std::string(const std::string& file)>;

// Worst first: by the cycles that are lost, or waited. Columns, conditions and edits are not filled in beyond what line
// information has; severities are those of the rules.
findings::List findings_of(const Model&, const NameOfFile&);

} // namespace warplens::summary
