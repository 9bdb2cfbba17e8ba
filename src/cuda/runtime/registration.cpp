// What compiler-generated start-up code calls: __cudaRegister… announce device code, kernels and variables,
// and
// __cudaPush/PopCallConfiguration carry <<<…>>> to the kernel's host stub.
//
// These functions are not in CUDA's manual; their signatures are those that nvcc's generated code and clang's
// CodeGen (lib/CodeGen/CGCUDANV.cpp) call.
#include "runtime/host_variables.h"
#include "runtime/state.h"
#include "runtime/thread_stack.h"

namespace warplens::runtime {
namespace {

struct Configuration {
  Dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local ThreadStack<Configuration> configurations;

void register_kernel(void** handle, const void* host, const char* name) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  auto kernel = std::make_unique<Kernel>();
  kernel->binary = reinterpret_cast<Binary*>(handle);
  kernel->name = name;
  runtime.registered.emplace_back(name);
  runtime.binaries.kernels[host] = std::move(kernel);
}

void register_variable(void** handle, const void* host, const char* name, std::size_t size, void** managed) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.binaries.variables[host] = {reinterpret_cast<Binary*>(handle), name, size, managed};
}

void** register_code(const FatbinWrapper* wrapper, bool before_13) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  auto binary = std::make_unique<Binary>();
  binary->before_13 = before_13;
  if (wrapper && wrapper->magic == FatbinWrapper::right_magic) {
    binary->fatbins = fatbins_of(*wrapper);
  } else {
    runtime.say(diag::error("fatbin-damaged", "the program registers device code of an unknown kind"));
  }
  runtime.binaries.all.push_back(std::move(binary));
  return reinterpret_cast<void**>(runtime.binaries.all.back().get());
}

} // namespace

extern "C" {

void** __cudaRegisterFatBinary(const FatbinWrapper* wrapper) { return register_code(wrapper, false); }
void** __cudaRegisterFatBinary_11(const FatbinWrapper* wrapper) { return register_code(wrapper, true); }

// Managed variables that are the host's own get their first value before the program runs.
void __cudaRegisterFatBinaryEnd(void** handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.tell_registered();
  if (has_host_variables(runtime, *reinterpret_cast<Binary*>(handle))) __cudaInitModule(handle);
}

void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.binaries.remove(reinterpret_cast<Binary*>(handle));
}

char __cudaInitModule(void** handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  auto binary = reinterpret_cast<Binary*>(handle);
  if (runtime.start() != cudaSuccess) return 1;
  if (has_host_variables(runtime, *binary)) (void)binary->load(runtime); // what goes wrong is told
  runtime.binaries.place_managed(runtime, *binary);
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*) {
  register_kernel(handle, host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t size, int, int) {
  register_variable(handle, host, name, size, nullptr);
  std::lock_guard lock(Runtime::get().mutex);
  look_for_host_variable(host);
}

void __cudaRegisterHostVar(void** handle, const char* name, char* host, std::size_t size) {
  register_variable(handle, host, name, size, nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t size, int,
                              int) {
  register_variable(handle, host, name, size, host);
}

void __cudaRegisterUnifiedTable(void**, void*) {}

// Texture and surface references (gone since CUDA 12) can be registered; binding one is what is not
// supported.
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared, void* stream) {
  configurations.push({grid, block, shared, static_cast<cudaStream_t>(stream)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration configuration = configurations.pop();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

// The handle is what __cudaLaunchKernel gets back, which takes handles and functions alike; a launch without one
// is what finds an unknown kernel.
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock = runtime.upcoming.lock(runtime, host);
  Kernel* kernel = runtime.binaries.kernel(host);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  *handle = kernel;
  return cudaSuccess;
}

} // extern "C"
} // namespace warplens::runtime
