// Accesses that findings, comments and gates are about. Arguments: a stride in floats, and the exit code.
#include <cstdio>
#include <cstdlib>

__device__ float far(const float* a, int i, int stride) { return a[i * stride]; }

__global__ void gather(const float* a, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = far(a, i, stride);
}

__global__ void turn(const float* a, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char** argv) {
  int stride = argc > 1 ? std::atoi(argv[1]) : 32, code = argc > 2 ? std::atoi(argv[2]) : 0;
  float *a, *out;
  cudaMalloc(&a, 4096 * sizeof(float) * 32);
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(a, 0, 4096 * sizeof(float) * 32);
  gather<<<16, 256>>>(a, out, stride);
  turn<<<1, dim3(32, 32)>>>(a, out);
  bool fine = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(a);
  cudaFree(out);
  return fine ? code : 99;
}
