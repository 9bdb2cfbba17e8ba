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
#include "sim/exec/fault.h"
#include "sim/program/device_functions.h"
#include "sim/program/parameters.h"
#include "sim/program/program.h"

namespace warplens::sim {
namespace {

u64 linear_cta(const Caller& call, u32 thread) {
  const Dim3 cta = call.x.cta_id(thread), grid = call.x.launch.spec.grid;
  return (u64{cta.z} * grid.y + cta.y) * grid.x + cta.x;
}
DeviceRuntime::Thread thread_of(const Caller& call, u32 thread) {
  return {linear_cta(call, thread), thread % call.x.shape.cta_threads};
}

void tell_error(const Caller& call, bool forget) {
  DeviceRuntime& runtime = call.x.launch.device.runtime;
  call.each_thread(
      [&](u32 thread) { call.result(thread, runtime.last_error(thread_of(call, thread), forget)); });
}

void set_conditionals(const Caller& call) {
  call.each_thread([&](u32 thread) {
    call.x.launch.device.runtime.change_conditional(call.argument(0, thread),
                                                    static_cast<u32>(call.argument(1, thread)));
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
    call.x.launch.device.runtime.fail(thread_of(call, thread), pending_count_exceeded);
    call.result(thread, 0);
  });
}

void make_buffer(const Caller& call) {
  Device& device = call.x.launch.device;
  if (!device.runtime.may_launch()) return refuse_launch(call);
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
    const auto [block, number] = thread_of(call, thread);
    device.runtime.prepare({.kernel = ir::FunctionId(static_cast<u32>(index)),
                            .grid = dimensions(call, 1, thread),
                            .block = dimensions(call, 2, thread),
                            .shared = static_cast<u32>(call.argument(3, thread)),
                            .parameters = *buffer,
                            .bytes = bytes,
                            .cta = block,
                            .thread = number});
    call.result(thread, *buffer);
  });
}

void launch_child(const Caller& call) {
  constexpr u64 tail_launch = 3; // cudaStreamTailLaunch: after the others
  constexpr u64 invalid_value = 1;
  call.each_thread([&](u32 thread) {
    const bool known = call.x.launch.device.runtime.launch(call.argument(0, thread),
                                                           call.argument(1, thread) == tail_launch);
    call.result(thread, known ? 0 : invalid_value);
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
