// merged.cubin: nvcc 13.0.88 -O3 -arch=sm_90 -lineinfo -cubin
extern "C" __global__ void neighbours(const float* a, float* b) {
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
extern "C" __global__ void kept(const int* a, int* b) {
  int x = a[threadIdx.x], y = a[threadIdx.x + 32];
  sort(x, y);
  b[threadIdx.x] = x - 3 * y;
}
// In turns: floats and doubles in shared memory are added by a loop.
extern "C" __global__ void loops(float* f, double* d) {
  __shared__ float sum;
  __shared__ double sums[2];
  sum = 0, sums[threadIdx.x & 1] = 0;
  __syncthreads();
  atomicAdd(&sum, f[threadIdx.x]);
  atomicAdd(&sums[threadIdx.x & 1], d[threadIdx.x]);
  __syncthreads();
  f[0] = sum, d[0] = sums[0] + sums[1];
}
extern "C" __global__ void atomics(int* total, int* each, float* sum, int n) {
  __shared__ int bins[32];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x & n], 1);
  __syncthreads();
  atomicAdd(total, bins[threadIdx.x]);
  atomicAdd(total + 1, 1);
  atomicAdd(each + threadIdx.x, n);
  atomicAdd(sum, 1.f);
}
// What the loop alone needs is loaded behind the branch around it; what decides more, in front of it.
extern "C" __global__ void one_way(const float* __restrict__ x, const int* __restrict__ pivots, int* out, int rows, int columns) {
  int total = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const int pivot = pivots[row];
    const float least = x[row * columns + pivot];
    int n = 0;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
      const float one = x[row * columns + column];
      if (one > least || (one == least && column <= pivot)) ++n;
    }
    if (__reduce_add_sync(0xffffffff, n) < pivot) ++total;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
