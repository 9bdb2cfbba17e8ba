// Kernel launches: checked as a GPU's driver checks them (launch_refusal.h), run by the emulator, counted, and sent to
// the parent. Each that the program asks for is sent, whatever becomes of it.
//
// A launch runs to its end inside the call. What goes wrong in the kernel is kept back as CUDA does: the
// launch itself succeeds, the next call that waits for the device returns the error, and it is sticky. What
// only WarpLens cannot do (an opcode without an implementation) is no fault of the program, but it must not take what
// memory then holds for results: the launch returns cudaErrorNotSupported, as does the next call that waits if the program
// did not ask, and the device works on. Launches after it are counted, and marked as perhaps working on wrong data.
#include "runtime/launch.h"
#include "measure/collect.h"
#include "measure/spread.h"
#include "ptx/parse.h"
#include "runtime/allocation_place.h"
#include "runtime/capture.h"
#include "runtime/interruption.h"
#include "runtime/launch_refusal.h"
#include "runtime/memory.h"
#include "runtime/nvtx.h"
#include "runtime/proof.h"
#include "runtime/python_caller.h"
#include "runtime/stream.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace warplens::runtime {
namespace {

cudaError_t code_of(sim::FaultKind kind) {
  switch (kind) {
  case sim::FaultKind::illegal_address: return cudaErrorIllegalAddress;
  case sim::FaultKind::misaligned_address: return cudaErrorMisalignedAddress;
  case sim::FaultKind::assertion: return cudaErrorAssert;
  case sim::FaultKind::trap: return cudaErrorLaunchFailure;
  case sim::FaultKind::invalid_instruction: return cudaErrorIllegalInstruction;
  case sim::FaultKind::stack_overflow: return cudaErrorHardwareStackError;
  case sim::FaultKind::timeout:
  case sim::FaultKind::deadlock: return cudaErrorLaunchTimeout;
  case sim::FaultKind::cancelled: return cudaErrorLaunchFailure;
  case sim::FaultKind::none:
  case sim::FaultKind::unsupported_instruction:
  case sim::FaultKind::unsupported_call:
  case sim::FaultKind::internal: return cudaSuccess; // WarpLens's own limits
  }
  return cudaErrorLaunchFailure;
}

// Kernels that a program does not launch itself: which of its calls did is in the host's stack, below the library's templates.
bool is_library_kernel(std::string_view demangled) {
  const std::size_t name = demangled.starts_with("void ") ? 5 : 0;
  for (std::string_view library : {"cub::", "thrust::", "cuda::"})
    if (demangled.substr(name).starts_with(library)) return true;
  return false;
}
constexpr int most_callers = 24;
// Of the launch that this thread makes; null outside of Python. A pointer, as a string's destructor would take memory of the program's heap.
thread_local const std::string* called_from_python = nullptr;

// What the record says before anything ran.
measure::LaunchRecord describe(Runtime& runtime, const Kernel* kernel, const LaunchRequest& request) {
  runtime.events.begin_launch();
  measure::LaunchRecord record;
  record.index = runtime.launches++;
  record.process = getpid();
  record.grid = request.grid;
  record.block = request.block;
  record.shared_bytes = request.shared;
  if (kernel != nullptr) {
    record.kernel = kernel->name;
    record.name = ptx::demangle(kernel->name);
    record.module = kernel->code().description;
    if (called_from_python != nullptr && kernel->binary->name.empty()) // a module of a package's
      record.called_from = *called_from_python;
    else if (is_library_kernel(record.name))
      record.called_from = calling_places(most_callers);
    if (!kernel->code().untranslated.contains(kernel->name)) {
      record.machine_code = kernel->code().machine_code;
      record.assembler = kernel->code().assembler;
    }
    if (u64 fixed = kernel->info.static_shared; request.shared <= ~u64{0} - fixed)
      record.shared_bytes += fixed;
    if (record.machine_code != 0)
      if (auto known = kernel->code().registers.find(kernel->name); known != kernel->code().registers.end())
        record.registers = known->second;
    record.local_bytes = kernel->info.local_bytes;
    record.local_arrays = kernel->info.local_arrays;
  } else {
    record.kernel = "unknown kernel";
  }
  if (runtime.options.nvtx) record.range = nvtx::name(nvtx::open_ranges());
  if (runtime.device) record.device = runtime.memory().in_use();
  for (const arch::Architecture* row : runtime.architectures) record.sm.push_back(arch::sm(*row));
  return record;
}

// `kernel`: null where the program never registered it.
void send_unrun(Runtime& runtime, const Kernel* kernel, const LaunchRequest& request, measure::Status status,
                std::string reason) {
  measure::LaunchRecord record = describe(runtime, kernel, request);
  record.status = status;
  record.reason = std::move(reason);
  runtime.events.send(std::move(record));
}

cudaError_t refuse(Runtime& runtime, const Kernel* kernel, const LaunchRequest& request,
                   const Refusal& refusal) {
  measure::LaunchRecord record = describe(runtime, kernel, request);
  record.status = measure::Status::refused;
  record.error = cudaGetErrorName(refusal.error);
  record.reason = fmt::format("{}: {}", record.error, refusal.why);
  runtime.events.send(std::move(record));
  return remember(refusal.error);
}

// The first launch that did not finish: memory may be wrong for all that come after it.
void note_incomplete(Runtime& runtime, u64 index) {
  if (!runtime.incomplete) runtime.incomplete_launch = index;
  runtime.incomplete = true;
}

// --keep-going ends the kernel alone, as compute-sanitizer's --destroy-on-device-error=kernel does: the program is told of
// success, and memory keeps what the kernel wrote.
void note_fault(Runtime& runtime, const sim::Fault& fault, u64 index) {
  note_incomplete(runtime, index);
  if (runtime.options.keep_going && fault.kind != sim::FaultKind::cancelled) return;
  runtime.sticky = code_of(fault.kind);
  runtime.faulted_launch = index;
  if (runtime.sticky == cudaSuccess) runtime.owed = cudaErrorNotSupported;
}

bool is_stopped(const sim::LaunchResult& result) {
  return result.fault &&
         (result.fault->kind == sim::FaultKind::cancelled || result.fault->kind == sim::FaultKind::timeout);
}

void conclude(Runtime& runtime, measure::LaunchRecord& record, sim::LaunchResult& result) {
  record.warp_instructions = result.warp_instructions;
  const bool cancelled = result.fault && result.fault->kind == sim::FaultKind::cancelled;
  if (runtime.incomplete) {
    if (!record.reason.empty()) record.reason += "; ";
    record.reason += fmt::format("after launch {}, which did not finish: its input may be wrong",
                                 runtime.incomplete_launch);
  }
  if (result.fault) {
    record.status = measure::Status::failed;
    record.reason = result.fault->diagnostic.message;
    if (is_stopped(result)) {
      record.status = measure::Status::partial;
      record.blocks = {result.ended, result.begun - result.ended};
      record.reason = cancelled                   ? "it ran when the program was stopped"
                      : runtime.budget.is_spent() ? "it ran when the budget was spent"
                                                  : "it ran longer than the time limit";
    }
    if (!cancelled && !runtime.budget.is_spent()) record.diagnostics.push_back(result.fault->diagnostic);
    note_fault(runtime, *result.fault, record.index);
  }
  for (diag::Diagnostic& warning : result.warnings) record.diagnostics.push_back(std::move(warning));
}

sim::LaunchOptions options_of(Runtime& runtime, std::string kernel) {
  sim::LaunchOptions options;
  options.name = std::move(kernel);
  options.progress = [&progress = runtime.progress](u64 done, u64 total) {
    progress.blocks(done, total);
    interruption::lasts();
  };
  options.cancel = &interruption::asked();
  options.workers = runtime.options.workers;
  options.strict_memory = runtime.options.memory == "strict";
  options.checks = runtime.options.launch_checks();
  // A program's own limit, if it is wider: frames of PTX have no registers, and take more than a GPU's.
  if (auto stack = runtime.limits.find(0 /* cudaLimitStackSize */); stack != runtime.limits.end())
    options.call_stack_bytes = std::max(options.call_stack_bytes, stack->second);
  // A limit that the clock cannot count to, some hundred years, is none.
  using Clock = std::chrono::steady_clock;
  if (std::chrono::duration<double> limit(runtime.options.timeout > 0 ? runtime.options.timeout : HUGE_VAL);
      limit < Clock::duration::max() / 2)
    options.time_limit = std::chrono::duration_cast<Clock::duration>(limit);
  if (std::optional<Clock::duration> left = runtime.budget.left())
    options.time_limit = std::min(*left, options.time_limit.value_or(*left));
  return options;
}

// The sample stands for the launch. Of one that was stopped the record says already why.
void tell_sampled(const Runtime& runtime, measure::LaunchRecord& record, const sim::Sampled& sampled,
                  sim::Sampling::Rest rest, bool stopped) {
  record.status = measure::Status::sampled;
  record.blocks = {sampled.ctas, 0};
  if (stopped || rest == sim::Sampling::Rest::left_out) record.warp_instructions = sampled.of_grid;
  if (stopped) return;
  if (rest == sim::Sampling::Rest::left_out)
    record.reason = fmt::format("the rest of this launch would take {}", runtime.budget.missing());
  else if (rest == sim::Sampling::Rest::uncounted)
    record.reason = "the other blocks ran without being counted";
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// That the process has computed. What the system does for it is not in it: a sample meets most pages of memory first.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

// Whether --launches and the like let it be counted. They count the launches in the ranges that are wanted.
bool is_wanted(Runtime& runtime, Kernel& kernel) {
  const Options& options = runtime.options;
  if (!nvtx::is_wanted(options.nvtx_include, options.nvtx_exclude)) return false;
  const u64 index = runtime.offered++;
  if (index < options.launch_skip || index - options.launch_skip >= options.launches.value_or(~u64{0}))
    return false;
  return kernel.wanted++ < options.per_kernel.value_or(~u64{0});
}

// A launch that was not to be counted is told of as one more of these, unless it went wrong.
void send_ended(Runtime& runtime, measure::LaunchRecord record, bool wanted) {
  runtime.progress.launch_ends(record.status == measure::Status::proved);
  if (wanted || !(measure::is_whole(record.status) || interruption::asked()))
    return runtime.events.send(std::move(record));
  for (diag::Diagnostic& warning : record.diagnostics)
    if (runtime.said.insert(warning.message).second) runtime.say(std::move(warning));
  std::string range = runtime.options.nvtx_include.empty() ? "" : nvtx::name(nvtx::open_ranges());
  if (!runtime.ranges.insert(range).second) range.clear();
  runtime.events.send(
      measure::LeftOut{record.process, record.index, std::move(record.name), std::move(range)});
}

// "transform_kernel" of a template's instance that fills half a screen.
std::string base_name(std::string_view demangled) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  if (const std::size_t at = demangled.rfind(unnamed); at != demangled.npos)
    demangled.remove_prefix(at + unnamed.size());
  demangled = demangled.substr(0, demangled.find_first_of("<("));
  const std::size_t before = demangled.find_last_of(": ");
  return std::string(before == demangled.npos ? demangled : demangled.substr(before + 1));
}

void say_if_untranslated(Runtime& runtime, const Kernel& kernel, const std::string& name) {
  const auto why = kernel.code().untranslated.find(kernel.name);
  if (why == kernel.code().untranslated.end() || kernel.code().machine_code == 0) return;
  runtime.say(
      diag::warning("machine-code-not-translated",
                    fmt::format("'{}' runs as PTX, not as machine code: {}", base_name(name), why->second),
                    {}, "its counts are those of PTX instructions"));
}

void run(Runtime& runtime, Kernel& kernel, const LaunchRequest& request) {
  measure::LaunchRecord record = describe(runtime, &kernel, request);
  const bool is_first = !std::exchange(kernel.launched, true);
  if (is_first) say_if_untranslated(runtime, kernel, record.name);
  runtime.progress.launch_begins(record.index, record.name, is_first);
  const bool wanted = is_wanted(runtime, kernel);
  std::vector<std::byte> parameters = pack_parameters(kernel.info, request.arguments).value();
  sim::LaunchSpec spec{
      kernel.function, request.grid,       request.block, request.cluster, static_cast<u32>(request.shared),
      parameters,      request.cooperative};
  if (runtime.options.proves() && count_by_repeating(runtime, kernel, spec, record))
    return send_ended(runtime, std::move(record), wanted);
  runtime.events.send(
      measure::LaunchStarted{record.process, record.index, record.name, record.grid, record.block});
  auto begin = std::chrono::steady_clock::now();
  sim::LaunchOptions options = options_of(runtime, record.name);
  if (request.time_left != nullptr) options.time_limit = *request.time_left;
  auto finish = [&] {
    record.seconds = seconds_since(begin);
    runtime.progress.took(record.seconds);
    send_ended(runtime, std::move(record), wanted);
  };
  if (is_worth_a_proof(runtime.options, kernel, spec)) {
    std::string obstacle = count_by_folding(runtime, kernel, spec, options, record);
    if (obstacle.empty()) {
      runtime.budget.spend(seconds_since(begin));
      return finish();
    }
    if (runtime.options.proves_all()) record.reason = "emulated in full: " + obstacle;
  }
  runtime.budget.spend(seconds_since(begin));
  runtime.progress.took(seconds_since(begin));
  const cudaError_t waited = runtime.deferrals.run_all(runtime); // which spends what it takes
  begin = std::chrono::steady_clock::now();
  if (waited != cudaSuccess) {
    record.status = measure::Status::unknown;
    record.reason = fmt::format("after launch {}", runtime.faulted_launch);
    return finish();
  }
  measure::Collector collector(runtime.architectures, kernel.sites, sim::worker_count(options, spec));
  sim::Sampling::Rest rest = sim::Sampling::Rest::counted;
  double before = 0; // once the kernel has been lowered, and all is set up
  if (wanted) options.sinks = collector.sinks();
  if (wanted && runtime.budget.limited())
    options.sampling = {[&](std::size_t parts) {
                          before = processor_seconds();
                          return collector.begin_sample(parts);
                        },
                        [&](const sim::Sampled& sampled) {
                          const double each =
                              (processor_seconds() - before) / sim::worker_count(options, spec);
                          const sim::Sampling::Next next = runtime.budget.next(kernel, spec, sampled, each);
                          rest = next.rest;
                          return next;
                        }};
  sim::LaunchResult result = sim::launch(*runtime.device, *kernel.code().program(runtime), spec, options);
  runtime.budget.spend(&kernel, spec, seconds_since(begin), result.warp_instructions,
                       rest == sim::Sampling::Rest::counted);
  const auto ran = std::chrono::steady_clock::now();
  kernel.work += result.warp_instructions;
  conclude(runtime, record, result);
  const bool is_counted = rest == sim::Sampling::Rest::counted;
  // More than the sample says of all, and yet not all: then it stands for nothing.
  const bool more = result.sampled && result.warp_instructions > result.sampled->of_grid;
  if (result.sampled && result.sampled->stands() &&
      (is_stopped(result) ? !(is_counted && more) : !result.fault && !is_counted)) {
    collector.end_sample(result.sampled->weights);
    tell_sampled(runtime, record, *result.sampled, rest, is_stopped(result));
  }
  record.sites = collector.finish();
  if (record.status == measure::Status::sampled && (!result.fault || more) &&
      rest == sim::Sampling::Rest::uncounted)
    measure::widen(record.sites, std::abs(static_cast<double>(result.warp_instructions) /
                                              static_cast<double>(result.sampled->of_grid) -
                                          1));
  if (!wanted) record.sites.clear();
  settle_sites(record.sites, kernel);
  runtime.budget.spend(seconds_since(ran));
  finish();
  if (rest == sim::Sampling::Rest::left_out || (is_stopped(result) && runtime.budget.is_spent()))
    runtime.end_early(measure::Stop::at_budget);
  if (options.time_limit) *options.time_limit -= std::chrono::steady_clock::now() - begin;
  if (request.time_left != nullptr) *request.time_left = options.time_limit;
  if (request.depth == 0) run_children(runtime, kernel.code(), options.time_limit);
}

} // namespace

