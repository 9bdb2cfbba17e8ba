// What the rules would have done, for those whose change edits of the source can make.
#pragma once
#include "advise/rules/rules.h"
#include "findings/remedy.h"

namespace warplens::advise::rules {

findings::Remedy remedy_of_stride(const Subject&);
findings::Remedy remedy_of_conflict(const Subject&);

} // namespace warplens::advise::rules
