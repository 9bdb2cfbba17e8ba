// Every verdict as JSON: docs/schema/verdicts-1.schema.json.
#pragma once
#include "check/check.h"
#include "findings/finding.h"

namespace warplens::check {

// `name_of`: what a file is called. One after the other, in the order of the judgements. `list`: what was not judged.
std::string verdicts_json(const std::vector<Judgement>&, const findings::List& list,
                          const std::vector<const arch::Architecture*>&,
                          const std::function<std::string(const std::string&)>& name_of,
                          std::string_view version);

} // namespace warplens::check
