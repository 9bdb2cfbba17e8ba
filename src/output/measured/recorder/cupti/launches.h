// What the two ways of recording have in common: a launch, as the driver is asked for it.
#pragma once
#include <cuda.h>
#include <cupti.h>
#include <optional>
#include <string>

namespace warplens::recorder {

struct Launch {
  unsigned long long index = 0; // n-th launch of the process
  std::string kernel;           // mangled
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  bool is_graph = false; // a graph of launches, without the members above but for context and stream
};

// The members of a launch as JSON, without the braces.
std::string members(const Launch&);

// A call of the driver that launches a kernel; nothing for other calls.
std::optional<Launch> launch_of(CUpti_CallbackId, const CUpti_CallbackData&);

// Is the stream being captured? Its launches are then those of a graph.
bool is_captured(CUstream);

// A function of the driver, which is loaded wherever this library is: linking it would need it where WarpLens is built.
void* driver_function(const char* name);
// Of the current device, in bytes, other processes' too; 0 where it cannot be asked.
struct Memory {
  std::size_t used = 0, all = 0;
};
Memory memory();
// Waits until the launch has ended, beside captures, too, because nothing else in the context is waited for. False: it failed.
bool wait_for(const Launch&);

} // namespace warplens::recorder
