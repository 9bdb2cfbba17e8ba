// A driver and a CUPTI without a GPU, in one library that has the driver's name, for tests of what the recorder does in which order.
// They know what the real ones do that made a recorder go wrong (CUPTI 12.9, H200): to patch a function that is launched for the first time,
// and to read counts, CUPTI waits for its context, and whoever waits for a context loses every capture that is under way in it; counts add up
// until they are read; a second configuration fails. A kernel of n blocks counts n.
#pragma once
#include <cuda.h>

namespace fake {

inline CUcontext context(long n) { return reinterpret_cast<CUcontext>(0x1000 + n); }
inline CUstream stream(long n) { return reinterpret_cast<CUstream>(0x2000 + n); }

// Calls of the program. A launch is refused where it has no block, and is part of the graph where the stream is captured.
CUresult launch(CUcontext, CUstream, const char* kernel, unsigned blocks);
CUresult launch_graph(CUcontext, CUstream, const char* kernel, unsigned blocks);
CUresult begin_capture(CUcontext, CUstream);
// `by_another`: a thread that may not end it, so that it goes on. An error, too, where the capture was lost.
CUresult end_capture(CUcontext, CUstream, bool by_another = false);
void destroy(CUcontext, CUstream);

} // namespace fake
