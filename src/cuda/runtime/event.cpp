// Events: a host time each. What lies between two of them is how long the emulation took, which says nothing
// about a GPU's speed.
#include "runtime/stream.h"
#include <chrono>
#include <optional>

namespace warplens::runtime {

struct Event {
  bool timed = true;
  bool interprocess = false;
  u32 device = thread_state().device;
  std::optional<std::chrono::steady_clock::time_point> recorded;
  ~Event() { forget_capture(this); }
};

namespace {

Handles<Event>& events() { return of_device<Handles<Event>>(); }

cudaError_t check(cudaEvent_t event) {
  return event && events().contains(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

} // namespace

bool is_interprocess(cudaEvent_t event) { return check(event) == cudaSuccess && event->interprocess; }

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&](Runtime&) {
    constexpr unsigned disable_timing = 2, interprocess = 4, all_flags = 7;
    if (!event || flags > all_flags || (flags & (disable_timing | interprocess)) == interprocess)
      return cudaErrorInvalidValue;
    *event = events().add({(flags & disable_timing) == 0, (flags & interprocess) != 0});
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api([&](Runtime&) { return events().erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return api([&](Runtime&) {
    constexpr unsigned external = 1;
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = check(event); error != cudaSuccess) return error;
    if (event->device != device_of(stream)) return cudaErrorInvalidResourceHandle;
    if (is_captured(stream)) return capture_record(event, stream, (flags & external) != 0);
    if (cudaError_t error = capture_obstacle(stream); error != cudaSuccess) return error;
    forget_capture(event);
    event->recorded = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return api([&](Runtime&) {
    constexpr unsigned external = 1;
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = check(event); error != cudaSuccess) return error;
    if (is_captured(stream) || is_captured(event))
      return capture_wait(stream, event, (flags & external) != 0);
    return capture_obstacle(stream);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api([&](Runtime&) {
    cudaError_t error = check(event);
    return error == cudaSuccess ? capture_obstacle_of_event(event) : error;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_waiting([&](Runtime&) {
    cudaError_t error = check(event);
    return error == cudaSuccess ? capture_obstacle_of_event(event) : error;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api([&](Runtime&) {
    if (!milliseconds) return cudaErrorInvalidValue;
    if (check(start) != cudaSuccess || check(end) != cudaSuccess) return cudaErrorInvalidResourceHandle;
    if (start->device != end->device) return cudaErrorInvalidResourceHandle;
    if (!start->timed || !end->timed || !start->recorded || !end->recorded)
      return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(*end->recorded - *start->recorded).count();
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
