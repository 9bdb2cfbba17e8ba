// Functions of the driver API by name, and its errors by number.
#include "driver_api/entry_points.h"
#include "driver_api/frame.h"
#include "libraries/exports.h"
#include "os/file.h"
#include "runtime/failed_calls.h"
#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <string>

namespace warplens::runtime {
namespace {

constexpr int found = 0, not_found = 1,
              too_old = 2; // CUdriverProcAddressQueryResult, cudaDriverEntryPointQueryResult

// What "cuMemAlloc" is in that version of CUDA: cuMemAlloc_v2 since 3.2. A name with a suffix is itself.
int look_up(const char* symbol, int version, void** function) {
  constexpr int flags_only =
      12000; // from here on the plain name means the function without a buffer for errors
  std::string name = symbol;
  if (name == "cuGraphInstantiate" && version >= flags_only) name = "cuGraphInstantiateWithFlags";
  const DriverExport* best = nullptr;
  bool newer = false;
  for (const DriverExport& row : driver_exports()) {
    std::string_view known = row.name;
    if (known != name && !(known.starts_with(name + "_v") && known.size() == name.size() + 3)) continue;
    if (row.since > version)
      newer = true;
    else if (!best || row.since >= best->since)
      best = &row;
  }
  *function = best ? reinterpret_cast<void*>(best->function) : nullptr;
  return best ? found : newer ? too_old : not_found;
}

cudaError_t entry_point(const char* symbol, void** function, int version, int* status) {
  if (!symbol || !function) return remember(cudaErrorInvalidValue);
  const int result = look_up(symbol, version, function);
  if (status) *status = result;
  return cudaSuccess;
}

const char* name_of(int error) {
  switch (error) {
#define WARPLENS_DRIVER_ERROR(name, code)                                                                    \
  case code:                                                                                                 \
    return #name;
#include "cuda/warplens/driver_errors.def"
#undef WARPLENS_DRIVER_ERROR
  default: return nullptr;
  }
}

} // namespace

// From 100 on the two APIs have the same numbers, and below that 0 to 8. What the Runtime API tells apart otherwise, is
// an invalid argument to the driver.
CUresult as_result(cudaError_t error) {
  switch (error) {
  case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
  case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
  default: break;
  }
  const int number = static_cast<int>(error);
  return name_of(number) ? static_cast<CUresult>(number) : CUDA_ERROR_INVALID_VALUE;
}

const char* driver_error_name(int error) {
  const char* name = name_of(error);
  return name != nullptr ? name : runtime_error_name(error);
}

extern "C" {

CUresult cuGetErrorName(int error, const char** name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = name_of(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(int error, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = name_of(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Of a name that there is not, a driver (580.159.04, H200) says so by a null pointer and the status, and returns success;
// before CUDA 12, which had no status, it returned an error and left the pointer alone.
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, u64, int* status) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  const int result = look_up(symbol, version, function);
  if (status) *status = result;
  return CUDA_SUCCESS;
}
CUresult cuGetProcAddress(const char* symbol, void** function, int version, u64) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  void* there = nullptr;
  if (look_up(symbol, version, &there) != found) return CUDA_ERROR_NOT_FOUND;
  *function = there;
  return CUDA_SUCCESS;
}

// Tables of functions that NVIDIA's own libraries know of each other: not documented, and not here.
CUresult cuGetExportTable(const void** table, const void*) {
  if (table) *table = nullptr;
  Dl_info asker{};
  if (dladdr(__builtin_return_address(0), &asker) == 0 || asker.dli_fname == nullptr)
    return CUDA_ERROR_NOT_FOUND;
  const std::string_view name = os::file_name(asker.dli_fname);
  if (!stand_ins_for(name).empty()) return CUDA_ERROR_NOT_FOUND; // what it would do, others do in its place
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  diag::Diagnostic told{
      "undocumented-driver",
      diag::Severity::note,
      fmt::format("'{}' asked the driver for functions that are not documented, and got none", name),
      {},
      {"NVIDIA's own libraries do, and the CUDA runtime that is linked into a stripped library with kernels: "
       "what they launch is not run"},
      "where something is missing: build the library with nvcc -cudart shared, or do not strip it"};
  if (runtime.said.insert(told.message).second) runtime.say(std::move(told));
  return CUDA_ERROR_NOT_FOUND;
}

// CUDA 11 has no last parameter; the version is that of the caller's runtime.
cudaError_t cudaGetDriverEntryPoint_11(const char* symbol, void** function, u64) {
  return entry_point(symbol, function, 11080, nullptr);
}
cudaError_t cudaGetDriverEntryPoint_12(const char* symbol, void** function, u64, int* status) {
  return entry_point(symbol, function, 12090, status);
}
cudaError_t cudaGetDriverEntryPoint_13(const char* symbol, void** function, u64, int* status) {
  return entry_point(symbol, function, 13000, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, u64,
                                             int* status) {
  return entry_point(symbol, function, static_cast<int>(version), status);
}

#define IMPLEMENTED(name, since)
#define FORWARD(name, frame, of, since)
#define ALIAS(name, of, since)
#define STUB(name, since)                                                                                    \
  CUresult name() {                                                                                          \
    Runtime& runtime = Runtime::get();                                                                       \
    std::lock_guard lock(runtime.mutex);                                                                     \
    runtime.note_unsupported(#name);                                                                         \
    return CUDA_ERROR_NOT_SUPPORTED;                                                                         \
  }
#include "driver_api/exports.def"
#undef IMPLEMENTED
#undef FORWARD
#undef ALIAS
#undef STUB

} // extern "C"
} // namespace warplens::runtime
