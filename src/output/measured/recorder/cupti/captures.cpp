#include "measured/recorder/cupti/captures.h"
#include "measured/recorder/cupti/launches.h"
#include <cuda.h>
#include <set>
#include <thread>
#include <utility>

namespace warplens::recorder::captures {
namespace {

using What = Call::What;

// With the thread for a thread's own stream: all have one name. For ever: streams may be destroyed while the process ends.
std::set<std::pair<CUstream, std::thread::id>>& captured =
    *new std::set<std::pair<CUstream, std::thread::id>>;

constexpr Call known[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, What::begins, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz, What::begins, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, What::begins, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz, What::begins, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, What::begins, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz, What::begins, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, What::ends, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, What::ends, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy, What::destroys, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2, What::destroys, false},
};

} // namespace

std::span<const Call> calls() { return known; }

// A capture that could not begin was none. One that was to end may go on, where another thread asked; one that was spoiled is over.
void follow(const Call& call, const CUpti_CallbackData& data) {
  CUstream stream = *static_cast<const CUstream*>(data.functionParams);
  if (stream == nullptr && call.per_thread) stream = CU_STREAM_PER_THREAD;
  const std::pair key{stream,
                      stream == CU_STREAM_PER_THREAD ? std::this_thread::get_id() : std::thread::id()};
  switch (call.what) {
  case What::begins:
    if (*static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS) captured.insert(key);
    break;
  case What::ends:
    if (!is_captured(stream)) captured.erase(key);
    break;
  case What::destroys: captured.erase(key); break;
  }
}

bool are_under_way() { return !captured.empty(); }

} // namespace warplens::recorder::captures
