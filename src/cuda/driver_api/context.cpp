// cuInit and the functions of contexts (runtime/contexts.h).
#include "driver_api/frame.h"
#include <algorithm>
#include <atomic>

namespace warplens::runtime {

namespace {

std::atomic<bool> initialised = false;

// Resetting the device destroys what the primary context has; these are others, and stay.
std::map<CUcontext, std::unique_ptr<Context>>& created() {
  static auto* all = new std::map<CUcontext, std::unique_ptr<Context>>;
  return *all;
}
// The contexts other than the primary one in which something was made.
std::map<const void*, CUcontext>& made_in() { return of_device<std::map<const void*, CUcontext>>(); }
bool is_created(CUcontext context) { return created().contains(context) && context->alive; }
bool is_primary(CUcontext context) {
  for (u32 device = 0; device < Runtime::get().devices; ++device)
    if (context == &primary(device).context) return true;
  return false;
}
bool known(CUcontext context) { return is_primary(context) || is_created(context); }

// Contexts are changed under the runtime's lock, and without a device.
template <class Body> CUresult locked(Body&& body) {
  if (!driver_ready()) return CUDA_ERROR_NOT_INITIALIZED;
  std::lock_guard lock(Runtime::get().mutex);
  return body();
}
template <class Body> CUresult on_device(CUdevice device, Body&& body) {
  return locked([&] { return Runtime::get().is_device(device) ? body() : CUDA_ERROR_INVALID_DEVICE; });
}
Primary& primary_of(CUdevice device) { return primary(static_cast<u32>(device)); } // which there is

CUresult create(CUcontext* context, unsigned flags, CUdevice device) {
  return on_device(device, [&] {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    static u64 last_id = Runtime::get().devices; // those before are the primary ones'
    auto made = std::make_unique<Context>(Context{flags, ++last_id});
    made->device = static_cast<u32>(device);
    *context = made.get();
    push_context(made.get());
    created()[*context] = std::move(made);
    return CUDA_SUCCESS;
  });
}

} // namespace

bool driver_ready() {
  if (initialised) return true;
  std::lock_guard lock(Runtime::get().mutex);
  return Runtime::get().device != nullptr;
}

void remember_context(const void* made) {
  std::lock_guard lock(Runtime::get().mutex);
  if (CUcontext context = current_context(); !is_primary(context)) made_in()[made] = context;
}
void forget_context(const void* made) {
  std::lock_guard lock(Runtime::get().mutex);
  made_in().erase(made);
}
CUcontext maker_of(const void* made, u32 device) {
  std::lock_guard lock(Runtime::get().mutex);
  auto found = made_in().find(made);
  return found != made_in().end() ? found->second : &primary(device).context;
}

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Runtime::get(); // tells the parent that a program with CUDA runs
  initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return on_device(device, [&] {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    ++primary_of(device).retained;
    *context = &primary_of(device).context;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return on_device(device, [&] {
    if (primary_of(device).retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    --primary_of(device).retained;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return on_device(device, [&] {
    KeepThreadState keep;
    thread_state().device = static_cast<u32>(device);
    return as_result(cudaDeviceReset());
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return on_device(device, [&] {
    primary_of(device).context.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return on_device(device, [&] {
    if (flags) *flags = primary_of(device).context.flags;
    if (active)
      *active = primary_of(device).retained != 0 ||
                (thread_state().has_primary && thread_state().device == static_cast<u32>(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext* context, void*, int, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* context, void*, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return locked([&] {
    if (!is_created(context)) return CUDA_ERROR_INVALID_CONTEXT;
    drop_context(context);
    context->alive = false;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return locked([&] {
    if (!known(context)) return CUDA_ERROR_INVALID_CONTEXT;
    push_context(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return locked([&] {
    CUcontext current = current_context();
    if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = current;
    set_current_context(nullptr);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return locked([&] {
    if (context != nullptr && !known(context)) return CUDA_ERROR_INVALID_CONTEXT;
    set_current_context(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return locked([&] { return answer(context, current_context(), CUDA_ERROR_INVALID_VALUE); });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context([&] { return answer(device, static_cast<CUdevice>(current_context()->device)); });
}
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  return context == nullptr ? cuCtxGetDevice(device) : locked([&] {
    if (!known(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (device) *device = static_cast<CUdevice>(context->device);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return in_context([&] { return answer(flags, current_context()->flags); });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return locked([&] {
    if (context == nullptr) context = current_context();
    if (context == nullptr || !known(context)) return CUDA_ERROR_INVALID_CONTEXT;
    return answer(id, context->id, CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  return locked([&] {
    constexpr unsigned since = 3020; // the version of the contexts' interface, which has not changed since
    return answer(version, since, CUDA_ERROR_INVALID_VALUE);
  });
}

// A context is one more user of itself; what it does ends with it, whatever the users do.
CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return context == nullptr ? CUDA_ERROR_INVALID_VALUE : in_context([&] {
    *context = current_context();
    return cudaSuccess;
  });
}
CUresult cuCtxDetach(CUcontext context) {
  return locked([&] { return known(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; });
}

// All work of a context is done when it is submitted.
CUresult cuCtxRecordEvent(CUcontext context, cudaEvent_t event) {
  if (CUresult error = cuCtxDetach(context); error != CUDA_SUCCESS) return error;
  return driver([&] { return cudaEventRecord(event, nullptr); });
}
CUresult cuCtxWaitEvent(CUcontext context, cudaEvent_t event) {
  if (CUresult error = cuCtxDetach(context); error != CUDA_SUCCESS) return error;
  return driver([&] { return cudaStreamWaitEvent(nullptr, event, 0); });
}

// What an emulator does not have is accepted, as a GPU may ignore it too.
static CUresult accept() {
  return in_context([] { return cudaSuccess; });
}
CUresult cuCtxSetFlags(unsigned flags) {
  if (CUcontext context = current_context()) context->flags = flags;
  return accept();
}
CUresult cuCtxSetCacheConfig(int config) {
  if (CUcontext context = current_context()) context->cache_config = config;
  return accept();
}
CUresult cuCtxGetCacheConfig(int* config) {
  if (CUcontext context = current_context(); context && config) *config = context->cache_config;
  return accept();
}
CUresult cuCtxSetSharedMemConfig(int) { return accept(); }
CUresult cuCtxGetSharedMemConfig(int* config) {
  constexpr int four_byte_banks = 1;
  if (config) *config = four_byte_banks;
  return accept();
}
CUresult cuCtxResetPersistingL2Cache() { return accept(); }
// Memory is the device's, not the context's, and so is access to it.
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (CUresult error = cuCtxDetach(peer); error != CUDA_SUCCESS) return error;
  return in_context([&] { return cudaDeviceEnablePeerAccess(static_cast<int>(peer->device), flags); });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  if (CUresult error = cuCtxDetach(peer); error != CUDA_SUCCESS) return error;
  return in_context([&] { return cudaDeviceDisablePeerAccess(static_cast<int>(peer->device)); });
}
CUresult cuProfilerStart() { return accept(); }
CUresult cuProfilerStop() { return accept(); }

} // extern "C"
} // namespace warplens::runtime
