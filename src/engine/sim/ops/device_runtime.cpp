// See device_runtime.h. nvcc makes two calls of `child<<<grid, block, shared, stream>>>(…)` in a kernel:
//
//   buffer = __cudaCDP2GetParameterBufferV2(child, grid, block, shared);  // null: it cannot be launched
//   store the parameters to the buffer, as the child has them
//   __cudaCDP2LaunchDeviceV2(buffer, stream);
//
// The buffer is device memory, and the stores are the parent's. What was launched waits in a list of the device until the
// parent has ended: whoever called launch() runs it (children.h). Since CUDA 12 no kernel can see the difference, because none
// can wait for its children; those of PTX for CUDA 11 that do are stopped. Streams and events of the device order children of
// one block, which run in order anyway.
//
// cudaGraphSetConditional writes a value that the host reads when the kernel has ended.
#include "sim/ops/device_runtime.h"
#include "sim/children.h"
#include "sim/exec/fault.h"
#include "sim/program/device_functions.h"
#include "sim/program/parameters.h"
#include "sim/program/program.h"
#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace warplens::sim {
namespace {

// Workers of one launch fill the list side by side.
std::mutex& mutex() {
  static std::mutex only;
  return only;
}
std::map<const Device*, std::vector<ChildLaunch>>& waiting() {
  static auto* all =
      new std::map<const Device*, std::vector<ChildLaunch>>; // outlives the program's atexit handlers
  return *all;
}

// The last error of threads of the launch that runs: of a device, a block of the grid and a thread of the block.
using ThreadKey = std::tuple<const Device*, u64, u32>;
std::map<ThreadKey, u64>& errors() {
  static auto* all = new std::map<ThreadKey, u64>;
  return *all;
}
u64 linear_cta(const Caller& call, u32 thread) {
  const Dim3 cta = call.x.cta_id(thread), grid = call.x.launch.spec.grid;
  return (u64{cta.z} * grid.y + cta.y) * grid.x + cta.x;
}
ThreadKey key_of(const Caller& call, u32 thread) {
  return {&call.x.launch.device, linear_cta(call, thread), thread % call.x.shape.cta_threads};
}

void tell_error(const Caller& call, bool forget) {
  call.each_thread([&](u32 thread) {
    std::lock_guard lock(mutex());
    auto known = errors().find(key_of(call, thread));
    call.result(thread, known == errors().end() ? 0 : known->second);
    if (forget && known != errors().end()) errors().erase(known);
  });
}

std::set<const Device*>& full() {
  static auto* all = new std::set<const Device*>;
  return *all;
}
bool is_full(const Device& device) {
  std::lock_guard lock(mutex());
  return full().contains(&device);
}

std::map<std::pair<const Device*, u64>, u32>& conditionals() {
  static auto* all = new std::map<std::pair<const Device*, u64>, u32>;
  return *all;
}

void set_conditionals(const Caller& call) {
  call.each_thread([&](u32 thread) {
    std::lock_guard lock(mutex());
    auto known = conditionals().find({&call.x.launch.device, call.argument(0, thread)});
    if (known != conditionals().end()) known->second = static_cast<u32>(call.argument(1, thread));
  });
}

Dim3 dimensions(const Caller& call, u32 index, u32 thread) {
  Dim3 out;
  std::memcpy(&out, call.parameter(call.site.argument_variables.at(index), thread), sizeof out);
  return out;
}

// No buffer: the kernel's launch fails, and cudaGetLastError says why.
void refuse_launch(const Caller& call) {
  constexpr u64 pending_count_exceeded = 69; // cudaErrorLaunchPendingCountExceeded
  warn(call.x, call.op, "launches-pending",
       "a kernel below as many launches as the device keeps launches another one: on a GPU and here it gets "
       "cudaErrorLaunchPendingCountExceeded",
       first_thread(*call.x.mask), {},
       "cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, …) allows more than 2048");
  call.each_thread([&](u32 thread) {
    std::lock_guard lock(mutex());
    errors()[key_of(call, thread)] = pending_count_exceeded;
    call.result(thread, 0);
  });
}

void make_buffer(const Caller& call) {
  Device& device = call.x.launch.device;
  if (is_full(device)) return refuse_launch(call);
  const ir::Module& module = call.x.launch.program.module;
  call.each_thread([&](u32 thread) {
    const u64 index = (call.argument(0, thread) - function_address_base) / function_address_step;
    if (call.argument(0, thread) < function_address_base || index >= module.functions.size() ||
        !module.functions[index].entry)
      return call.result(thread, 0);
    const u64 bytes = parameter_layout(module, module.functions[index]).bytes;
    Result<u64> buffer = device.memory->allocate(std::max<u64>(bytes, 1), AllocationKind::heap, 64);
    if (!buffer) return call.result(thread, 0);
    std::memset(reinterpret_cast<std::byte*>(*buffer), 0, bytes);
    std::lock_guard lock(mutex());
    std::vector<ChildLaunch>& list = waiting()[&device];
    list.push_back({ir::FunctionId(static_cast<u32>(index)), dimensions(call, 1, thread),
                    dimensions(call, 2, thread), static_cast<u32>(call.argument(3, thread)), *buffer, bytes,
                    false, false, linear_cta(call, thread), thread % call.x.shape.cta_threads, list.size()});
    call.result(thread, *buffer);
  });
}

void launch_child(const Caller& call) {
  constexpr u64 tail_launch = 3; // cudaStreamTailLaunch: after the others
  constexpr u64 invalid_value = 1;
  Device& device = call.x.launch.device;
  call.each_thread([&](u32 thread) {
    std::lock_guard lock(mutex());
    for (ChildLaunch& child : waiting()[&device]) {
      if (child.parameters != call.argument(0, thread) || child.launched) continue;
      child.launched = true;
      child.tail = call.argument(1, thread) == tail_launch;
      return call.result(thread, 0);
    }
    call.result(thread, invalid_value);
  });
}

// Through the pointer that is the first argument.
template <class T> void give(const Caller& call, T value) {
  call.each_thread([&](u32 thread) {
    std::memcpy(call.pointer(call.argument(0, thread), sizeof value, thread), &value, sizeof value);
    call.result(thread, 0);
  });
}

void refuse_wait(const Caller& call) {
  raise(call.x, call.op, FaultKind::unsupported_call, "kernel-waits-for-children",
        "a kernel waits for the kernels that it launched (cudaDeviceSynchronize), which run after it",
        first_thread(*call.x.mask), 0, {},
        "CUDA 12 and later have no such call in device code: launch what comes next to cudaStreamTailLaunch");
}

} // namespace

