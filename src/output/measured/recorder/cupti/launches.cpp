// The calls of the driver that launch, as CUPTI shows them, and what is asked of the driver itself. See launches.h.
#include "measured/recorder/cupti/launches.h"
#include "measured/recorder/cupti/writer.h"
#include <dlfcn.h>

namespace warplens::recorder {
namespace {

template <class Params> Launch shape_of(const Params& from) {
  Launch out;
  out.grid[0] = from.gridDimX, out.grid[1] = from.gridDimY, out.grid[2] = from.gridDimZ;
  out.block[0] = from.blockDimX, out.block[1] = from.blockDimY, out.block[2] = from.blockDimZ;
  out.shared = from.sharedMemBytes;
  out.stream = from.hStream;
  return out;
}

std::string triple(const unsigned (&of)[3]) {
  return '[' + std::to_string(of[0]) + ',' + std::to_string(of[1]) + ',' + std::to_string(of[2]) + ']';
}

// Do calls of it mean the thread's own stream where they name none?
bool is_per_thread(CUpti_CallbackId call) {
  switch (call) {
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: return true;
  default: return false;
  }
}

} // namespace

std::string members(const Launch& launch) {
  return "\"launch\":" + std::to_string(launch.index) + ",\"kernel\":" + quoted(launch.kernel) +
         ",\"grid\":" + triple(launch.grid) + ",\"block\":" + triple(launch.block) +
         ",\"shared_bytes\":" + std::to_string(launch.shared);
}

std::optional<Launch> launch_of(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  std::optional<Launch> out;
  switch (call) {
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    out = shape_of(*static_cast<const cuLaunchKernel_params*>(data.functionParams));
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
    out = shape_of(*static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams));
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    out = shape_of(*static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->config);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
    out.emplace();
    out->stream = static_cast<const cuGraphLaunch_params*>(data.functionParams)->hStream;
    out->is_graph = true;
    break;
  default: return std::nullopt;
  }
  out->context = data.context;
  if (out->stream == nullptr && is_per_thread(call)) out->stream = CU_STREAM_PER_THREAD;
  if (data.symbolName != nullptr) out->kernel = data.symbolName;
  return out;
}

void* driver_function(const char* name) {
  static void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver != nullptr ? ::dlsym(driver, name) : nullptr;
}

bool is_captured(CUstream stream) {
  static auto ask = reinterpret_cast<CUresult (*)(CUstream, CUstreamCaptureStatus*)>(
      driver_function("cuStreamIsCapturing"));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return ask != nullptr && ask(stream, &status) == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

Memory memory() {
  static auto ask =
      reinterpret_cast<CUresult (*)(std::size_t*, std::size_t*)>(driver_function("cuMemGetInfo_v2"));
  std::size_t free = 0, all = 0;
  if (ask == nullptr || ask(&free, &all) != CUDA_SUCCESS || free > all) return {};
  return {all - free, all};
}

bool wait_for(const Launch& launch) {
  static auto wait = reinterpret_cast<CUresult (*)(CUstream)>(driver_function("cuStreamSynchronize"));
  static auto exchange = reinterpret_cast<CUresult (*)(CUstreamCaptureMode*)>(
      driver_function("cuThreadExchangeStreamCaptureMode"));
  if (wait == nullptr || exchange == nullptr) return false;
  CUstreamCaptureMode mode =
      CU_STREAM_CAPTURE_MODE_RELAXED; // in which a thread may wait while another captures
  exchange(&mode);
  const bool worked = wait(launch.stream) == CUDA_SUCCESS;
  exchange(&mode);
  return worked;
}

} // namespace warplens::recorder
