// The library that records what a GPU does. The driver loads it into the program that CUDA_INJECTION64_PATH names it for, and
// calls InitializeInjection at cuInit. It is built where CUPTI is found, and knows nothing of the rest of WarpLens: what it
// writes are the numbers of the hardware, as they come, and the machine code that they belong to. src/measured reads them.
//
//   WARPLENS_RECORD           the folder; each process writes a file of its own there
//   WARPLENS_RECORD_PASS      counters (of each launch, and its time), instructions (counts per machine instruction) or launches
//                             (which there are)
//   WARPLENS_RECORD_LAUNCHES  so many launches of each process are recorded, the others just run
//   WARPLENS_RECORD_LAUNCH    instructions: the launches that are counted ("2,4"); else each that is recorded
//   WARPLENS_RECORD_RUN       which run of the program this is, from 1
//   WARPLENS_RECORD_CUPTI     the CUPTI that is loaded (cupti_library.h)
//
// A program runs once for each pass and, where CUPTI does not count all launches (instructions.h), once for each launch. Code that
// counts its instructions takes longer, and a time of it means nothing.
#include "measured/recorder/cupti/captures.h"
#include "measured/recorder/cupti/counters.h"
#include "measured/recorder/cupti/cupti_calls.h"
#include "measured/recorder/cupti/cupti_library.h"
#include "measured/recorder/cupti/instructions.h"
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sstream>
#include <unistd.h>

namespace warplens::recorder {
namespace {

// Held from the beginning of a launch to its end, so that launches of several threads are counted one after the other. Recursive, for
// CUPTI launches kernels of its own.
std::recursive_mutex launching;
// Of calls that are followed: in one, CUPTI launches for its own purposes. When the process ends it stays above 0.
int depth = 0;
unsigned long long launches = 0;
unsigned long long most_launches = ~0ull;
std::set<unsigned long long> counted_launches; // by instruction; empty: all that are recorded
unsigned long long graph_launches = 0;         // which are not recorded
unsigned long long beside_captures = 0;        // nor are these
Memory most_memory;                            // at a launch that is recorded
unsigned long long run = 0;
pid_t process = 0;
enum class Pass { counters, instructions, launches } pass = Pass::instructions;

void on_resource(CUpti_CallbackId what, const CUpti_ResourceData& data) {
  if (what == CUPTI_CBID_RESOURCE_MODULE_LOADED && pass == Pass::instructions)
    instructions::keep_module(*static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor));
}

bool is_counted(unsigned long long launch) {
  return counted_launches.empty() ? launch < most_launches : counted_launches.contains(launch);
}

unsigned long long last_launch() {
  return counted_launches.empty() ? most_launches - 1 : *counted_launches.rbegin();
}

void on_counted_pass(const Launch& launch, bool entry) {
  const bool counted = is_counted(launch.index);
  if (entry) {
    if (counted) instructions::begin(launch);
    return;
  }
  if (counted)
    instructions::end(launch);
  else if (launch.index < last_launch())
    instructions::leave_out(launch);
  if (launch.index == last_launch()) instructions::finish();
}

void on_launch(const Launch& launch, bool entry) {
  const bool recorded = launch.index < most_launches;
  if (entry && recorded)
    if (const Memory now = memory(); now.used > most_memory.used) most_memory = now;
  switch (pass) {
  case Pass::instructions: return on_counted_pass(launch, entry);
  case Pass::counters:
    if (launch.index == most_launches && entry) counters::finish();
    if (recorded) entry ? counters::begin(launch) : counters::end(launch);
    return;
  case Pass::launches:
    if (recorded && !entry) write_line('{' + members(launch) + '}');
    return;
  }
}

// Not in the recording. Its kernels would be ranges of the profiler, and their counts part of the next launch's.
void on_unrecorded(const Launch& launch, bool entry) {
  if (entry && pass == Pass::counters) counters::finish();
  if (entry) return;
  ++(launch.is_graph ? graph_launches : beside_captures);
  if (launch.index > last_launch()) return;
  if (pass == Pass::instructions) instructions::leave_out(launch);
  if (pass == Pass::counters) wait_for(launch);
}

// Launches that are captured become part of a graph, and do not run now; those that the driver refused do not run at all.
void on_launch_call(Launch launch, const CUpti_CallbackData& data) {
  const bool entry = data.callbackSite == CUPTI_API_ENTER;
  enum : std::uint64_t { is_recorded, is_unrecorded, is_none };
  std::uint64_t& kind = *data.correlationData;
  if (entry) launching.lock();
  launch.index = launches;
  if (entry) {
    kind = depth++ != 0 || is_captured(launch.stream)     ? is_none
           : launch.is_graph || captures::are_under_way() ? is_unrecorded
                                                          : is_recorded;
  }
  const bool refused = !entry && *static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS;
  if (!refused && kind == is_recorded) on_launch(launch, entry);
  if (!refused && kind == is_unrecorded) on_unrecorded(launch, entry);
  if (entry) return;
  if (!refused && kind == is_recorded) ++launches;
  --depth;
  launching.unlock();
}

// CUPTI is at rest while a stream is captured.
void on_capture_call(const captures::Call& call, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) {
    launching.lock();
    if (depth++ != 0 || call.what != captures::Call::What::begins) return;
    if (pass == Pass::counters) counters::finish();
    if (pass == Pass::instructions) instructions::pause();
    return;
  }
  if (depth == 1) {
    captures::follow(call, data);
    if (!captures::are_under_way()) instructions::resume();
  }
  --depth;
  launching.unlock();
}

