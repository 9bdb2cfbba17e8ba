// Memory pools: handles without effect. Stream-ordered allocation takes memory from the device like
// cudaMalloc.
#include "runtime/state.h"

namespace warplens::runtime {
namespace {

struct Pool {
  std::map<int, u64> attributes; // cudaMemPoolAttr → value
};
std::map<void*, std::unique_ptr<Pool>>& pools() {
  static auto* all = new std::map<void*, std::unique_ptr<Pool>>; // outlives the program's atexit handlers
  return *all;
}
Pool* default_pool() {
  static auto* pool = new Pool;
  return pool;
}
Pool* find(cudaMemPool_t pool) {
  if (pool == default_pool()) return default_pool();
  auto found = pools().find(pool);
  return found == pools().end() ? nullptr : found->second.get();
}
// The reuse switches are ints, sizes and the threshold 64-bit.
bool is_switch(int attribute) { return attribute <= 3; }

} // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime&) {
    if (device != 0) return cudaErrorInvalidDevice;
    *pool = default_pool();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api([&](Runtime&) { return device == 0 && find(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const void* properties) {
  return api([&](Runtime&) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    auto created = std::make_unique<Pool>();
    *pool = created.get();
    pools()[*pool] = std::move(created);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Runtime&) { return pools().erase(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void* value) {
  return api([&](Runtime&) {
    Pool* found = find(pool);
    if (!found || !value) return cudaErrorInvalidValue;
    found->attributes[attribute] =
        is_switch(attribute) ? static_cast<u64>(*static_cast<int*>(value)) : *static_cast<u64*>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void* value) {
  return api([&](Runtime&) {
    Pool* found = find(pool);
    if (!found || !value) return cudaErrorInvalidValue;
    u64 current = found->attributes[attribute];
    if (is_switch(attribute)) {
      *static_cast<int*>(value) = static_cast<int>(current);
    } else {
      *static_cast<u64*>(value) = current;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return api([&](Runtime&) { return find(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const void*, std::size_t) {
  return cudaMemPoolTrimTo(pool, 0);
}

} // extern "C"
} // namespace warplens::runtime
