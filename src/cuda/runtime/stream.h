// What other parts of the API ask about streams.
#pragma once
#include "runtime/capture.h"
#include "runtime/state.h"

namespace warplens::runtime {

// One of the default streams, or one that was created and not destroyed. With the runtime's lock held.
bool stream_exists(cudaStream_t);
bool is_default(cudaStream_t); // one of the two that every program has
// Of one that exists: whose work is put on it, whichever device is current (as a driver does it, 580.159.04).
u32 device_of(cudaStream_t);
// Whether its work waits for that of the legacy default stream, and the other way round: it was not created as non-blocking.
bool waits_for_legacy(cudaStream_t);

// An event that was created with cudaEventInterprocess.
bool is_interprocess(cudaEvent_t);

// api() for functions that put work on a stream. Where the stream is captured, as_work(runtime) gives what a node of it does.
template <class Body, class AsWork> cudaError_t api_on(cudaStream_t stream, Body&& body, AsWork&& as_work) {
  return api([&](Runtime& runtime) -> cudaError_t {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    const OnDevice turn(runtime, device_of(stream));
    if (is_captured(stream)) return capture(stream, as_work(runtime));
    if (cudaError_t error = capture_obstacle(stream); error != cudaSuccess) return error;
    return body(runtime);
  });
}
// The same for what a captured stream cannot do.
template <class Body> cudaError_t api_on(cudaStream_t stream, Body&& body) {
  return api([&](Runtime& runtime) -> cudaError_t {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    const OnDevice turn(runtime, device_of(stream));
    if (cudaError_t error = capture_obstacle(stream); error != cudaSuccess) return error;
    return body(runtime);
  });
}

// For functions that then do what the one without a stream does: cudaSuccess where the stream exists, and is not captured.
cudaError_t check_stream(cudaStream_t);
// For questions about a stream: cudaSuccess where it exists.
cudaError_t known_stream(cudaStream_t);

} // namespace warplens::runtime
