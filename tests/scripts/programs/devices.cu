// What CUDA answers a program that uses two devices, a line for each question. tests/hardware/data/h200_devices.txt holds what two H200
// answered. With "fault" it ends with an access to memory of a device that is no peer.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#define ASK(call)                                                                                            \
  std::printf("%s: %d\n", #call, static_cast<int>(call));                                                    \
  cudaGetLastError()

__device__ int number;
__constant__ int scale;
__managed__ int sum;

__global__ void write_number(int* out) { out[threadIdx.x] = number * scale + threadIdx.x; }
__global__ void add(const int* in) { atomicAdd_system(&sum, in[threadIdx.x]); }

static int current() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}
static int device_of(const void* pointer) {
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, pointer);
  return attributes.device;
}

int main(int count, char** words) {
  int n = -1, answer = -1;
  ASK(cudaGetDeviceCount(&n));
  std::printf("devices: %d\n", n);
  if (n != 2) return 1;
  ASK(cudaSetDevice(2));
  ASK(cudaSetDevice(-1));
  ASK(cudaDeviceCanAccessPeer(&answer, 0, 1));
  std::printf("0 can access 1: %d\n", answer);
  ASK(cudaDeviceCanAccessPeer(&answer, 0, 0));
  std::printf("0 can access 0: %d\n", answer);
  ASK(cudaDeviceCanAccessPeer(&answer, 0, 7));
  for (int a = 1; a <= 4; ++a) {
    const int error = cudaDeviceGetP2PAttribute(&answer, static_cast<cudaDeviceP2PAttr>(a), 0, 1);
    std::printf("attribute %d between 0 and 1: %d, %d\n", a, error, answer);
  }
  ASK(cudaDeviceGetP2PAttribute(&answer, cudaDevP2PAttrAccessSupported, 0, 0));

  // Streams and events belong to a device; a stream says where its work runs.
  cudaStream_t stream0, stream1;
  cudaEvent_t event0, event1;
  int *on0, *on1, *pinned, *managed;
  cudaSetDevice(0);
  cudaStreamCreate(&stream0), cudaEventCreate(&event0), cudaMalloc(&on0, 1 << 20);
  cudaMallocManaged(&managed, 256);
  cudaSetDevice(1);
  cudaStreamCreate(&stream1), cudaEventCreate(&event1), cudaMalloc(&on1, 1 << 20);
  cudaMallocHost(&pinned, 256);
  write_number<<<1, 32, 0, stream0>>>(on0);
  ASK(cudaGetLastError());
  ASK(cudaDeviceSynchronize());
  ASK(cudaEventRecord(event0, stream1));
  ASK(cudaEventRecord(event1, stream1));
  ASK(cudaStreamWaitEvent(stream0, event1, 0));
  cudaSetDevice(0);
  ASK(cudaEventRecord(event0, stream0));
  ASK(cudaEventSynchronize(event1));
  float milliseconds;
  cudaDeviceSynchronize();
  ASK(cudaEventElapsedTime(&milliseconds, event0, event1));
  ASK(cudaStreamGetDevice(stream1, &answer));
  std::printf("stream1 on %d\n", answer);

  // Copies go anywhere, fills where the stream's device may.
  ASK(cudaMemcpyAsync(pinned, on1, 64, cudaMemcpyDeviceToHost, stream1));
  ASK(cudaMemcpyAsync(on0, on1, 64, cudaMemcpyDeviceToDevice, stream0));
  ASK(cudaMemcpyPeer(on0, 0, on1, 1, 64));
  ASK(cudaMemcpyPeer(on0, 1, on1, 0, 64));
  ASK(cudaMemcpyPeer(on0, 0, on1, 9, 64));
  ASK(cudaMemsetAsync(on1, 0, 64, stream1));
  ASK(cudaMemset(on1, 0, 64));
  ASK(cudaMemsetAsync(on1, 0, 64, stream0));
  std::printf("owners: %d %d %d %d\n", device_of(on0), device_of(on1), device_of(pinned), device_of(managed));

  // Each device has variables of its own, but managed ones.
  int one = 1, seven = 7;
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaMemcpyToSymbol(number, device == 0 ? &one : &seven, sizeof one);
    cudaMemcpyToSymbol(scale, &seven, sizeof seven);
  }
  int found[2];
  void* address[2];
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    write_number<<<1, 32>>>(device == 0 ? on0 : on1);
    add<<<1, 32>>>(device == 0 ? on0 : on1);
    cudaMemcpyFromSymbol(&found[device], number, sizeof(int));
    cudaGetSymbolAddress(&address[device], number);
    ASK(cudaDeviceSynchronize());
  }
  std::printf("numbers: %d %d, apart: %d, sum: %d\n", found[0], found[1], address[0] != address[1], sum);

  cudaSetDevice(0);
  ASK(cudaDeviceEnablePeerAccess(0, 0));
  ASK(cudaDeviceEnablePeerAccess(1, 1));
  ASK(cudaDeviceEnablePeerAccess(7, 0));
  ASK(cudaDeviceDisablePeerAccess(1));
  ASK(cudaDeviceDisablePeerAccess(0));
  ASK(cudaDeviceEnablePeerAccess(1, 0));
  ASK(cudaDeviceEnablePeerAccess(1, 0));
  write_number<<<1, 32>>>(on1);
  ASK(cudaDeviceSynchronize());
  ASK(cudaMemset(on1, 0, 64));

  // Pools, and access to their memory.
  cudaMemPool_t pools[2];
  cudaDeviceGetDefaultMemPool(&pools[0], 0), cudaDeviceGetDefaultMemPool(&pools[1], 1);
  std::printf("pools apart: %d\n", pools[0] != pools[1]);
  int *pooled = nullptr, *of_stream = nullptr;
  ASK(cudaMallocFromPoolAsync(&pooled, 4096, pools[1], stream0));
  ASK(cudaMallocAsync(&of_stream, 4096, stream1));
  cudaStreamSynchronize(stream0);
  std::printf("pooled on %d, of the stream on %d\n", device_of(pooled), device_of(of_stream));
  ASK(cudaDeviceSetMemPool(0, pools[1]));

  // Contexts of the driver API.
  CUcontext context, popped;
  CUdevice driver_device = -1;
  ASK(cuCtxGetDevice(&driver_device));
  ASK(cuDevicePrimaryCtxRetain(&context, 1));
  ASK(cuCtxSetCurrent(context));
  std::printf("current: %d\n", current());
  cudaSetDevice(0);
  cuCtxGetDevice(&driver_device);
  std::printf("the driver's: %d\n", driver_device);
  ASK(cuCtxPushCurrent(context));
  std::printf("pushed: %d\n", current());
  ASK(cuCtxPopCurrent(&popped));
  std::printf("popped: %d\n", current());

  cudaSetDevice(1);
  ASK(cudaDeviceReset());
  cudaSetDevice(0);
  ASK(cudaMemset(on0, 0, 64));
  write_number<<<1, 32>>>(on0);
  ASK(cudaDeviceSynchronize());
  ASK(cudaFree(on1));
  ASK(cudaDeviceDisablePeerAccess(1));
  if (count > 1 && std::strcmp(words[1], "fault") == 0) {
    cudaSetDevice(1);
    cudaMalloc(&on1, 1024);
    cudaSetDevice(0);
    write_number<<<1, 32>>>(on1);
    ASK(cudaDeviceSynchronize());
    cudaSetDevice(1);
    ASK(cudaDeviceSynchronize());
  }
}
