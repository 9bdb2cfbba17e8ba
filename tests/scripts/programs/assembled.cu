// What the assembler makes other accesses of than PTX has: neighbours in shared memory, a value that is chosen by its address, atomics that go
// to one address. What an H200 counted is in machine_code_test.sh.
__global__ void neighbours(const float* a, float* b) {
  __shared__ float row[32][8];
  for (int i = 0; i < 8; ++i) row[threadIdx.x][i] = a[threadIdx.x + 32 * i];
  __syncthreads();
  volatile int turns = 1;
  const float* mine = row[threadIdx.x ^ turns];
  float sum = mine[0];
  for (int i = 1; i < 8; ++i) sum = sum * mine[i] + mine[i - 1];
  b[threadIdx.x] = sum;
}
__device__ void sort(int& x, int& y) {
  int& least = x < y ? x : y;
  int old = least;
  least = x;
  x = old;
}
__global__ void kept(const int* a, int* b) {
  int x = a[threadIdx.x], y = a[threadIdx.x + 32];
  sort(x, y);
  b[threadIdx.x] = x - 3 * y;
}
__global__ void atomics(int* total, int* each, int n) {
  __shared__ int bins[32];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x & n], 1);
  __syncthreads();
  atomicAdd(total, bins[threadIdx.x]);
  atomicAdd(total + 1, 1);
  if (threadIdx.x & 1) atomicMax(total + 2, n);
  atomicAdd(each + threadIdx.x, n);
}

int main() {
  void* memory;
  cudaMalloc(&memory, 8192);
  cudaMemset(memory, 0, 8192);
  neighbours<<<4, 32>>>((float*)memory, (float*)memory + 1024);
  kept<<<4, 32>>>((int*)memory, (int*)memory + 1024);
  atomics<<<4, 32>>>((int*)memory, (int*)memory + 1024, 7);
  return cudaDeviceSynchronize();
}
