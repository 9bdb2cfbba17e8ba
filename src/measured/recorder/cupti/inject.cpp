// The library that records what a GPU does. The driver loads it into the program that CUDA_INJECTION64_PATH names it for, and
// calls InitializeInjection at cuInit. It is built where CUPTI is found, and knows nothing of the rest of WarpLens: what it
// writes are the numbers of the hardware, as they come, and the machine code that they belong to. src/measured reads them.
//
//   WARPLENS_RECORD           the folder; each process writes a file of its own there
//   WARPLENS_RECORD_PASS      counters (of each launch, and its time), launches (which there are) or instructions (counts per
//   machine
//                             instruction of one launch)
//   WARPLENS_RECORD_LAUNCHES  so many launches of each process are recorded, the others just run
//   WARPLENS_RECORD_LAUNCH    instructions: the launch that is counted
//
// A program runs once for each pass and, by instruction, for each launch: CUPTI 13.0 counts the instructions of the first
// kernel that is launched after it was enabled, and of no other in the life of the process. Code that counts its instructions
// takes longer, and a time of it means nothing.
#include "measured/recorder/cupti/counters.h"
#include "measured/recorder/cupti/cupti_calls.h"
#include "measured/recorder/cupti/instructions.h"
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace warplens::recorder {
namespace {

std::recursive_mutex entering; // a module may be loaded while a launch is prepared
unsigned long long launches = 0;
unsigned long long most_launches = ~0ull;
unsigned long long counted_launch = 0; // by instruction
unsigned long long graph_launches = 0; // which are not recorded
enum class Pass { counters, launches, instructions } pass = Pass::instructions;

void on_resource(CUpti_CallbackId what, const CUpti_ResourceData& data) {
  if (what == CUPTI_CBID_RESOURCE_MODULE_LOADED && pass == Pass::instructions)
    instructions::keep_module(*static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor));
}

void on_driver_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  if (call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch || call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz) {
    graph_launches += data.callbackSite == CUPTI_API_ENTER;
    return;
  }
  static thread_local int depth = 0; // launches that CUPTI makes for its own purposes
  std::optional<Launch> launch = launch_of(call, data);
  if (!launch) return;
  const bool entry = data.callbackSite == CUPTI_API_ENTER;
  if (entry ? depth++ != 0 : --depth != 0) return;
  launch->index = entry ? launches : launches++;
  switch (pass) {
  case Pass::instructions:
    if (launch->index == counted_launch) entry ? instructions::begin(*launch) : instructions::end(*launch);
    return;
  case Pass::counters:
    if (launch->index == most_launches && entry) counters::finish();
    if (launch->index < most_launches) entry ? counters::begin(*launch) : counters::end(*launch);
    return;
  case Pass::launches:
    if (launch->index < most_launches && entry) write_line('{' + members(*launch) + '}');
    return;
  }
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  std::lock_guard lock(entering);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
}

void at_end() {
  std::lock_guard lock(entering);
  if (pass == Pass::instructions) instructions::finish();
  if (pass == Pass::counters) counters::finish();
  if (pass != Pass::instructions && graph_launches != 0)
    note(std::to_string(graph_launches) + " launches of CUDA graphs are not recorded");
  write_line("{\"end\":" + std::to_string(launches) + "}");
}

unsigned long long number_in(const char* variable, unsigned long long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

void begin_file() {
  const char* wanted = std::getenv("WARPLENS_RECORD_PASS");
  const std::string name = wanted != nullptr ? wanted : "instructions";
  pass = name == "counters" ? Pass::counters : name == "launches" ? Pass::launches : Pass::instructions;
  most_launches = number_in("WARPLENS_RECORD_LAUNCHES", most_launches);
  counted_launch = number_in("WARPLENS_RECORD_LAUNCH", 0);
  const std::string process = std::to_string(::getpid());
  // Files are read in the order in which processes began, which their names therefore say.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string time = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  if (const char* folder = std::getenv("WARPLENS_RECORD"); folder != nullptr)
    open_output((std::string(folder) + '/' + time + '.' + process + ".jsonl").c_str());
  std::string line = "{\"recording\":1,\"pass\":" + quoted(name) + ",\"process\":" + process;
  if (pass == Pass::instructions) line += ",\"counted\":" + std::to_string(counted_launch);
  write_line(line + ",\"cupti\":" + std::to_string(CUPTI_API_VERSION) + '}');
}

} // namespace
} // namespace warplens::recorder

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace warplens::recorder;
  begin_file();
  CUpti_SubscriberHandle subscriber = nullptr;
  if (!works(cuptiSubscribe(&subscriber, callback, nullptr), "cuptiSubscribe")) return 1;
  works(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
        "cuptiEnableCallback");
  for (CUpti_CallbackId call :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz})
    works(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call), "cuptiEnableCallback");
  std::atexit(at_end);
  return 1;
}