void run_deferred(Runtime& runtime, const DeferredLaunch& launch) {
  sim::LaunchSpec spec{launch.kernel,         launch.grid,       launch.block, launch.cluster,
                       launch.dynamic_shared, launch.parameters, false};
  const OnDevice turn(runtime, launch.device);
  runtime.progress.launch_begins(launch.index, ptx::demangle(launch.name), false);
  if (runtime.budget.is_spent()) runtime.end_early(measure::Stop::at_budget);
  const auto begin = std::chrono::steady_clock::now();
  sim::LaunchResult result =
      sim::launch(*runtime.device, *launch.program, spec, options_of(runtime, ptx::demangle(launch.name)));
  runtime.budget.spend(nullptr, spec, seconds_since(begin), result.warp_instructions, false);
  runtime.progress.took(seconds_since(begin));
  runtime.progress.erase();
  if (is_stopped(result) && runtime.budget.is_spent()) runtime.end_early(measure::Stop::at_budget);
  if (!result.fault || result.fault->kind == sim::FaultKind::cancelled) return;
  runtime.say(result.fault->diagnostic);
  note_fault(runtime, *result.fault, launch.index);
}

void apply(LaunchRequest& request, std::span<const cudaLaunchAttribute> attributes) {
  for (const cudaLaunchAttribute& attribute : attributes) {
    if (attribute.id == cudaLaunchAttributeCooperative) request.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      request.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
  }
}

