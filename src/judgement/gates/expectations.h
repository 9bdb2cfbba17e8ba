// Comments of one file against what was found: suppressions and expectations.
#pragma once
#include "gates/comments.h"

namespace warplens::gates {

// Findings that a comment ignores get its reason. What does not hold becomes a finding: an expectation that an access does
// not meet, or is not known to meet, a suppression without a finding, a comment whose line has no access, and one that
// cannot be read.
// `hidden`: findings that the user does not want to see, and that may be ignored all the same.
void hold_to_comments(findings::List&, const std::vector<findings::Finding>& hidden, const Comments&);

} // namespace warplens::gates
