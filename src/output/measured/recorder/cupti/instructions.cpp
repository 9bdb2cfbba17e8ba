// See instructions.h. The order that CUPTI wants: SetConfig once for each device (it needs a context), for each launch
// GetDataProperties and FlushData, within one range of Enable and Disable.
#include "measured/recorder/cupti/instructions.h"
#include "measured/recorder/cupti/cupti_calls.h"
#include "measured/recorder/cupti/device.h"
#include <cstdlib>
#include <cstring>
#include <cupti_pcsampling.h>
#include <cupti_sass_metrics.h>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

namespace warplens::recorder::instructions {
namespace {

// What WarpLens predicts per instruction, by CUPTI's names; those that a chip lacks are left out and noted.
constexpr const char* wanted[] = {
    "smsp__sass_inst_executed",
    "smsp__sass_thread_inst_executed_pred_on",
    "smsp__sass_l1tex_tags_mem_global",
    "smsp__sass_sectors_mem_global",
    "smsp__sass_sectors_mem_global_ideal",
    "smsp__sass_sectors_mem_local",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
};

struct Module {
  std::string image;
  bool written = false;
};
std::map<std::uint32_t, Module> modules;  // by CUPTI's CRC of the cubin
std::mutex modules_lock;                  // they are loaded by any thread, while another launches
std::map<std::uint32_t, bool> configured; // device: can it be counted?
std::vector<std::uint64_t> metrics;       // as configured, in the order of the "metrics" line
CUcontext context = nullptr;              // that is counted in: of the first launch; others are noted
bool is_paused = false;
bool is_uncollected = false; // did launches run in it that are not counted?

// The configuration of the wanted metrics for a chip.
std::vector<CUpti_SassMetrics_Config> configuration(const std::string& chip) {
  std::vector<std::string> names(std::begin(wanted), std::end(wanted));
  if (const char* others = std::getenv("WARPLENS_RECORD_METRICS"); others != nullptr) {
    names.clear();
    std::stringstream list(others);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  }
  std::vector<CUpti_SassMetrics_Config> out;
  std::string line;
  metrics.clear();
  for (const std::string& name : names) {
    auto asked = WARPLENS_CUPTI(CUpti_SassMetrics_GetProperties_Params);
    asked.pChipName = chip.c_str();
    asked.pMetricName = name.c_str();
    if (!works(cuptiSassMetricsGetProperties(&asked), name.c_str())) continue;
    out.push_back({asked.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
    metrics.push_back(asked.metric.metricId);
    line += (line.empty() ? "" : ",") + quoted(name);
  }
  write_line("{\"metrics\":[" + line + "]}");
  return out;
}

bool configure(CUcontext context) {
  std::uint32_t device = 0;
  if (!works(cuptiGetDeviceId(context, &device), "cuptiGetDeviceId")) return false;
  if (auto known = configured.find(device); known != configured.end()) return known->second;
  bool& can = configured[device] = false;
  std::string chip = write_device(device);
  if (chip.empty()) return false;
  std::vector<CUpti_SassMetrics_Config> config = configuration(chip);
  if (config.empty()) return false;
  auto set = WARPLENS_CUPTI(CUpti_SassMetricsSetConfig_Params);
  set.numOfMetricConfig = config.size();
  set.pConfigs = config.data();
  set.deviceIndex = device;
  return can = works(cuptiSassMetricsSetConfig(&set), "cuptiSassMetricsSetConfig");
}

bool enable(CUcontext in) {
  auto params = WARPLENS_CUPTI(CUpti_SassMetricsEnable_Params);
  params.ctx = in;
  params.enableLazyPatching = 1;
  return works(cuptiSassMetricsEnable(&params), "cuptiSassMetricsEnable");
}

void disable(CUcontext in) {
  auto params = WARPLENS_CUPTI(CUpti_SassMetricsDisable_Params);
  params.ctx = in;
  cuptiSassMetricsDisable(&params);
}

void write_module(std::uint32_t crc) {
  std::lock_guard lock(modules_lock);
  auto found = modules.find(crc);
  if (found == modules.end() || found->second.written) return;
  found->second.written = true;
  write_line("{\"cubin\":" + std::to_string(crc) + ",\"image\":\"" + base64(found->second.image) + "\"}");
}

// The counters that were patched into kernels, one row of values for each instruction.
std::vector<CUpti_SassMetrics_Data> collect(CUcontext context,
                                            std::vector<CUpti_SassMetrics_InstanceValue>& values) {
  auto size = WARPLENS_CUPTI(CUpti_SassMetricsGetDataProperties_Params);
  size.ctx = context;
  if (!works(cuptiSassMetricsGetDataProperties(&size), "cuptiSassMetricsGetDataProperties")) return {};
  if (size.numOfPatchedInstructionRecords == 0 || size.numOfInstances == 0) return {};
  // "number of instances for each metric value": room for each metric's, whichever way that is meant
  const std::size_t each = size.numOfInstances * metrics.size();
  values.assign(size.numOfPatchedInstructionRecords * each, {});
  std::vector<CUpti_SassMetrics_Data> rows(size.numOfPatchedInstructionRecords);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].structSize = sizeof rows[i];
    rows[i].pInstanceValues = &values[i * each];
  }
  auto flush = WARPLENS_CUPTI(CUpti_SassMetricsFlushData_Params);
  flush.ctx = context;
  flush.numOfPatchedInstructionRecords = rows.size();
  flush.numOfInstances = size.numOfInstances;
  flush.pMetricsData = rows.data();
  if (!works(cuptiSassMetricsFlushData(&flush), "cuptiSassMetricsFlushData")) return {};
  return rows;
}

// Of each function, by cubin and name, the values of each instruction in the order of the metrics.
using Sums = std::map<std::uint32_t, std::vector<unsigned long long>>; // by offset
using Functions = std::map<std::pair<std::uint32_t, std::string>, Sums>;

// CUPTI hands over a row for each instruction and metric. One that no warp reached has none.
Functions functions_of(const std::vector<CUpti_SassMetrics_Data>& rows, std::size_t values) {
  Functions out;
  for (const CUpti_SassMetrics_Data& row : rows)
    for (std::size_t i = 0; i < values; ++i)
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const CUpti_SassMetrics_InstanceValue& value = row.pInstanceValues[i];
        if (metrics[m] != value.metricId || value.value == 0) continue;
        std::vector<unsigned long long>& sums =
            out[{row.cubinCrc, row.functionName != nullptr ? row.functionName : ""}][row.pcOffset];
        sums.resize(metrics.size());
        sums[m] += value.value;
      }
  return out;
}

// [[offset, value, …], …]
std::string rows_json(const Sums& sums) {
  std::string out;
  for (const auto& [offset, values] : sums) {
    out += (out.empty() ? "[" : ",[") + std::to_string(offset);
    for (unsigned long long value : values) out += ',' + std::to_string(value);
    out += ']';
  }
  return '[' + out + ']';
}

} // namespace

