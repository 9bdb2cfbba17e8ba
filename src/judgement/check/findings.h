// Judgements as findings: one for each place and cause, however often a loop was unrolled or a template instantiated.
#pragma once
#include "check/check.h"
#include "findings/finding.h"
#include <span>

namespace warplens::check {

// Worst first. Every judged access is in List::accesses.
findings::List findings_of(const std::vector<Judgement>&, const std::vector<const arch::Architecture*>&);

// The rules that findings may have.
std::span<const findings::Rule> rules();

// Is an access a library's own: of an algorithm that the program calls, or of how threads wait for one another in it?
bool is_of_library(const access::Site&);

} // namespace warplens::check
