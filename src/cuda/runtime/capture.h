// Streams that are captured: what the program puts on them becomes nodes of a graph instead of running.
//
// A capture begins at one stream. Another one joins it by waiting for an event that was recorded in it, and its work has to
// be waited for again before the capture ends. For each stream the nodes are kept that its next one will depend on. An
// event that is recorded in a captured stream stands for such nodes, and never happens.
//
// What a captured stream cannot do (be waited for by the host, for instance) returns an error as CUDA's does, and the
// capture is invalid from then on: everything but its end fails.
//
// All of this is used with the runtime's lock held. While nothing is captured, every question here is one look at an empty
// map.
#pragma once
#include "runtime/work.h"

namespace warplens::runtime {

bool is_captured(cudaStream_t);

// Makes a node of the work, after what the stream has. cudaErrorStreamCaptureInvalidated where the capture is not valid.
cudaError_t capture(cudaStream_t, Work);
cudaError_t capture(cudaStream_t, Made);

// What stands in the way of using the stream for something that cannot be captured, or of waiting for it: it is captured,
// or the legacy default stream while a stream is captured that waits for it. Makes the captures concerned invalid.
cudaError_t capture_obstacle(cudaStream_t);
// The same for waiting for the whole device, and for an event.
cudaError_t capture_obstacle_of_device();
cudaError_t capture_obstacle_of_event(cudaEvent_t);

// Events: recorded in a captured stream; waited for by a stream where either of them is captured. `external`: as a node,
// for the host or other streams to see.
bool is_captured(cudaEvent_t);
cudaError_t capture_record(cudaEvent_t, cudaStream_t, bool external);
cudaError_t capture_wait(cudaStream_t, cudaEvent_t, bool external);
void forget_capture(cudaEvent_t);  // it is recorded elsewhere, or destroyed
void forget_capture(cudaStream_t); // it is destroyed: its capture is invalid

} // namespace warplens::runtime
