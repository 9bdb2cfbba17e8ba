// The Runtime API as C++ programs call it: overloads, default arguments, and a launch with attributes.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float constants[4];
__device__ int counter;

template <class T> __global__ void scale(T* p, T factor) { p[threadIdx.x] *= factor * (T)constants[0]; }
__global__ void count() { atomicAdd(&counter, 1); }

int main() {
  float *p, *host, *managed, *pitched, constant[4] = {1, 2, 3, 4};
  size_t pitch, bytes;
  int value = 0, blocks, grid, block;
  cudaMalloc(&p, 1024);
  cudaMallocHost(&host, 1024);
  cudaHostAlloc(&host, 1024, cudaHostAllocMapped);
  cudaMallocManaged(&managed, 1024);
  cudaMallocPitch(&pitched, &pitch, 100, 10);
  cudaMemcpyToSymbol(constants, constant, sizeof constant);
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  cudaGetSymbolSize(&bytes, constants);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemcpyAsync(p, host, 1024, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(p, host, 1024, cudaMemcpyDefault);
  cudaEvent_t start;
  cudaEventCreate(&start);
  cudaEventRecord(start);
  cudaEventRecord(start, stream);
  scale<float><<<1, 32, 0, stream>>>(p, 2.0f);
  scale<double><<<dim3(1), dim3(32)>>>((double*)p, 2.0);
  count<<<2, 2>>>();
  float factor = 3;
  void* arguments[] = {&p, &factor};
  cudaLaunchKernel(scale<float>, dim3(1), dim3(32), arguments, 0, stream);
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  cudaLaunchKernelEx(&config, scale<float>, p, 2.0f);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, count);
  cudaFuncSetAttribute(scale<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetCacheConfig(count, cudaFuncCachePreferL1);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 128, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale<float>, 0, 0);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%s %d %d\n", properties.name, properties.clockRate, properties.multiProcessorCount);
  cudaMemPrefetchAsync(managed, 1024, 0);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 64, 64);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
