// The library that records what a GPU does. The driver loads it into the program that CUDA_INJECTION64_PATH names it for, and calls
// InitializeInjection at cuInit. It is built where CUPTI is found, and knows nothing of the rest of WarpLens: what it writes are the
// numbers of the hardware, as they come, and the machine code that they belong to. src/measured reads them.
//
//   WARPLENS_RECORD       the folder; each process writes a file of its own there
//   WARPLENS_RECORD_PASS  instructions (counts per machine instruction) or counters (per launch, and its time)
//   WARPLENS_RECORD_LAUNCHES  so many launches of each process are recorded, the others just run
//
// A program runs once for each of the two: code that counts its instructions takes longer, and a time of it means nothing.
#include "measured/recorder/cupti/counters.h"
#include "measured/recorder/cupti/cupti_calls.h"
#include "measured/recorder/cupti/instructions.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace warplens::recorder {
namespace {

std::recursive_mutex entering; // a module may be loaded while a launch is prepared
unsigned long long launches = 0;
unsigned long long most_launches = ~0ull;
bool per_instruction = true;

void on_resource(CUpti_CallbackId what, const CUpti_ResourceData& data) {
  if (what == CUPTI_CBID_RESOURCE_MODULE_LOADED && per_instruction)
    instructions::keep_module(*static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor));
}

void on_driver_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  static thread_local int depth = 0; // launches that CUPTI makes for its own purposes
  std::optional<Launch> launch = launch_of(call, data);
  if (!launch) return;
  const bool entry = data.callbackSite == CUPTI_API_ENTER;
  if (entry ? depth++ != 0 : --depth != 0) return;
  launch->index = entry ? launches : launches++;
  if (launch->index >= most_launches) {
    if (launch->index == most_launches && entry && !per_instruction) counters::finish();
    return;
  }
  if (per_instruction)
    entry ? instructions::begin(*launch) : instructions::end(*launch);
  else
    entry ? counters::begin(*launch) : counters::end(*launch);
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
  per_instruction ? instructions::finish() : counters::finish();
  write_line("{\"end\":" + std::to_string(launches) + "}");
}

void begin_file() {
  const char* pass = std::getenv("WARPLENS_RECORD_PASS");
  per_instruction = pass == nullptr || std::strcmp(pass, "counters") != 0;
  if (const char* most = std::getenv("WARPLENS_RECORD_LAUNCHES"); most != nullptr && *most != '\0')
    most_launches = std::strtoull(most, nullptr, 10);
  const char* folder = std::getenv("WARPLENS_RECORD");
  const std::string process = std::to_string(::getpid()),
                    name = per_instruction ? "instructions" : "counters";
  if (folder != nullptr) open_output((std::string(folder) + '/' + name + '.' + process + ".jsonl").c_str());
  write_line("{\"recording\":1,\"pass\":\"" + name + "\",\"process\":" + process +
             ",\"cupti\":" + std::to_string(CUPTI_API_VERSION) + "}");
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
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz})
    works(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call), "cuptiEnableCallback");
  std::atexit(at_end);
  return 1;
}
