// See counters.h. A session of the profiler holds a fixed number of ranges. It is stopped, read and begun anew when it is
// full, and at the end.
#include "measured/recorder/cupti/counters.h"
#include "measured/recorder/cupti/cupti_calls.h"
#include "measured/recorder/cupti/device.h"
#include <cstdlib>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <sstream>
#include <vector>

namespace warplens::recorder::counters {
namespace {

constexpr std::size_t most_ranges = 64;

constexpr const char* wanted[] = {
    "gpu__time_duration.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
    "idc__requests.sum",
};

struct Session {
  CUcontext context = nullptr;
  CUpti_Profiler_Host_Object* host = nullptr;
  CUpti_RangeProfiler_Object* target = nullptr;
  std::vector<std::string> names;
  std::vector<const char*> name_pointers;
  std::vector<std::uint8_t> config, data;
  std::vector<Launch> launches; // of the ranges so far
  bool broken = false, running = false;
};
Session session; // of the first context that launches; others are noted

void choose_names() {
  if (const char* others = std::getenv("WARPLENS_RECORD_METRICS"); others != nullptr) {
    std::stringstream list(others);
    for (std::string name; std::getline(list, name, ',');) session.names.push_back(name);
  } else {
    session.names.assign(std::begin(wanted), std::end(wanted));
  }
}

// Leaves out, and notes, what the chip does not have. The others are added in one call: each call begins a pass.
bool add_metrics() {
  std::erase_if(session.names, [](const std::string& name) {
    auto ask = WARPLENS_CUPTI(CUpti_Profiler_Host_GetMetricProperties_Params);
    ask.pHostObject = session.host;
    ask.pMetricName = name.c_str();
    return !works(cuptiProfilerHostGetMetricProperties(&ask), name.c_str());
  });
  for (const std::string& name : session.names) session.name_pointers.push_back(name.c_str());
  auto add = WARPLENS_CUPTI(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  add.pHostObject = session.host;
  add.ppMetricNames = session.name_pointers.data();
  add.numMetrics = session.name_pointers.size();
  return works(cuptiProfilerHostConfigAddMetrics(&add), "cuptiProfilerHostConfigAddMetrics");
}

bool make_config() {
  auto size = WARPLENS_CUPTI(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = session.host;
  if (!works(cuptiProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize")) return false;
  session.config.assign(size.configImageSize, 0);
  auto image = WARPLENS_CUPTI(CUpti_Profiler_Host_GetConfigImage_Params);
  image.pHostObject = session.host;
  image.configImageSize = session.config.size();
  image.pConfigImage = session.config.data();
  if (!works(cuptiProfilerHostGetConfigImage(&image), "cuptiProfilerHostGetConfigImage")) return false;
  auto passes = WARPLENS_CUPTI(CUpti_Profiler_Host_GetNumOfPasses_Params);
  passes.configImageSize = session.config.size();
  passes.pConfigImage = session.config.data();
  if (works(cuptiProfilerHostGetNumOfPasses(&passes), "cuptiProfilerHostGetNumOfPasses"))
    write_line("{\"passes\":" + std::to_string(passes.numOfPasses) + "}");
  return true;
}

bool open_session(CUcontext context) {
  session.context = context;
  std::uint32_t device = 0;
  if (!works(cuptiGetDeviceId(context, &device), "cuptiGetDeviceId")) return false;
  std::string chip = write_device(device);
  if (chip.empty()) return false;
  auto host = WARPLENS_CUPTI(CUpti_Profiler_Host_Initialize_Params);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.c_str();
  if (!works(cuptiProfilerHostInitialize(&host), "cuptiProfilerHostInitialize")) return false;
  session.host = host.pHostObject;
  choose_names();
  if (!add_metrics() || session.names.empty() || !make_config()) return false;
  auto enable = WARPLENS_CUPTI(CUpti_RangeProfiler_Enable_Params);
  enable.ctx = context;
  if (!works(cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable")) return false;
  session.target = enable.pRangeProfilerObject;
  return true;
}

bool make_room() {
  auto size = WARPLENS_CUPTI(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = session.target;
  size.pMetricNames = session.name_pointers.data();
  size.numMetrics = session.name_pointers.size();
  size.maxNumOfRanges = most_ranges;
  size.maxNumRangeTreeNodes = most_ranges;
  if (!works(cuptiRangeProfilerGetCounterDataSize(&size), "cuptiRangeProfilerGetCounterDataSize"))
    return false;
  session.data.assign(size.counterDataSize, 0);
  auto image = WARPLENS_CUPTI(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  image.pRangeProfilerObject = session.target;
  image.counterDataSize = session.data.size();
  image.pCounterData = session.data.data();
  return works(cuptiRangeProfilerCounterDataImageInitialize(&image),
               "cuptiRangeProfilerCounterDataImageInitialize");
}

bool start() {
  if (!make_room()) return false;
  auto set = WARPLENS_CUPTI(CUpti_RangeProfiler_SetConfig_Params);
  set.pRangeProfilerObject = session.target;
  set.configSize = session.config.size();
  set.pConfig = session.config.data();
  set.counterDataImageSize = session.data.size();
  set.pCounterDataImage = session.data.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_KernelReplay;
  set.maxRangesPerPass = most_ranges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.targetNestingLevel = 0;
  if (!works(cuptiRangeProfilerSetConfig(&set), "cuptiRangeProfilerSetConfig")) return false;
  auto begun = WARPLENS_CUPTI(CUpti_RangeProfiler_Start_Params);
  begun.pRangeProfilerObject = session.target;
  return session.running = works(cuptiRangeProfilerStart(&begun), "cuptiRangeProfilerStart");
}

void write_range(std::size_t index) {
  std::vector<double> values(session.names.size());
  auto evaluate = WARPLENS_CUPTI(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  evaluate.pHostObject = session.host;
  evaluate.pCounterDataImage = session.data.data();
  evaluate.counterDataImageSize = session.data.size();
  evaluate.rangeIndex = index;
  evaluate.ppMetricNames = session.name_pointers.data();
  evaluate.numMetrics = session.name_pointers.size();
  evaluate.pMetricValues = values.data();
  if (!works(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "cuptiProfilerHostEvaluateToGpuValues")) return;
  std::ostringstream line;
  line.precision(17);
  line << '{' << members(session.launches[index]) << ",\"counters\":{";
  for (std::size_t i = 0; i < values.size(); ++i)
    line << (i == 0 ? "" : ",") << quoted(session.names[i]) << ':' << values[i];
  write_line(line.str() + "}}");
}

void stop_and_write() {
  if (!session.running) return;
  session.running = false;
  auto stop = WARPLENS_CUPTI(CUpti_RangeProfiler_Stop_Params);
  stop.pRangeProfilerObject = session.target;
  if (!works(cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop")) return;
  auto decode = WARPLENS_CUPTI(CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = session.target;
  if (!works(cuptiRangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData")) return;
  auto count = WARPLENS_CUPTI(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  count.pCounterDataImage = session.data.data();
  count.counterDataImageSize = session.data.size();
  if (!works(cuptiRangeProfilerGetCounterDataInfo(&count), "cuptiRangeProfilerGetCounterDataInfo")) return;
  if (count.numTotalRanges != session.launches.size())
    note(std::to_string(session.launches.size()) + " launches gave " + std::to_string(count.numTotalRanges) +
         " ranges");
  else
    for (std::size_t i = 0; i < session.launches.size(); ++i) write_range(i);
  session.launches.clear();
}

} // namespace

void begin(const Launch& launch) {
  if (session.broken) return;
  if (session.context == nullptr) session.broken = !open_session(launch.context);
  if (session.context != launch.context) return note_once(of_second_context);
  if (!session.broken && !session.running) session.broken = !start();
}

void end(const Launch& launch) {
  // Somebody else's profiler may have the counters: the launch is known all the same, and its instructions can be counted.
  if (!session.running || session.context != launch.context) return write_line('{' + members(launch) + '}');
  if (!wait_for(launch)) note("launch " + std::to_string(launch.index) + " failed");
  session.launches.push_back(launch);
  if (session.launches.size() == most_ranges) stop_and_write();
}

void finish() { stop_and_write(); }

} // namespace warplens::recorder::counters