static cudaError_t launch_now(Runtime& runtime, const LaunchRequest& request) {
  Kernel* kernel = runtime.binaries.kernel(request.function);
  if (cudaError_t error = runtime.start(); error != cudaSuccess) { // no GPU would refuse it
    send_unrun(runtime, kernel, request, measure::Status::unknown,
               "this machine has no room for the device's memory");
    return remember(error);
  }
  // A stream says where, whichever device is current; what a kernel launches runs where it does.
  const OnDevice turn(runtime, request.device                  ? *request.device
                               : request.depth != 0            ? runtime.memory().in_use()
                               : stream_exists(request.stream) ? device_of(request.stream)
                                                               : thread_state().device);
  if (!kernel)
    return refuse(runtime, nullptr, request,
                  {cudaErrorInvalidDeviceFunction, "the program has no kernel at that address"});
  if (runtime.sticky != cudaSuccess) {
    send_unrun(runtime, kernel, request, measure::Status::unknown,
               fmt::format("after launch {}", runtime.faulted_launch));
    return remember(runtime.sticky);
  }
  if (cudaError_t error = kernel->resolve(runtime); error != cudaSuccess) {
    std::string reason = kernel->code().reason.empty() ? kernel->problem : kernel->code().reason;
    send_unrun(runtime, kernel, request, measure::Status::failed, std::move(reason));
    note_incomplete(runtime, runtime.launches - 1);
    return remember(error);
  }
  if (std::optional<Refusal> refusal = refusal_of(runtime, *kernel, request))
    return refuse(runtime, kernel, request, *refusal);
  if (is_captured(request.stream)) return remember(capture(request.stream, kernel_work(runtime, request)));
  if (cudaError_t error = capture_obstacle(request.stream); error != cudaSuccess)
    return refuse(runtime, kernel, request,
                  {error, "a stream is captured that waits for the default stream"});
  forget_unmapped(runtime);
  if (runtime.budget.is_spent()) runtime.end_early(measure::Stop::at_budget);
  cudaError_t before = std::exchange(runtime.owed, cudaSuccess);
  run(runtime, *kernel, request);
  if (runtime.owed != cudaSuccess) return remember(runtime.owed);
  runtime.owed = before;
  return remember(runtime.options.launch_blocking ? runtime.sticky : cudaSuccess);
}

static cudaError_t launch_guarded(const LaunchRequest& request) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock = runtime.upcoming.lock(runtime, request.function);
  const interruption::Guard guard;
  const cudaError_t error = launch_now(runtime, request);
  if (guard.ends_process()) runtime.upcoming.tell(runtime);
  return error;
}

cudaError_t launch(const LaunchRequest& request) {
  const std::string caller = python_caller();
  if (!caller.empty()) called_from_python = &caller;
  const cudaError_t error = launch_guarded(request);
  called_from_python = nullptr;
  interruption::leave_to_others();
  return error;
}

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch({function, grid, block, {}, shared, arguments, stream, false});
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch({function, grid, block, {}, shared, arguments, stream, true});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config || (config->numAttrs != 0 && !config->attrs)) return remember(cudaErrorInvalidValue);
  LaunchRequest request{
      function, config->gridDim, config->blockDim, {}, config->dynamicSmemBytes, arguments, config->stream,
      false};
  apply(request, {config->attrs, config->numAttrs});
  return launch(request);
}

} // extern "C"
} // namespace warplens::runtime
