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

// "load of 4 bytes from A"
std::string described(const Judgement&);
// What a warp of it costs on an architecture: "4 sectors", "4 to 5 sectors".
std::string cost_text(const Judgement&, std::size_t architecture = 0);
// All that is counted: "4 to 5 sectors, 1 to 2 tags, 1 request"; of shared memory the wavefronts.
std::string counts_text(const Judgement&, std::size_t architecture);

} // namespace warplens::check
