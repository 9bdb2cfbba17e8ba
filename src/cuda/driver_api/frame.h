// The CUDA Driver API over what the Runtime API has: the same device, memory, streams, launches and errors under the names
// and types of the driver. Nothing is done here twice; what differs is said here:
//
// * A function needs cuInit, and many a current context. Memory is the device's, so a context is a handle with
//   flags and a device; which one is current is each thread's (runtime/contexts.h). Who called the Runtime API has the primary one.
// * Errors are returned, and not kept for cudaGetLastError.
// * CUmodule and CUlibrary are a Binary, CUfunction and CUkernel a Kernel (library.h); CUstream, CUevent and CUmemoryPool
//   are those of the Runtime API; CUdeviceptr is an address.
//
// Types are those of cuda.h (CUDA 13), by layout and value. Enumerations that both APIs have are the Runtime API's, others ints.
#pragma once
#include "runtime/contexts.h"
#include "runtime/library.h"
#include "runtime/stream.h"

namespace warplens::runtime {

enum CUresult : int {
#define WARPLENS_DRIVER_ERROR(name, code) name = code,
#include "cuda/warplens/driver_errors.def"
#undef WARPLENS_DRIVER_ERROR
};
using CUdevice = int;
using CUdeviceptr = u64;
using CUcontext = Context*;
using CUmodule = Binary*;
using CUfunction = Kernel*;

CUresult as_result(cudaError_t);

bool driver_ready(); // somebody called cuInit, or the Runtime API

// The context in which memory or a stream was made, until it is forgotten; what the Runtime API made is the primary one's.
void remember_context(const void* made);
void forget_context(const void* made);
CUcontext maker_of(const void* made, u32 device);

// What a function of the driver API leaves as it was: the Runtime API's own view of the thread.
class KeepThreadState {
public:
  KeepThreadState() : before_(thread_state()) {}
  ~KeepThreadState() { thread_state() = before_; }
  KeepThreadState(const KeepThreadState&) = delete;
  KeepThreadState& operator=(const KeepThreadState&) = delete;

private:
  ThreadState before_;
};

// Runs `body`, which gives a cudaError_t, as a function of the driver API. One that takes the Runtime is run by api(), with
// the runtime's lock; others take it inside, so that host functions of a stream run without.
template <class Body> CUresult driver(Body&& body) {
  if (!driver_ready()) return CUDA_ERROR_NOT_INITIALIZED;
  KeepThreadState keep;
  if constexpr (std::is_invocable_v<Body&, Runtime&>)
    return as_result(api(body));
  else
    return as_result(body());
}
template <class Body> CUresult in_context(Body&& body) {
  if (!driver_ready()) return CUDA_ERROR_NOT_INITIALIZED;
  if (current_context() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return driver(body);
}
// A stream of the program's own has its context with it, as events, arrays, functions and what is freed have (measured on
// an H200): only the default streams are those of the current context.
template <class Body> CUresult on_stream(cudaStream_t stream, Body&& body) {
  return is_default(stream) ? in_context(body) : driver(body);
}

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

} // namespace warplens::runtime