void keep_module(const CUpti_ModuleResourceData& loaded) {
  CUpti_GetCubinCrcParams asked{};
  asked.size = CUpti_GetCubinCrcParamsSize;
  asked.cubin = loaded.pCubin;
  asked.cubinSize = loaded.cubinSize;
  if (!works(cuptiGetCubinCrc(&asked), "cuptiGetCubinCrc")) return;
  std::lock_guard lock(modules_lock);
  Module& module = modules[static_cast<std::uint32_t>(asked.cubinCrc)];
  if (module.image.empty()) module.image.assign(loaded.pCubin, loaded.cubinSize);
}

void begin(const Launch& launch) {
  if (context == launch.context && std::exchange(is_uncollected, false)) {
    std::vector<CUpti_SassMetrics_InstanceValue> values;
    collect(context, values);
  }
  // One configuration for all launches: no CUPTI that was tried can be configured a second time.
  if (context == nullptr && configure(launch.context) && enable(launch.context)) context = launch.context;
}

void pause() {
  if (context != nullptr && !std::exchange(is_paused, true)) disable(context);
}

void resume() {
  if (context != nullptr && std::exchange(is_paused, false)) enable(context);
}

void end(const Launch& launch) {
  std::vector<CUpti_SassMetrics_InstanceValue> values;
  std::vector<CUpti_SassMetrics_Data> rows;
  if (context == launch.context) {
    if (!wait_for(launch)) note("launch " + std::to_string(launch.index) + " failed");
    rows = collect(launch.context, values);
  } else if (context != nullptr) {
    note_once(of_second_context);
  }
  const std::size_t each = rows.empty() ? 0 : values.size() / rows.size();
  std::string line = '{' + members(launch) + ",\"functions\":[";
  bool first = true;
  for (const auto& [function, sums] : functions_of(rows, each)) {
    write_module(function.first);
    line += std::string(first ? "" : ",") + "{\"cubin\":" + std::to_string(function.first) +
            ",\"function\":" + quoted(function.second) + ",\"rows\":" + rows_json(sums) + "}";
    first = false;
  }
  write_line(line + "]}");
}

void leave_out(const Launch& launch) {
  if (context != launch.context) return;
  wait_for(launch);
  is_uncollected = true;
}

void finish() {
  if (context != nullptr && !is_paused) disable(context);
  context = nullptr;
  for (auto& [device, can] : configured) {
    if (!std::exchange(can, false)) continue;
    auto unset = WARPLENS_CUPTI(CUpti_SassMetricsUnsetConfig_Params);
    unset.deviceIndex = device;
    cuptiSassMetricsUnsetConfig(&unset);
  }
}

} // namespace warplens::recorder::instructions
