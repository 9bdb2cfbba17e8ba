// Nsight Compute's own files, .ncu-rep.
//
// The container: "NVR\0"; u32 size and a file header; then blocks until the end: u32 size and a block header, and as many
// bytes as that says, which are modules, results of kernels, and results of other kinds, each u32 size and message. The
// messages are protocol buffers (wire.h), defined in files that come with the product (extras/FileFormat/*.proto). What is
// taken of them:
//   file header   1 version
//   block header  1 modules 2 results 3 session 4 strings {1 string…} 5 bytes that follow 6 process {1 id} 7 8 9 other results
//   session       6 device {2 name 3 attribute {1 name 2 value}…} 8 version {1 of what 2 version}…
//   module        1 id 4 cubin 8 files {1 file {1 path 2 text}…} 9 symbols {1 function {1 name 2 address}…}
//   result        1 thread 5 mangled 7 demangled name 10 grid 11 block {1 x 2 y 3 z} 13 metric… 15 module {1 id} 35 driver
//   metric        1 name, an index of all strings of the file so far 2 value 3 element {1 correlation 2 value}…
//   value         1 string 2 float 3 double 4 u32 5 u64 Of a metric per instruction an element's correlation is the address
//   of the instruction in the GPU's memory. Machine code is loaded when it is first launched, so that a module comes again
//   with the functions that were loaded since.
//
// Checked against reports of version 2025.3.1 (file version 7), all values of which are those that NVIDIA's own reader gives.
#pragma once
#include "measured/measured.h"
#include "os/bytes.h"

namespace warplens::measured {

bool is_ncu_report(os::Bytes);

// `name` is for messages. Errors: measured-malformed (cut off or damaged: with the offset), measured-empty (no kernel in it).
// Of a newer version what is known is read, with a message.
Result<Measured> read_ncu_report(os::Bytes, const std::string& name);

} // namespace warplens::measured
