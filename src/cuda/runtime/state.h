// The emulated devices of this process, and the frame that every API function runs in.
//
// One Runtime per process, created at the first CUDA call and never destroyed: programs unregister their
// device code from atexit handlers, in any order. Its lock serialises API calls; a launch holds it to its
// end. Work on streams runs at once and in order, so a call that "waits" finds nothing to wait for.
//
// Errors follow CUDA: each thread keeps its last error; a fault in a kernel is sticky, is first returned by
// the next call that may return errors of earlier work, and from then on by every call.
#pragma once
#include "abi/api.h"
#include "arch/table.h"
#include "os/store.h"
#include "runtime/belongings.h"
#include "runtime/budget.h"
#include "runtime/deferred.h"
#include "runtime/environment_options.h"
#include "runtime/event_stream.h"
#include "runtime/module.h"
#include "runtime/progress.h"
#include "runtime/repeats.h"
#include "runtime/upcoming.h"
#include "sim/sim.h"
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warplens::runtime {

struct Runtime {
  Options options;
  EventStream events;
  Progress progress;
  cache::Store cache;
  std::recursive_mutex mutex;
  std::vector<const arch::Architecture*> architectures; // counted; the first is the device
  u32 devices = 1;                                      // of that kind; 0: CUDA_VISIBLE_DEVICES hides them
  cudaError_t no_device = cudaErrorNoDevice;            // why there is none
  // After start(). All of them: they differ in their part of its memory, which says whose turn it is.
  std::unique_ptr<sim::Device> device;
  Belongings belongings;
  Binaries binaries;
  Deferrals deferrals;
  Repeats repeats;
  Budget budget;
  Upcoming upcoming;
  std::string output; // device printf since the last synchronisation
  cudaError_t sticky = cudaSuccess;
  cudaError_t owed =
      cudaSuccess;         // of a launch that could not be emulated: for the next call that waits, once
  u64 faulted_launch = 0;  // the launch that made `sticky`
  bool incomplete = false; // a launch did not finish, so later ones may see wrong data
  u64 incomplete_launch = 0;
  u64 launches = 0;
  u64 offered = 0;                        // of them, those to be counted if --launches and the like let them
  std::vector<std::string> registered;    // kernels that have not been told of
  std::set<std::string> ranges;           // NVTX ranges of launches that are not counted
  std::set<std::string> said;             // warnings of launches that are not counted
  std::map<std::string, u64> unsupported; // calls per function since the last report
  std::map<std::array<std::string, 3>, u64> failed; // the same per function, error and place (failed_calls.h)
  std::map<int, u64> limits;

  static Runtime& get();
  const arch::Architecture& architecture() const { return *architectures.front(); }
  sim::Memory& memory() { return *device->memory; }
  bool is_device(int number) const { return number >= 0 && static_cast<u32>(number) < devices; }

  // Creates the device. Fails when the host has no room for its address space.
  cudaError_t start();
  // Hands device printf to the program's standard output; CUDA does that where the host waits for the device.
  void synchronize();
  void say(diag::Diagnostic);
  void note_unsupported(const std::string& function);
  void tell_registered();
  // The program ends here, with exit code 0, and what it launched is told of.
  [[noreturn]] void end_early(measure::Stop);
  // --check memory: what the program has not freed, as messages.
  void report_leaks();
  void report_unseen_output(); // what kernels printed since the program last waited for them, as a message
  // Back to a device without allocations, handles, errors or printed text (cudaDeviceReset). Graphs go with the last device that
  // has something.
  void reset(u32 device);

private:
  friend class OnDevice;
  std::set<u32> started; // devices that the program used
  Runtime();
};

// What the Runtime API keeps for each thread.
struct ThreadState {
  cudaError_t error = cudaSuccess; // the last one
  bool has_primary = false;        // it called a function of the Runtime API: the primary context is current
  u32 device = 0;                  // current
};
ThreadState& thread_state();

// Its turn, as long as this lives; of one that is.
class OnDevice {
public:
  OnDevice(Runtime& runtime, u32 device) : runtime_(runtime), before_(runtime.memory().in_use()) {
    runtime.memory().use(device);
    runtime.started.insert(device);
  }
  ~OnDevice() {
    if (runtime_.device) runtime_.memory().use(before_); // it may have been reset
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

private:
  Runtime& runtime_;
  u32 before_;
};

// The one T that belongs to the devices (belongings.h).
template <class T> T& of_device() { return Runtime::get().belongings.get<T>(); }

// Programs tell devices apart by it: 16 bytes that are not all zero.
inline void write_uuid(char* out, const arch::Architecture& row, u32 device) {
  constexpr std::string_view text("WarpLens\0\0\0\0\0\0", 14);
  text.copy(out, text.size());
  out[14] = static_cast<char>(device), out[15] = static_cast<char>(arch::sm(row));
}

// This thread's last error, as cudaPeekAtLastError sees it.
cudaError_t& last_error();
cudaError_t remember(cudaError_t);

// Tells what was asked for: `bad` where there is no place for it. 0 is success in each of CUDA's interfaces.
template <class T, class Status = cudaError_t>
Status answer(T* out, std::type_identity_t<T> value, Status bad = cudaErrorInvalidValue) {
  if (!out) return bad;
  *out = std::move(value);
  return Status{};
}

// Runs `body(runtime)` as an API function: locked, after start(), with sticky errors returned instead.
template <class Body> cudaError_t api(Body&& body) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.progress.erase();
  cudaError_t error = runtime.start();
  thread_state().has_primary = true;
  if (error == cudaSuccess) error = runtime.sticky;
  if (error != cudaSuccess) return remember(error);
  const OnDevice turn(runtime, thread_state().device);
  return remember(body(runtime));
}

// An API function that waits for the device: prints what kernels printed, then returns what went wrong, if
// anything.
template <class Body> cudaError_t api_waiting(Body&& body) {
  cudaError_t owed;
  {
    Runtime& runtime = Runtime::get();
    std::lock_guard lock(runtime.mutex);
    runtime.synchronize();
    owed = std::exchange(runtime.owed, cudaSuccess);
  }
  return owed == cudaSuccess ? api(body) : remember(owed);
}

} // namespace warplens::runtime
