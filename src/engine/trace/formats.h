// The readers of each format; open.cpp picks one by the first line.
#pragma once
#include "access/impossible.h"
#include "trace/lines.h"
#include "trace/trace.h"

namespace warplens::trace {

std::unique_ptr<Reader> read_patterns(std::unique_ptr<Lines>);  // JSON lines
std::unique_ptr<Reader> read_mem_trace(std::unique_ptr<Lines>); // NVBit mem_trace
std::unique_ptr<Reader> read_traceg(std::unique_ptr<Lines>);    // Accel-Sim

} // namespace warplens::trace
