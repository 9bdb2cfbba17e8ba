// Streams. Work runs when it is submitted, one piece at a time, so a stream is only a handle with its
// settings: waiting finds nothing to wait for, and host functions run at once, outside the runtime's lock.
#include "runtime/stream.h"
#include <algorithm>

namespace warplens::runtime {

namespace {

std::map<cudaStream_t, std::map<int, cudaLaunchAttributeValue>>& attributes() {
  return of_device<std::map<cudaStream_t, std::map<int, cudaLaunchAttributeValue>>>();
}

} // namespace

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  u64 id = 0;
  u32 device = thread_state().device;
  ~Stream() {
    forget_capture(this);
    attributes().erase(this);
  }
};

namespace {

constexpr int least_priority = 0, greatest_priority = -5;
constexpr unsigned non_blocking = 1;

Handles<Stream>& streams() { return of_device<Handles<Stream>>(); }

} // namespace

bool is_default(cudaStream_t stream) {
  return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool stream_exists(cudaStream_t stream) { return is_default(stream) || streams().contains(stream); }

// body(), as an API function, of a stream that there is.
template <class Body> static cudaError_t of_stream(cudaStream_t stream, Body&& body) {
  return api([&](Runtime&) { return stream_exists(stream) ? body() : cudaErrorInvalidResourceHandle; });
}

u32 device_of(cudaStream_t stream) { return is_default(stream) ? thread_state().device : stream->device; }

bool waits_for_legacy(cudaStream_t stream) {
  return is_default(stream) || (stream->flags & non_blocking) == 0;
}

cudaError_t check_stream(cudaStream_t stream) {
  return api_on(stream, [](Runtime&) { return cudaSuccess; });
}

cudaError_t known_stream(cudaStream_t stream) {
  return of_stream(stream, [] { return cudaSuccess; });
}

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&](Runtime&) {
    if (!stream || flags > non_blocking) return cudaErrorInvalidValue;
    static u64 last_id = 2; // 1 and 2 are the default streams'
    *stream = streams().add({flags, std::clamp(priority, greatest_priority, least_priority), ++last_id});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api(
      [&](Runtime&) { return streams().erase(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_waiting([&](Runtime&) {
    return stream_exists(stream) ? capture_obstacle(stream) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return check_stream(stream); }

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return of_stream(stream, [&] { return answer(priority, is_default(stream) ? 0 : stream->priority); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return of_stream(stream, [&] { return answer(flags, is_default(stream) ? 0 : stream->flags); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return of_stream(stream, [&] {
    return answer(id, stream == cudaStreamPerThread ? 2 : is_default(stream) ? 1 : stream->id);
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return of_stream(stream, [&] { return answer(device, static_cast<int>(device_of(stream))); });
}

// Attributes are kept and change nothing: they are about scheduling and caches.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue* value) {
  return of_stream(stream, [&] {
    if (!value) return cudaErrorInvalidValue;
    attributes()[stream][id] = *value;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue* value) {
  return of_stream(stream, [&] {
    if (!value) return cudaErrorInvalidValue;
    auto set = attributes().find(stream);
    *value =
        set != attributes().end() && set->second.contains(id) ? set->second[id] : cudaLaunchAttributeValue{};
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return api([&](Runtime&) {
    if (!stream_exists(to) || !stream_exists(from)) return cudaErrorInvalidResourceHandle;
    attributes()[to] = attributes()[from];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Runtime&) {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  bool now = false;
  const cudaHostNodeParams parameters{function, data};
  cudaError_t error = api_on(
      stream,
      [&](Runtime&) {
        now = function != nullptr;
        return now ? cudaSuccess : cudaErrorInvalidValue;
      },
      [&](Runtime&) { return host_work(&parameters); });
  if (now) function(data);
  return error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  if (!callback) return remember(cudaErrorInvalidValue);
  cudaError_t error = check_stream(stream);
  if (error == cudaSuccess) callback(stream, cudaSuccess, data);
  return error;
}

} // extern "C"
} // namespace warplens::runtime
