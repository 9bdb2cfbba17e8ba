// The one object behind the CUDA API of this process: made at the first call, never destroyed, because
// programs call CUDA from destructors; a forked child starts over with its own stream of events.
#include "runtime/state.h"
#include "os/environment.h"
#include "os/mappings.h"
#include "runtime/image.h"
#include "runtime/interruption.h"
#include "runtime/pool.h"
#include "runtime/returned.h"
#include "runtime/run_ledger.h"
#include "runtime/virtual_memory.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

i64 process() { return static_cast<i64>(getpid()); }

Runtime* instance = nullptr;

void announce(Runtime& runtime) {
  runtime.events.send(measure::ProcessStarted{process(), os::executable(),
                                              std::string(runtime.architecture().part.name),
                                              arch::sm(runtime.architecture())});
}

// A forked child goes on with a copy of everything and counts its own launches. glibc's recursive mutex
// remembers the parent's thread, so the child starts with fresh locks.
void before_fork() { instance->mutex.lock(); }
void in_parent() { instance->mutex.unlock(); }
void in_child() {
  new (&instance->mutex) std::recursive_mutex;
  instance->events.after_fork();
  instance->upcoming.after_fork();
  interruption::after_fork();
  instance->launches = instance->offered = 0;
  for (const auto& [host, kernel] : instance->binaries.kernels) kernel->wanted = 0;
  instance->output.clear();
  instance->unsupported.clear();
  instance->failed.clear();
  announce(*instance);
}

Runtime& create() {
  pthread_atfork(before_fork, in_parent, in_child);
  return *instance;
}

} // namespace

Runtime::Runtime()
    : options(options_from_environment()), events(options.events, options.ledger), progress(events.ledger()),
      cache(cache::settings_from_environment()), budget(options) {
  for (u32 sm : options.capabilities())
    if (const arch::Architecture* row = arch::find(sm)) architectures.push_back(row);
  if (architectures.empty()) architectures.push_back(arch::find(90));
  if (options.devices) {
    const VisibleDevices visible =
        visible_devices(static_cast<u32>(*options.devices), std::getenv("CUDA_VISIBLE_DEVICES"));
    devices = visible.count;
    if (visible.twice) no_device = cudaErrorInvalidDevice;
  }
  instance = this;
  announce(*this);
  if (!options.ledger.empty() && run_ledger(options.ledger) == nullptr)
    say(diag::warning(
        "ledger-unreachable",
        fmt::format("process {} runs where WarpLens's ledger cannot be reached: launches that it began and "
                    "did not end may be missing",
                    getpid()),
        {}, "start the program with the /proc of its parent"));
}

Runtime& Runtime::get() {
  static Runtime* runtime = [] {
    new Runtime; // sets `instance`; lives until the process ends
    return &create();
  }();
  return *runtime;
}

cudaError_t Runtime::start() {
  if (device) return cudaSuccess;
  if (devices == 0) return no_device;
  const arch::Architecture& row = architecture();
  Result<std::unique_ptr<sim::Memory>> memory = sim::Memory::create(row.part.memory_bytes, devices);
  if (!memory) {
    say(memory.error());
    return cudaErrorMemoryAllocation;
  }
  device = std::make_unique<sim::Device>();
  device->shape = {row.sm,
                   row.part.multiprocessors,
                   row.limits.launch(),
                   row.limits.shared_per_block_optin,
                   row.limits.shared_allocation_unit,
                   row.part.clock_khz,
                   !row.features.independent_threads};
  device->memory = std::move(*memory);
  if (options.launch_checks().memory) device->memory->track();
  device->print = [this](std::string_view text) { output += text; };
  device->is_host = [](u64 address) { return os::accessible(address, 1, false); };
  return cudaSuccess;
}

void Runtime::synchronize() {
  note_shared_memory(*this);
  if (output.empty()) return;
  std::fwrite(output.data(), 1, output.size(), stdout);
  output.clear();
}

void Runtime::say(diag::Diagnostic diagnostic) {
  events.send(measure::Message{process(), std::move(diagnostic)});
}

