#include "runtime/failed_calls.h"
#include "os/environment.h"
#include "runtime/allocation_place.h"
#include "runtime/driver_api/frame.h"
#include <algorithm>
#include <unistd.h>

namespace warplens::runtime {
extern "C" CUresult cuGetErrorName(int error, const char** name);
namespace {

// The driver's functions are called cu…, and not cuda….
bool is_drivers(std::string_view function) {
  return function.starts_with("cu") && !function.starts_with("cuda");
}

bool is_an_answer(std::string_view function, int error) {
  return (error == cudaErrorNotReady && function.ends_with("Query")) ||
         error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorPeerAccessNotEnabled;
}

std::string name_of(std::string_view function, int error) {
  if (!is_drivers(function)) return cudaGetErrorName(error);
  const char* name = nullptr;
  cuGetErrorName(error, &name);
  return name != nullptr ? name : cudaGetErrorName(error);
}

} // namespace

bool watches_failed_calls() { return options_from_environment().launch_checks().memory; }

bool returns_no_error(std::string_view function) {
  static constexpr std::string_view names[] = {"cudaCreateChannelDesc", "cudaGetErrorName",
                                               "cudaGetErrorString", "cudaGetLastError",
                                               "cudaPeekAtLastError",
                                               // floating-point parameters
                                               "cuTexRefSetMipmapLevelBias", "cuTexRefSetMipmapLevelClamp"};
  return std::find(std::begin(names), std::end(names), function) != std::end(names) ||
         (function.starts_with("__cuda") && !function.starts_with("__cudaLaunchKernel"));
}

// The first is told at once, in case the program does not live to its end; the rest at exit.
void note_failed_call(std::string_view function, int error) {
  if (is_an_answer(function, error)) return;
  // As the source calls it: compilers add the prefix, per-thread default streams the suffix.
  if (function.starts_with("__")) function.remove_prefix(2);
  if (function.ends_with("_ptds") || function.ends_with("_ptsz")) function.remove_suffix(5);
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  measure::FailedCall call{getpid(), std::string(function), name_of(function, error), calling_places(), 0};
  auto [calls, first] = runtime.failed.try_emplace(std::array{call.function, call.error, call.place}, 0);
  if (!first) {
    ++calls->second;
    return;
  }
  call.calls = 1;
  runtime.events.send(std::move(call));
}

} // namespace warplens::runtime
