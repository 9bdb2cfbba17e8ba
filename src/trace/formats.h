// The readers of each format; open.cpp picks one by the first line.
#pragma once
#include "trace/lines.h"
#include "trace/trace.h"

namespace warplens::trace {

std::unique_ptr<Reader> read_patterns(std::unique_ptr<Lines>);  // JSON lines
std::unique_ptr<Reader> read_mem_trace(std::unique_ptr<Lines>); // NVBit mem_trace
std::unique_ptr<Reader> read_traceg(std::unique_ptr<Lines>);    // Accel-Sim

// What is wrong with an access that no GPU could perform, whatever the format: a width or a combination that
// does not exist, an address whose bytes pass 2^64. Empty when nothing is.
std::string impossible(const access::WarpAccess&);

} // namespace warplens::trace