// The first call is told at once, in case the program does not live to its end; the rest at exit.
void Runtime::note_unsupported(const std::string& function) {
  auto [entry, first] = unsupported.try_emplace(function, 0);
  if (first) {
    events.send(measure::Unsupported{process(), function, 1});
  } else {
    ++entry->second;
  }
}

// A library may have thousands, of which nobody wants to know which were not launched.
void Runtime::tell_registered() {
  constexpr std::size_t most = 256;
  static std::size_t told = 0;
  if (told < most && !registered.empty()) events.send(measure::KernelsKnown{process(), registered});
  told += registered.size();
  registered.clear();
}

// The program's own handlers for its end could ask for the results, or write down what was never computed.
void Runtime::end_early(measure::Stop why) {
  synchronize();
  std::fflush(stdout);
  if (measure::Ledger* ledger = events.ledger()) ledger->stopped = why;
  events.send(measure::ProcessEnded{process()});
  _exit(0);
}

// Allocations of one place are one message, the largest first.
void Runtime::report_leaks() {
  if (!device) return;
  struct Leak {
    u64 bytes = 0, count = 0;
  };
  std::map<std::string, Leak> places;
  for (const sim::Allocation& allocation : device->memory->live()) {
    if (!allocation.name.empty() || allocation.kind == sim::AllocationKind::symbol ||
        allocation.kind == sim::AllocationKind::heap || deferrals.holds(allocation.address))
      continue;
    Leak& leak = places[allocation.made];
    leak.bytes += allocation.size, ++leak.count;
  }
  std::vector<std::pair<std::string, Leak>> sorted(places.begin(), places.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(sorted.size(), most); ++i) {
    const auto& [place, leak] = sorted[i];
    say(diag::note("memory-leak", // no more than a note: the end of the program frees it
                   fmt::format("{} bytes in {} {} were never freed", leak.bytes, leak.count,
                               leak.count == 1 ? "allocation" : "allocations"),
                   {}, place.empty() ? "" : fmt::format("free what is allocated at {}", place)));
  }
}

void Runtime::report_unseen_output() {
  const i64 lines = std::ranges::count(output, '\n') + (!output.empty() && output.back() != '\n');
  if (lines != 0)
    say(diag::warning("printf-not-shown",
                      fmt::format("{} {} of printf in kernels {} not shown: the program ended first", lines,
                                  lines == 1 ? "line" : "lines", lines == 1 ? "was" : "were"),
                      {}, "call cudaDeviceSynchronize before the program ends"));
}

void Runtime::reset(u32 which) {
  if (!device) return;
  note_shared_memory_at_end(*this);
  started.erase(which);
  if (!started.empty() && sticky == cudaSuccess) { // a fault is of all devices, and so is what ends it
    (void)deferrals.run_all(*this);                // others may need what they write
    repeats.forget();
    belongings.forget(which);
    binaries.unload(which);
    for (const sim::Allocation& allocation : device->memory->live())
      if (allocation.device == which && allocation.name.empty()) // variables go with their programs
        device->memory->release(allocation.address);
    for (u32 other = 0; other < devices; ++other)
      device->memory->set_peer(which, other, false), device->memory->set_peer(other, which, false);
    return;
  }
  belongings.clear();
  deferrals.forget();
  repeats.forget();
  binaries.unload();
  device.reset();
  started.clear();
  sticky = owed = cudaSuccess;
  limits.clear();
}

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

cudaError_t& last_error() { return thread_state().error; }

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

// Runs when the process exits in an orderly way, after the program's own atexit handlers.
[[gnu::destructor]] static void end_of_process() {
  if (!instance) return;
  interruption::stop_launch();
  for (const auto& [function, calls] : instance->unsupported)
    if (calls > 0) instance->events.send(measure::Unsupported{process(), function, calls});
  for (const auto& [call, calls] : instance->failed)
    if (calls > 0) instance->events.send(measure::FailedCall{process(), call[0], call[1], call[2], calls});
  if (instance->options.launch_checks().memory) instance->report_leaks();
  instance->report_unseen_output();
  note_shared_memory_at_end(*instance);
  instance->events.send(measure::ProcessEnded{process()});
}

} // namespace warplens::runtime
