// Counts per machine instruction: CUPTI's SASS metrics. CUPTI patches the code of each kernel that is launched, so that it
// counts while it runs, once, without replay. The machine code itself goes into the recording too: from it the reader tells
// what an instruction does and which lines it comes from.
//
// CUPTI 12.8 and 12.9 count every launch. 13.0 patches the first function that is launched and no other, and nothing of it after its
// counts were read, so that one launch is counted in the life of a process (H200, driver 580.159.04, November 2026; neither another
// granularity, eager loading or patching, nor ending and beginning anew changes that, and a second configuration fails). A launch
// that was not counted has no rows, which is how the reader knows it.
#pragma once
#include "measured/recorder/cupti/launches.h"

namespace warplens::recorder::instructions {

void keep_module(const CUpti_ModuleResourceData&);
void begin(const Launch&);
void end(const Launch&);
void leave_out(const Launch&); // has run and is not counted: its counts are no part of the next one's
// Between them, nothing is patched. CUPTI would do so when a function is launched for the first time, and a capture would be lost.
void pause();
void resume();
void finish(); // after the last launch, or at the end of the process

} // namespace warplens::recorder::instructions
