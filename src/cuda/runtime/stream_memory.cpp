// See stream_memory.h.
#include "runtime/stream_memory.h"
#include "runtime/memory.h"
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace warplens::runtime {
namespace {

using Operation = StreamMemoryOperation;
using Clock = std::chrono::steady_clock;

bool is_wide(const Operation& o) { return o.kind == Operation::wait_64 || o.kind == Operation::write_64; }
bool is_wait(const Operation& o) { return o.kind == Operation::wait_32 || o.kind == Operation::wait_64; }
u64 width_of(const Operation& o) { return is_wide(o) ? 8 : 4; }

enum Condition : unsigned { at_least, equal, any_bit, not_all_bits }; // of CUstreamWaitValue_flags
constexpr unsigned last_condition = not_all_bits;

// Differences are cyclic: of signed numbers as wide as the word.
bool holds(const Operation& o, u64 word) {
  const u64 mask = is_wide(o) ? ~u64{0} : u64{0xffff'ffff}, value = o.value & mask;
  switch (o.flags) {
  case at_least:
    return is_wide(o) ? static_cast<i64>(word - value) >= 0
                      : static_cast<i32>(static_cast<u32>(word - value)) >= 0;
  case equal: return word == value;
  case any_bit: return (word & value) != 0;
  default: return (~(word | value) & mask) != 0;
  }
}

// Reads the word once the launches that may write it have run.
cudaError_t is_satisfied(const Operation& o, bool& satisfied) {
  return api([&](Runtime& r) {
    if (cudaError_t error = check_operation(r, o); error != cudaSuccess) return error;
    if (cudaError_t error = r.deferrals.before_read(r, o.address, width_of(o)); error != cudaSuccess)
      return error;
    u64 word = is_wide(o) ? __atomic_load_n(reinterpret_cast<const u64*>(o.address), __ATOMIC_ACQUIRE)
                          : __atomic_load_n(reinterpret_cast<const u32*>(o.address), __ATOMIC_ACQUIRE);
    satisfied = holds(o, word);
    return cudaSuccess;
  });
}

cudaError_t tell_endless(const Operation& o) {
  return api([&](Runtime& r) {
    r.say(diag::error(
        "stream-waits-in-vain",
        fmt::format("a stream waits for the word at {:#x}, and nobody wrote its value within {} seconds",
                    o.address, longest_wait),
        {},
        "write the word before the call that waits for it, or from another thread. Work runs here when it is "
        "submitted, so a later call of this thread cannot end the wait"));
    return cudaErrorNotSupported;
  });
}

cudaError_t wait(const Operation& o) {
  const Clock::time_point last =
      Clock::now() + std::chrono::milliseconds(static_cast<i64>(longest_wait * 1000));
  for (;;) {
    bool satisfied = false;
    cudaError_t error = is_satisfied(o, satisfied);
    if (error != cudaSuccess || satisfied) return error;
    if (Clock::now() > last) return tell_endless(o);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

cudaError_t write(const Operation& o) {
  return api([&](Runtime& r) {
    if (cudaError_t error = check_operation(r, o); error != cudaSuccess) return error;
    const u64 width = width_of(o);
    if (cudaError_t error = r.deferrals.before_write(r, o.address, width, true); error != cudaSuccess)
      return error;
    if (is_wide(o))
      __atomic_store_n(reinterpret_cast<u64*>(o.address), o.value, __ATOMIC_RELEASE);
    else
      __atomic_store_n(reinterpret_cast<u32*>(o.address), static_cast<u32>(o.value), __ATOMIC_RELEASE);
    if (sim::WrittenBytes* written = r.memory().written()) written->mark(o.address, width);
    return cudaSuccess;
  });
}

} // namespace

cudaError_t check_operation(Runtime& runtime, const StreamMemoryOperation& o) {
  constexpr unsigned no_barrier_first = 1, flush_after = 1u << 30;
  switch (o.kind) {
  case Operation::barrier: return o.barrier_flags <= 1 ? cudaSuccess : cudaErrorInvalidValue;
  case Operation::flush: return cudaErrorNotSupported; // as the device's attribute says
  case Operation::wait_32:
  case Operation::wait_64:
    if ((o.flags & flush_after) != 0) return cudaErrorNotSupported;
    if (o.flags > last_condition) return cudaErrorInvalidValue;
    break;
  case Operation::write_32:
  case Operation::write_64:
    if (o.flags > no_barrier_first) return cudaErrorInvalidValue;
    break;
  default: return cudaErrorInvalidValue;
  }
  const u64 width = width_of(o);
  const PointerPlace where = place(runtime, reinterpret_cast<const void*>(o.address), width);
  return o.address % width == 0 && (where == PointerPlace::device || where == PointerPlace::shared)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

cudaError_t perform_operations(const std::vector<StreamMemoryOperation>& operations) {
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 0; error == cudaSuccess && i < operations.size(); ++i) {
    if (operations[i].kind == Operation::barrier) continue;
    error = is_wait(operations[i]) ? wait(operations[i]) : write(operations[i]);
  }
  return error;
}

} // namespace warplens::runtime
