// What other parts of the API ask about streams.
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

// One of the default streams, or one that was created and not destroyed. With the runtime's lock held.
bool stream_exists(cudaStream_t);

// api() for functions that put work on a stream.
template <class Body> cudaError_t api_on(cudaStream_t stream, Body&& body) {
  return api([&](Runtime& runtime) -> cudaError_t {
    return stream_exists(stream) ? body(runtime) : cudaErrorInvalidResourceHandle;
  });
}

// For functions that then do what the one without a stream does: cudaSuccess where the stream exists.
cudaError_t check_stream(cudaStream_t);

} // namespace warplens::runtime
