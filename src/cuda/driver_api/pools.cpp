// Memory pools: those of the Runtime API.
#include "driver_api/frame.h"

namespace warplens::runtime {
extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t*, int);
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t*, cudaMemLocation*, int);
cudaError_t cudaMemGetMemPool(cudaMemPool_t*, cudaMemLocation*, int);
cudaError_t cudaMemSetMemPool(cudaMemLocation*, int, cudaMemPool_t);
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const cudaMemPoolProps*);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, int, void*);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags*, cudaMemPool_t, cudaMemLocation*);

CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t* pool, CUdevice device) {
  return driver([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}
CUresult cuDeviceGetMemPool(cudaMemPool_t* pool, CUdevice device) {
  return driver([&] { return cudaDeviceGetMemPool(pool, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, cudaMemPool_t pool) {
  return driver([&] { return cudaDeviceSetMemPool(device, pool); });
}
CUresult cuMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, int type) {
  return driver([&] { return cudaMemGetDefaultMemPool(pool, location, type); });
}
CUresult cuMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, int type) {
  return driver([&] { return cudaMemGetMemPool(pool, location, type); });
}
CUresult cuMemSetMemPool(cudaMemLocation* location, int type, cudaMemPool_t pool) {
  return driver([&] { return cudaMemSetMemPool(location, type, pool); });
}
CUresult cuMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return driver([&] { return cudaMemPoolCreate(pool, properties); });
}
CUresult cuMemPoolDestroy(cudaMemPool_t pool) {
  return driver([&] { return cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void* value) {
  return driver([&] { return cudaMemPoolSetAttribute(pool, attribute, value); });
}
CUresult cuMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void* value) {
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
