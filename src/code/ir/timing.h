// Which accesses depend on timing: how often they run, or where, follows from which thread came first, so that two runs of
// one program on one GPU count differently. Found in the text of the functions, not in a run.
//
//   spin    in a loop that goes on until another thread has written something (or until a clock says so)
//   retry   in a loop around a compare-and-swap, which goes round as often as others come between; and atomics on shared
//           memory that the assembler makes such a loop of: floats, and 64-bit integers but for cas and exch
//           (tests/hardware/HARDWARE.md)
//   race    the address, a condition or a loop's end follows from what an atomic returned: the place that atomicAdd(&n, 1)
//           gave, the next item of a work queue, who set a flag first
//
// What is left out, so that ordinary kernels stay exact: atomics whose result nobody reads; `ticket == constant`, since one
// thread gets each value of a counter whoever it is (the last block of a reduction); what travels through memory; values
// that differ only by the way that was taken (`if (won) x = 1; … x …`). So an access without a label may still depend on
// timing in programs that exchange such values through memory.
#pragma once
#include "ir/module.h"
#include <span>
#include <unordered_map>

namespace warplens::ir {

// Whether a load reads, at each execution anew, what other threads may have written.
bool polls(const Form&);

// The accesses of these functions that depend on timing; the functions call none but each other and declared ones.
std::unordered_map<SiteId, access::Timing> timing_dependence(const Module&, std::span<const FunctionId>);

} // namespace warplens::ir
