// Functions that kernels call but do not define: device printf, malloc and free, assert, and the mathematical
// functions that clang leaves as __nv_* calls when there is no libdevice. Arguments and results travel
// through .param variables.
#include "sim/ops/builtins.h"
#include "base/bits.h"
#include "sim/exec/fault.h"
#include "sim/ops/caller.h"
#include "sim/ops/device_runtime.h"
#include "sim/ops/printf.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// int vprintf(const char* format, void* arguments): the number of arguments printed, -1 without a format
void print(const Caller& call) {
  Exec& x = call.x;
  call.each_thread([&](u32 thread) {
    u64 format = call.argument(0, thread), arguments = call.argument(1, thread);
    if (format == 0) return call.result(thread, ~u64{0});
    u32 taken = 0;
    std::string out = format_device_printf(
        call.text(format, thread),
        [&](u64 offset, u32 bytes) {
          u64 value = 0;
          std::memcpy(&value, call.pointer(arguments + offset, bytes, thread), bytes);
          ++taken;
          return value;
        },
        [&](u64 address) { return address == 0 ? std::string("(null)") : call.text(address, thread); });
    call.result(thread, taken);
    std::lock_guard lock(x.launch.mutex);
    if (x.launch.device.print) x.launch.device.print(out);
  });
}

// What an allocation takes of the heap: its bytes in units of 16, and as much for what the heap notes of it.
u64 heap_bytes(u64 bytes) { return align_up(bytes, 16) + 16; }

void allocate(const Caller& call) {
  Device& device = call.x.launch.device;
  call.each_thread([&](u32 thread) {
    u64 bytes = call.argument(0, thread), address = 0;
    const u64 taken = heap_bytes(bytes);
    if (bytes == 0 || taken < bytes || taken > device.heap_limit)
      return call.result(thread, 0); // no sum can wrap
    if (device.heap_used.fetch_add(taken) <= device.heap_limit - taken) {
      Result<u64> got = device.memory->allocate(bytes, AllocationKind::heap, 512);
      if (got) address = *got;
    }
    if (address == 0) device.heap_used -= taken;
    call.result(thread, address);
  });
}

void release(const Caller& call) {
  Device& device = call.x.launch.device;
  call.each_thread([&](u32 thread) {
    u64 address = call.argument(0, thread);
    if (address == 0) return;
    std::optional<Allocation> found = device.memory->find(address);
    if (!found || found->kind != AllocationKind::heap || found->address != address)
      raise(call.x, call.op, FaultKind::trap, "kernel-bad-free",
            fmt::format("free of {:#x}, which malloc did not return", address), thread, address);
    device.memory->release(address);
    device.heap_used -= heap_bytes(found->size);
  });
}

// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t
// charSize)
void fail_assertion(const Caller& call) {
  u32 thread = first_thread(*call.x.mask);
  const Dim3& block = call.x.shape.block;
  Dim3 c = call.x.cta_id(thread);
  u32 number = thread % call.x.shape.cta_threads;
  std::string text = fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                                 call.text(call.argument(1, thread), thread), call.argument(2, thread),
                                 call.text(call.argument(3, thread), thread), c.x, c.y, c.z, number % block.x,
                                 number / block.x % block.y, number / (block.x * block.y),
                                 call.text(call.argument(0, thread), thread));
  raise(call.x, call.op, FaultKind::assertion, "kernel-assertion", text, thread);
}

void compute(const Caller& call, const MathFunction& function) {
  Exec& x = call.x;
  const Kernel& kernel = function.kernel;
  u32 lanes = x.shape.lanes;
  // Sources and results as arrays of 64-bit lanes at most; calls are rare enough for fresh storage each time.
  std::vector<std::vector<u64>> storage(kernel.sources + kernel.destinations, std::vector<u64>(lanes + 8));
  KernelArguments arguments{};
  arguments.lanes = lanes;
  auto aligned = [](std::vector<u64>& v) {
    return reinterpret_cast<void*>(align_up(reinterpret_cast<u64>(v.data()), 64));
  };
  for (u32 s = 0; s < kernel.sources; ++s) {
    Value at = Value::in_scratch(aligned(storage[s]), kernel.source_bits[s], lanes);
    call.each_thread([&](u32 thread) { x.set_lane(at, thread, call.argument(s, thread)); });
    arguments.source[s] = at.read(0);
  }
  for (u32 d = 0; d < kernel.destinations; ++d)
    arguments.destination[d] = aligned(storage[kernel.sources + d]);
  arguments.variant = kernel.variant;
  kernel.function(arguments);
  auto read = [&](u32 d, u32 thread) -> u64 {
    const void* data = arguments.destination[d];
    switch (kernel.destination_bits[d]) {
    case 1: return static_cast<const u32*>(data)[thread / 32] >> (thread % 32) & 1;
    case 16: return static_cast<const u16*>(data)[thread];
    case 32: return static_cast<const u32*>(data)[thread];
    default: return static_cast<const u64*>(data)[thread];
    }
  };
  u32 values = kernel.destinations - function.stores;
  call.each_thread([&](u32 thread) {
    if (values != 0) call.result(thread, read(0, thread));
    for (u32 s = 0; s < function.stores; ++s) {
      u64 value = read(values + s, thread);
      std::memcpy(call.pointer(call.argument(kernel.sources + s, thread), function.store_bytes[s], thread),
                  &value, function.store_bytes[s]);
    }
  });
}

} // namespace

bool call_builtin(Exec& x, const Op& op, const ir::Function& callee, const CallSite& site) {
  Caller call{x, op, site};
  ++x.effects;
  if (callee.name == "vprintf")
    print(call);
  else if (callee.name == "malloc")
    allocate(call);
  else if (callee.name == "free")
    release(call);
  else if (callee.name == "__assertfail" || callee.name == "__assert_fail")
    fail_assertion(call);
  else if (std::optional<MathFunction> function = find_math_function(callee.name))
    compute(call, *function);
  else
    return call_device_runtime(call, callee.name);
  return true;
}

} // namespace warplens::sim
