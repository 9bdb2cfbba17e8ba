#include "measured/recorder/cupti/captures.h"
#include <cuda.h>
#include <set>
#include <thread>
#include <utility>

namespace warplens::recorder::captures {
namespace {

// With the thread for a thread's own stream: all have one name.
std::set<std::pair<CUstream, std::thread::id>> captured;

constexpr Call known[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, true, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz, true, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, true, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz, true, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, true, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz, true, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, false, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, false, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy, false, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2, false, false},
};

} // namespace

std::span<const Call> calls() { return known; }

// A capture that could not begin was none; one that could not end, as it was spoiled, is over all the same.
void follow(const Call& call, const CUpti_CallbackData& data) {
  CUstream stream = *static_cast<const CUstream*>(data.functionParams);
  if (stream == nullptr && call.per_thread) stream = CU_STREAM_PER_THREAD;
  const std::pair key{stream,
                      stream == CU_STREAM_PER_THREAD ? std::this_thread::get_id() : std::thread::id()};
  if (!call.begins)
    captured.erase(key);
  else if (*static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS)
    captured.insert(key);
}

bool are_under_way() { return !captured.empty(); }

} // namespace warplens::recorder::captures
