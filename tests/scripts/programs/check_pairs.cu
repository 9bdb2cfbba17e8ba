// Changes that `check` proposes and `run` does not, or not of such accesses, made by hand: what check_advice.py compares.
#include <cstdio>

// --- atomics of lanes that are apart -----------------------------------------------------------------------------------
__global__ void count_apart(unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sum[i * 8], 1u); // before count atomic global
}
__global__ void count_together(unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sum[i], 1u); // after count atomic global
}
__global__ void columns_apart(float* sum, float value) {
  atomicAdd(&sum[threadIdx.x * 64 + blockIdx.x], value); // before columns atomic global
}
__global__ void columns_together(float* sum, float value) {
  atomicAdd(&sum[blockIdx.x * 64 + threadIdx.x], value); // after columns atomic global
}

// --- through an index -----------------------------------------------------------------------------------------------------
__global__ void gather(const float* a, const int* order, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[order[i]]; // before gather load global
}
__global__ void gather_sorted(const float* a, const int* sorted, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[sorted[i]]; // after gather load global
}
__global__ void scatter(const float2* a, const int* order, float2* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[order[i]] = a[i]; // before scatter store global
}
__global__ void scatter_sorted(const float2* a, const int* sorted, float2* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[sorted[i]] = a[i]; // after scatter store global
}

// --- arrays of each thread ------------------------------------------------------------------------------------------------
__global__ void own_apart(const float* a, float* out) {
  float own[16];
  for (int k = 0; k < 16; ++k) own[k] = a[k * 256 + threadIdx.x];
  out[threadIdx.x] = own[threadIdx.x % 16]; // before own load local
}
__global__ void own_together(const float* a, float* out, int which) {
  float own[16];
  for (int k = 0; k < 16; ++k) own[k] = a[k * 256 + threadIdx.x];
  out[threadIdx.x] = own[which]; // after own load local
}

// --- what a loop loads again ----------------------------------------------------------------------------------------------
__global__ void weigh(const float* weight, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    out[k * 256 + i] = in[k * 256 + i] * weight[i]; // before weight load global
}
__global__ void weigh_once(const float* __restrict__ weight, const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    out[k * 256 + i] = in[k * 256 + i] * weight[i]; // after weight load global
}

// --- copies into a column of a tile -----------------------------------------------------------------------------------------
__global__ void copy_columns(const float* a, float* out) {
  __shared__ float tile[32][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane][warp]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(&a[threadIdx.x])); // before copied async_copy global
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[warp][lane];
}
__global__ void copy_columns_padded(const float* a, float* out) {
  __shared__ float tile[32][33];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane][warp]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(&a[threadIdx.x])); // after copied async_copy global
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[warp][lane];
}

int main() {
  constexpr int n = 256;
  unsigned* counts;
  float *sums, *in, *out, *weight;
  float2 *pairs, *moved;
  int *order, *sorted;
  cudaMallocManaged(&counts, n * 8 * sizeof(unsigned));
  cudaMallocManaged(&sums, 64 * 64 * sizeof(float));
  cudaMallocManaged(&in, 16 * n * sizeof(float));
  cudaMallocManaged(&out, 16 * n * sizeof(float));
  cudaMallocManaged(&weight, n * sizeof(float));
  cudaMallocManaged(&pairs, n * sizeof(float2));
  cudaMallocManaged(&moved, n * sizeof(float2));
  cudaMallocManaged(&order, n * sizeof(int));
  cudaMallocManaged(&sorted, n * sizeof(int));
  for (int i = 0; i < n; ++i) order[i] = i * 37 % n, sorted[i] = i;
  count_apart<<<2, 128>>>(counts);
  count_together<<<2, 128>>>(counts);
  columns_apart<<<64, 64>>>(sums, 1.0f);
  columns_together<<<64, 64>>>(sums, 1.0f);
  gather<<<2, 128>>>(in, order, out);
  gather_sorted<<<2, 128>>>(in, sorted, out);
  scatter<<<2, 128>>>(pairs, order, moved);
  scatter_sorted<<<2, 128>>>(pairs, sorted, moved);
  own_apart<<<1, 256>>>(in, out);
  own_together<<<1, 256>>>(in, out, 3);
  weigh<<<2, 128>>>(weight, in, out, 16);
  weigh_once<<<2, 128>>>(weight, in, out, 16);
  copy_columns<<<1, 1024>>>(in, out);
  copy_columns_padded<<<1, 1024>>>(in, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
