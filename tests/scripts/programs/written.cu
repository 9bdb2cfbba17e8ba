// Memory that is written in every way that there is, then read: --check memory has nothing to say.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

__device__ int zeros[32], numbers[4] = {1, 2, 3, 4};
__constant__ int constants[32];
__managed__ int managed[32];

__global__ void exchange(int* p, float* q, unsigned long long* r) {
  __shared__ int s[32];
  atomicExch(p + threadIdx.x, 7);
  atomicExch(q + threadIdx.x, 7.f);
  atomicExch(r + threadIdx.x, 7ull);
  atomicExch(s + threadIdx.x, 7);
  __syncthreads();
  p[threadIdx.x] += s[31 - threadIdx.x];
}
__global__ void read(const int* p, int* out, int words) {
  int sum = zeros[threadIdx.x] + numbers[threadIdx.x % 4] + constants[threadIdx.x] + managed[threadIdx.x];
  for (int i = threadIdx.x; i < words; i += blockDim.x) sum += p[i];
  out[threadIdx.x] = sum;
}
__global__ void read_rows(const char* p, int* out, size_t pitch, int words, int rows) {
  int sum = 0;
  for (int y = 0; y < rows; ++y) sum += ((const int*)(p + y * pitch))[threadIdx.x % words];
  out[threadIdx.x] = sum;
}
__global__ void paint(cudaSurfaceObject_t surface) {
  surf2Dwrite(int(threadIdx.x), surface, threadIdx.x * sizeof(int), blockIdx.x);
}
__global__ void pieces(char* p) {
  p += 8 * threadIdx.x;
  p[0] = 1, p[1] = 2, *(short*)(p + 2) = 3, *(int*)(p + 4) = 4;
}
__global__ void allocates(int* out) {
  int* own = new int[4];
  for (int i = 0; i < 4; ++i) own[i] = threadIdx.x;
  out[threadIdx.x] = own[threadIdx.x % 4];
  delete[] own;
}
__global__ void together(int* p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  p[threadIdx.x] += p[blockDim.x + threadIdx.x];
}
__global__ void copy(const int* p, int* out) { // 4 of 16 bytes are read, zeros are written for the others
  __shared__ __align__(16) int s[4 * 32];
  __pipeline_memcpy_async(s + 4 * threadIdx.x, p + 4 * threadIdx.x, 16, 12);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = s[4 * threadIdx.x + 3];
}

int main() {
  int *p, *q, *out, host[1024] = {};
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&p, sizeof host);
  cudaMalloc(&q, sizeof host);
  cudaMemcpyToSymbol(constants, host, sizeof constants);
  exchange<<<1, 32>>>(p, (float*)(p + 32), (unsigned long long*)(p + 64));
  read<<<1, 32>>>(p, out, 128);

  cudaMemcpy(q, p, 512, cudaMemcpyDeviceToDevice);
  read<<<1, 32>>>(q, out, 128);
  cudaMemcpyPeer(q + 128, 0, p, 0, 512);
  read<<<1, 32>>>(q + 128, out, 128);
  pieces<<<1, 32>>>((char*)(q + 256));
  read<<<1, 32>>>(q + 256, out, 64);
  allocates<<<1, 32>>>(out);

  char* rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 64, 8);
  cudaMemset2D(rows, pitch, 1, 64, 8);
  read_rows<<<1, 32>>>(rows, out, pitch, 16, 8);
  cudaFree(rows);
  cudaPitchedPtr box;
  cudaExtent extent = make_cudaExtent(64, 4, 2);
  cudaMalloc3D(&box, extent);
  cudaMemset3D(box, 0, extent);
  read_rows<<<1, 32>>>((char*)box.ptr, out, box.pitch, 16, 8);
  cudaMemcpy2D(box.ptr, box.pitch, host, 64, 64, 8, cudaMemcpyHostToDevice);
  read_rows<<<1, 32>>>((char*)box.ptr, out, box.pitch, 16, 8);
  cudaFree(box.ptr);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* pooled;
  cudaMallocAsync(&pooled, 256, stream);
  cudaMemsetAsync(pooled, 0, 256, stream);
  read<<<1, 32, 0, stream>>>(pooled, out, 64);
  cudaFreeAsync(pooled, stream);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaMalloc(&pooled, 256);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(pooled, 0, 128, stream);
  cudaMemcpyAsync(pooled + 32, host, 128, cudaMemcpyHostToDevice, stream);
  read<<<1, 32, 0, stream>>>(pooled, out, 64);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaFree(pooled);

  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 32, 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  paint<<<4, 32>>>(surface);
  int* painted;
  cudaMalloc(&painted, 512);
  cudaMemcpy2DFromArray(painted, 128, array, 0, 0, 128, 4, cudaMemcpyDeviceToDevice);
  read<<<1, 32>>>(painted, out, 128);
  cudaFree(painted);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);

  int* shared;
  cudaMalloc(&shared, 256);
  void* arguments[] = {&shared};
  cudaLaunchCooperativeKernel((const void*)together, dim3(2), dim3(32), arguments, 0, nullptr);
  cudaFree(shared);
  copy<<<1, 32>>>(p, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  cudaFree(p);
  cudaFree(q);
  return 0;
}
