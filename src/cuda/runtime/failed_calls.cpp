#include "runtime/failed_calls.h"
#include "runtime/allocation_place.h"
#include "runtime/state.h"
#include <algorithm>
#include <unistd.h>

namespace warplens::runtime {
namespace {

bool is_an_answer(std::string_view function, int error) {
  return (error == cudaErrorNotReady && function.ends_with("Query")) ||
         error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorPeerAccessNotEnabled;
}

} // namespace

const char* runtime_error_name(int error) { return cudaGetErrorName(static_cast<cudaError_t>(error)); }

int note_unsupported_call(const char* function) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.note_unsupported(function);
  return remember(cudaErrorNotSupported);
}

namespace {

bool watches_all() {
  static const bool asked_for = options_from_environment().launch_checks().memory;
  return asked_for;
}

bool returns_no_error(std::string_view function) {
  static constexpr std::string_view names[] = {"cudaCreateChannelDesc", "cudaGetErrorName",
                                               "cudaGetErrorString", "cudaGetLastError",
                                               "cudaPeekAtLastError",
                                               // floating-point parameters
                                               "cuTexRefSetMipmapLevelBias", "cuTexRefSetMipmapLevelClamp"};
  return std::find(std::begin(names), std::end(names), function) != std::end(names) ||
         (function.starts_with("__cuda") && !function.starts_with("__cudaLaunchKernel"));
}

} // namespace

// A copy that fails leaves data behind that looks like a result; other calls may be questions.
bool is_watched(std::string_view function) {
  static constexpr std::string_view copies[] = {"cudaMemcpy", "cudaMemset", "cuMemcpy", "cuMemset"};
  return !returns_no_error(function) &&
         (watches_all() ||
          std::ranges::any_of(copies, [&](std::string_view begin) { return function.starts_with(begin); }));
}

// Of a launch: the stub that compilers make of a kernel, nvcc's function around it, and who calls that.
constexpr int most_frames = 3;

// The first is told at once, in case the program does not live to its end; the rest at exit.
void note_failed_call(std::string_view function, int error, const char* name) {
  if (is_an_answer(function, error)) return;
  // As the source calls it: compilers add the prefix, per-thread default streams the suffix.
  if (function.starts_with("__")) function.remove_prefix(2);
  if (function.ends_with("_ptds") || function.ends_with("_ptsz")) function.remove_suffix(5);
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  if (!watches_all() && runtime.sticky != cudaSuccess) return; // the kernel's error, which is told
  measure::FailedCall call{getpid(), std::string(function), name, calling_places(most_frames), 0};
  auto [calls, first] = runtime.failed.try_emplace(std::array{call.function, call.error, call.place}, 0);
  if (!first) {
    ++calls->second;
    return;
  }
  call.calls = 1;
  runtime.events.send(std::move(call));
}

} // namespace warplens::runtime