std::vector<ChildLaunch> take_children(const Device& device) {
  std::lock_guard lock(mutex());
  std::erase_if(errors(), [&](const auto& error) { return std::get<0>(error.first) == &device; });
  auto found = waiting().find(&device);
  return found == waiting().end() ? std::vector<ChildLaunch>() : std::exchange(found->second, {});
}

void allow_children(const Device& device, bool allowed) {
  std::lock_guard lock(mutex());
  if (allowed)
    full().erase(&device);
  else
    full().insert(&device);
}

void set_conditional(const Device& device, u64 handle, u32 value) {
  std::lock_guard lock(mutex());
  conditionals()[{&device, handle}] = value;
}

u32 conditional(const Device& device, u64 handle) {
  std::lock_guard lock(mutex());
  auto known = conditionals().find({&device, handle});
  return known == conditionals().end() ? 0 : known->second;
}

bool call_device_runtime(const Caller& call, std::string_view name) {
  const std::optional<DeviceFunction> function = find_device_function(name);
  if (!function) return false;
  constexpr u64 some_handle = 16;
  switch (*function) {
  case DeviceFunction::parameter_buffer: make_buffer(call); break;
  case DeviceFunction::launch: launch_child(call); break;
  case DeviceFunction::create_handle: give(call, some_handle); break;
  case DeviceFunction::device_number: give(call, u32{0}); break;
  case DeviceFunction::nothing: call.each_thread([&](u32 thread) { call.result(thread, 0); }); break;
  case DeviceFunction::take_error: tell_error(call, true); break;
  case DeviceFunction::peek_error: tell_error(call, false); break;
  case DeviceFunction::wait: refuse_wait(call); break;
  case DeviceFunction::set_conditional: set_conditionals(call); break;
  }
  return true;
}

} // namespace warplens::sim
