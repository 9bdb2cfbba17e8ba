// See cupti_library.h. Each function of CUPTI that is used here is defined, and goes on to that of the library.
#include "measured/recorder/cupti/cupti_library.h"
#include <cstdint>
#include <cstdlib>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <dlfcn.h>

namespace warplens::recorder {
namespace {

void* library = nullptr;

void* function_of(const char* name) { return library != nullptr ? ::dlsym(library, name) : nullptr; }

} // namespace

unsigned load_cupti(std::string& why) {
  const char* wanted = std::getenv("WARPLENS_RECORD_CUPTI");
  const bool named = wanted != nullptr && *wanted != '\0';
  for (const char* path : {named ? wanted : WARPLENS_CUPTI_LIBRARY, "libcupti.so.13", "libcupti.so.12"}) {
    library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr || named) break; // no other than that: others count otherwise
  }
  if (library == nullptr) why = ::dlerror();
  std::uint32_t version = 0;
  return cuptiGetVersion(&version) == CUPTI_SUCCESS ? version : 0;
}

} // namespace warplens::recorder

#define FORWARD(name, parameters, arguments)                                                                 \
  extern "C" CUptiResult CUPTIAPI name parameters {                                                          \
    static const auto of_library =                                                                           \
        reinterpret_cast<CUptiResult(CUPTIAPI*) parameters>(warplens::recorder::function_of(#name));         \
    return of_library != nullptr ? of_library arguments : CUPTI_ERROR_NOT_INITIALIZED;                       \
  }
#define FORWARD_BLOCK(name, type) FORWARD(name, (type * block), (block))

FORWARD(cuptiSubscribe, (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void* data),
        (subscriber, callback, data))
FORWARD(cuptiEnableCallback,
        (uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
         CUpti_CallbackId id),
        (enable, subscriber, domain, id))
FORWARD(cuptiGetVersion, (uint32_t * version), (version))
FORWARD(cuptiGetDeviceId, (CUcontext context, uint32_t* device), (context, device))
FORWARD(cuptiGetResultString, (CUptiResult result, const char** text), (result, text))
FORWARD_BLOCK(cuptiGetCubinCrc, CUpti_GetCubinCrcParams)
FORWARD_BLOCK(cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params)
FORWARD_BLOCK(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params)
FORWARD_BLOCK(cuptiProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params)
FORWARD_BLOCK(cuptiProfilerHostGetMetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params)
FORWARD_BLOCK(cuptiProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params)
FORWARD_BLOCK(cuptiProfilerHostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params)
FORWARD_BLOCK(cuptiProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params)
FORWARD_BLOCK(cuptiProfilerHostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params)
FORWARD_BLOCK(cuptiProfilerHostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params)
FORWARD_BLOCK(cuptiRangeProfilerEnable, CUpti_RangeProfiler_Enable_Params)
FORWARD_BLOCK(cuptiRangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params)
FORWARD_BLOCK(cuptiRangeProfilerCounterDataImageInitialize,
              CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
FORWARD_BLOCK(cuptiRangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params)
FORWARD_BLOCK(cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params)
FORWARD_BLOCK(cuptiRangeProfilerStop, CUpti_RangeProfiler_Stop_Params)
FORWARD_BLOCK(cuptiRangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params)
FORWARD_BLOCK(cuptiRangeProfilerGetCounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params)
FORWARD_BLOCK(cuptiSassMetricsGetProperties, CUpti_SassMetrics_GetProperties_Params)
FORWARD_BLOCK(cuptiSassMetricsSetConfig, CUpti_SassMetricsSetConfig_Params)
FORWARD_BLOCK(cuptiSassMetricsUnsetConfig, CUpti_SassMetricsUnsetConfig_Params)
FORWARD_BLOCK(cuptiSassMetricsEnable, CUpti_SassMetricsEnable_Params)
FORWARD_BLOCK(cuptiSassMetricsDisable, CUpti_SassMetricsDisable_Params)
FORWARD_BLOCK(cuptiSassMetricsGetDataProperties, CUpti_SassMetricsGetDataProperties_Params)
FORWARD_BLOCK(cuptiSassMetricsFlushData, CUpti_SassMetricsFlushData_Params)