void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  for (const captures::Call& call : captures::calls())
    if (call.id == id) return on_capture_call(call, data);
  if (std::optional<Launch> launch = launch_of(id, data)) on_launch_call(*launch, data);
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
}

void note_unrecorded(unsigned long long number, const char* of_which) {
  if (run > 1 || number == 0) return;
  note("not recorded: " + std::to_string(number) + (number == 1 ? " launch " : " launches ") + of_which);
}

void at_end() {
  // A child of the program is without the other threads, of which one may have held this for ever.
  const bool is_child = ::getpid() != process;
  if (!is_child) launching.lock();
  ++depth;
  if (is_child) return;
  if (pass == Pass::instructions) instructions::finish();
  if (pass == Pass::counters) counters::finish();
  note_unrecorded(graph_launches, "of CUDA graphs");
  note_unrecorded(beside_captures, "while a stream was captured");
  std::string end = "{\"end\":" + std::to_string(launches);
  if (most_memory.all != 0)
    end += ",\"memory_used\":" + std::to_string(most_memory.used) +
           ",\"memory\":" + std::to_string(most_memory.all);
  write_line(end + '}');
  launching.unlock();
}

unsigned long long number_in(const char* variable, unsigned long long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? text : "";
}

// `cupti`: its version.
void begin_file(unsigned cupti) {
  const std::string wanted = text_of("WARPLENS_RECORD_PASS"), name = wanted.empty() ? "instructions" : wanted;
  pass = name == "counters" ? Pass::counters : name == "launches" ? Pass::launches : Pass::instructions;
  most_launches = number_in("WARPLENS_RECORD_LAUNCHES", most_launches);
  std::stringstream list(text_of("WARPLENS_RECORD_LAUNCH"));
  for (std::string one; std::getline(list, one, ',');)
    counted_launches.insert(std::strtoull(one.c_str(), nullptr, 10));
  process = ::getpid();
  // Files are read in the order in which processes began, which their names therefore say.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string time = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  if (const char* folder = std::getenv("WARPLENS_RECORD"); folder != nullptr)
    open_output((std::string(folder) + '/' + time + '.' + std::to_string(process) + ".jsonl").c_str());
  std::string line = "{\"recording\":1,\"pass\":" + quoted(name) + ",\"process\":" + std::to_string(process);
  run = number_in("WARPLENS_RECORD_RUN", 0);
  line += ",\"run\":" + std::to_string(run);
  write_line(line + ",\"cupti\":" + std::to_string(cupti) + '}');
}

} // namespace
} // namespace warplens::recorder

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace warplens::recorder;
  std::string why;
  const unsigned cupti = load_cupti(why);
  begin_file(cupti);
  if (cupti == 0) {
    note("CUPTI cannot be loaded: " + why);
    return 1;
  }
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
  for (const captures::Call& call : captures::calls())
    works(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call.id), "cuptiEnableCallback");
  std::atexit(at_end);
  return 1;
}
