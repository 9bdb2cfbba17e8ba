// Counters of whole launches: CUPTI's range profiler, one range for each kernel. What does not fit into one pass is had by
// running the kernel again on saved memory; the wanted counters are few, so that few passes do.
#pragma once
#include "measured/recorder/cupti/launches.h"

namespace warplens::recorder::counters {

void begin(const Launch&);
void end(const Launch&);
void finish();

} // namespace warplens::recorder::counters
