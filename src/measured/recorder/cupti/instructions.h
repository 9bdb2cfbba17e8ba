// Counts per machine instruction: CUPTI's SASS metrics. CUPTI patches the code of each kernel that is launched, so that it
// counts while it runs, once, without replay. The machine code itself goes into the recording too: from it the reader tells
// what an instruction does and which lines it comes from.
#pragma once
#include "measured/recorder/cupti/launches.h"

namespace warplens::recorder::instructions {

void keep_module(const CUpti_ModuleResourceData&);
void begin(const Launch&);
void end(const Launch&);
void finish(); // after the launch, or at the end of the process

} // namespace warplens::recorder::instructions
