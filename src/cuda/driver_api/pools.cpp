// Memory pools: those of the Runtime API.
#include "driver_api/frame.h"

namespace warplens::runtime {
extern "C" {

CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t* pool, CUdevice device) {
  return driver([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}
CUresult cuDeviceGetMemPool(cudaMemPool_t* pool, CUdevice device) {
  return driver([&] { return cudaDeviceGetMemPool(pool, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, cudaMemPool_t pool) {
  return driver([&] { return cudaDeviceSetMemPool(device, pool); });
}
CUresult cuMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return driver([&] { return cudaMemGetDefaultMemPool(pool, location, type); });
}
CUresult cuMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return driver([&] { return cudaMemGetMemPool(pool, location, type); });
}
CUresult cuMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  return driver([&] { return cudaMemSetMemPool(location, type, pool); });
}
CUresult cuMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return driver([&] { return cudaMemPoolCreate(pool, properties); });
}
CUresult cuMemPoolDestroy(cudaMemPool_t pool) {
  return driver([&] { return cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return driver([&] { return cudaMemPoolSetAttribute(pool, attribute, value); });
}
CUresult cuMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return driver([&] { return cudaMemPoolGetAttribute(pool, attribute, value); });
}
CUresult cuMemPoolTrimTo(cudaMemPool_t pool, std::size_t kept) {
  return driver([&] { return cudaMemPoolTrimTo(pool, kept); });
}
CUresult cuMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count) {
  return driver([&] { return cudaMemPoolSetAccess(pool, access, count); });
}
CUresult cuMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return driver([&] { return cudaMemPoolGetAccess(flags, pool, location); });
}

} // extern "C"
} // namespace warplens::runtime
