// See fake_cuda.h. Functions of the driver and of CUPTI that are not here fail in the recorder as those of an old library do.
#include "measured/recorder/fake_cuda.h"
#include <cstring>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

struct State {
  std::recursive_mutex lock;
  CUpti_CallbackFunc callback = nullptr;
  std::map<CUstream, bool> captured; // and whether the capture is lost
  std::set<std::string> patched;
  std::map<CUcontext, unsigned> counts; // of patched functions, since they were read
  CUcontext counting = nullptr;
  bool is_configured = false, is_profiling = false;
  std::vector<unsigned> ranges; // of the session
};
State& state = *new State; // for ever: programs call while they end

using Lock = std::lock_guard<std::recursive_mutex>;

void wait_for_context() {
  for (auto& [stream, lost] : state.captured) lost = true;
}

// `act` is the call itself, between what CUPTI is shown of it.
template <class Params, class Act>
CUresult call(CUpti_CallbackId id, CUcontext context, const Params& params, const char* kernel, Act act) {
  CUresult result = CUDA_SUCCESS;
  std::uint64_t correlation = 0;
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_ENTER;
  data.functionParams = &params;
  data.functionReturnValue = &result;
  data.symbolName = kernel;
  data.context = context;
  data.correlationData = &correlation;
  if (state.callback != nullptr) state.callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  {
    Lock lock(state.lock);
    result = act();
  }
  data.callbackSite = CUPTI_API_EXIT;
  if (state.callback != nullptr) state.callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return result;
}

CUresult run(CUcontext context, const char* kernel, unsigned blocks) {
  if (state.counting == context && state.patched.insert(kernel).second) wait_for_context();
  if (state.patched.contains(kernel)) state.counts[context] += blocks;
  if (state.is_profiling) state.ranges.push_back(blocks);
  return CUDA_SUCCESS;
}

} // namespace

namespace fake {

CUresult launch(CUcontext context, CUstream stream, const char* kernel, unsigned blocks) {
  cuLaunchKernel_params params{};
  params.gridDimX = blocks, params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = 32, params.blockDimY = params.blockDimZ = 1;
  params.hStream = stream;
  return call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, context, params, kernel, [&] {
    if (blocks == 0) return CUDA_ERROR_INVALID_VALUE;
    return state.captured.contains(stream) ? CUDA_SUCCESS : run(context, kernel, blocks);
  });
}

CUresult launch_graph(CUcontext context, CUstream stream, const char* kernel, unsigned blocks) {
  cuGraphLaunch_params params{};
  params.hStream = stream;
  return call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, context, params, nullptr,
              [&] { return run(context, kernel, blocks); });
}

CUresult begin_capture(CUcontext context, CUstream stream) {
  cuStreamBeginCapture_v2_params params{};
  params.hStream = stream;
  return call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, context, params, nullptr, [&] {
    return state.captured.emplace(stream, false).second ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
  });
}

CUresult end_capture(CUcontext context, CUstream stream, bool by_another) {
  cuStreamEndCapture_params params{};
  params.hStream = stream;
  return call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, context, params, nullptr, [&] {
    if (by_another) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const bool lost = state.captured.at(stream);
    state.captured.erase(stream);
    return lost ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  });
}

void destroy(CUcontext context, CUstream stream) {
  cuStreamDestroy_v2_params params{};
  params.hStream = stream;
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2, context, params, nullptr, [&] {
    state.captured.erase(stream);
    return CUDA_SUCCESS;
  });
}

} // namespace fake

extern "C" {

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  Lock lock(state.lock);
  auto found = state.captured.find(stream);
  *status = found == state.captured.end() ? CU_STREAM_CAPTURE_STATUS_NONE
            : found->second               ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                          : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  Lock lock(state.lock);
  if (!state.captured.contains(stream)) return CUDA_SUCCESS;
  state.captured[stream] = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) { return CUDA_SUCCESS; }

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*) {
  state.callback = callback;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(uint32_t* version) { return *version = 1, CUPTI_SUCCESS; }
CUptiResult cuptiGetDeviceId(CUcontext, uint32_t* device) { return *device = 0, CUPTI_SUCCESS; }
CUptiResult cuptiGetResultString(CUptiResult, const char** text) { return *text = "fake", CUPTI_SUCCESS; }
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  return params->pChipName = "gh100", CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  return params->configImageSize = 8, CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  return params->numOfPasses = 1, CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  return params->counterDataSize = 8, CUPTI_SUCCESS;
}
CUptiResult
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  Lock lock(state.lock);
  wait_for_context();
  state.ranges.clear();
  state.is_profiling = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params*) {
  Lock lock(state.lock);
  wait_for_context();
  state.is_profiling = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  return params->numTotalRanges = state.ranges.size(), CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (size_t i = 0; i < params->numMetrics; ++i)
    params->pMetricValues[i] = state.ranges.at(params->rangeIndex);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params* params) {
  return params->metric.metricId = 7, CUPTI_SUCCESS;
}
CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params*) {
  return std::exchange(state.is_configured, true) ? CUPTI_ERROR_INVALID_OPERATION : CUPTI_SUCCESS;
}
CUptiResult cuptiSassMetricsUnsetConfig(CUpti_SassMetricsUnsetConfig_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params* params) {
  Lock lock(state.lock);
  wait_for_context();
  state.counting = params->ctx;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params*) {
  Lock lock(state.lock);
  state.counting = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params* params) {
  Lock lock(state.lock);
  wait_for_context();
  params->numOfPatchedInstructionRecords = params->numOfInstances = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params* params) {
  Lock lock(state.lock);
  wait_for_context();
  CUpti_SassMetrics_Data& row = params->pMetricsData[0];
  row.functionName = "k";
  row.pInstanceValues[0].metricId = 7;
  row.pInstanceValues[0].value = std::exchange(state.counts[params->ctx], 0);
  return CUPTI_SUCCESS;
}

} // extern "C"
