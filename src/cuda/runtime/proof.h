// Counting a launch by proof instead of running it: --proofs.
#pragma once
#include "measure/record.h"
#include "runtime/state.h"

namespace warplens::runtime {

// Whether a launch is to be counted so, if it can be.
bool is_worth_a_proof(const Options&, const Kernel&, const sim::LaunchSpec&);

// An earlier launch that the launch repeats has its counts: nothing runs. False where there is none.
bool count_by_repeating(Runtime&, const Kernel&, const sim::LaunchSpec&, measure::LaunchRecord&);

// A few blocks stand for all: they run, and the launch is put off. Otherwise the reason why not, and nothing has happened. What failed
// is not tried again for a launch that is like it, nor, after some launches, for any of the kernel, but with --proofs=always.
std::string count_by_folding(Runtime&, Kernel&, const sim::LaunchSpec&, const sim::LaunchOptions&,
                             measure::LaunchRecord&);

// What the kernel knows of its sites: which it may reach, whose results it uses, and which add 1.
void settle_sites(std::vector<measure::SiteRecord>&, const Kernel&);

} // namespace warplens::runtime
