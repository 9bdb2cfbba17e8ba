// Streams and events: those of the Runtime API.
#include "driver_api/frame.h"
#include "runtime/stream.h"

namespace warplens::runtime {
extern "C" {

CUresult cuStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return in_context([&] {
    cudaError_t error = cudaStreamCreateWithPriority(stream, flags, priority);
    if (error == cudaSuccess) remember_context(*stream);
    return error;
  });
}
CUresult cuStreamCreate(cudaStream_t* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
CUresult cuStreamDestroy_v2(cudaStream_t stream) {
  return on_stream(stream, [&] {
    forget_context(stream);
    return cudaStreamDestroy(stream);
  });
}
CUresult cuStreamGetCtx(cudaStream_t stream, CUcontext* context) {
  return on_stream(stream, [&] {
    if (!context) return cudaErrorInvalidValue;
    *context = is_default(stream) ? current_context() : maker_of(stream, device_of(stream));
    return known_stream(stream);
  });
}
CUresult cuStreamGetCtx_v2(cudaStream_t stream, CUcontext* context, void** green) {
  if (green) *green = nullptr; // no part of the device is set aside
  return cuStreamGetCtx(stream, context);
}
CUresult cuStreamGetDevice(cudaStream_t stream, CUdevice* device) {
  return on_stream(stream, [&] {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return known_stream(stream);
  });
}
CUresult cuStreamBeginCapture(cudaStream_t stream) { // before CUDA 10.1
  return driver([&] { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); });
}
CUresult cuStreamAddCallback(cudaStream_t stream, void (*callback)(cudaStream_t, CUresult, void*), void* data,
                             unsigned) {
  if (!callback) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = on_stream(stream, [&] { return check_stream(stream); });
  if (error == CUDA_SUCCESS) callback(stream, CUDA_SUCCESS, data);
  return error;
}

} // extern "C"
} // namespace warplens::runtime
