// Arrays whose two indices may change places, and arrays where that is not safe. The marks are those of rows.cu.
#include <cstdio>
#include <cuda_runtime.h>
#define FIRST [threadIdx.x]
#define GRID grid_m

// ---- made -----------------------------------------------------------------------------------------------------------------
__global__ void sums(const float* in, float* out) {
  __shared__ float t[256][4];
  for (int k = 0; k < 4; ++k) t[threadIdx.x][k] = in[k * 256 + threadIdx.x];
  out[threadIdx.x] = t[threadIdx.x][0] + t[min(255u, threadIdx.x + 1)][1]; //: order t
}
__device__ float grid[1024][64];
__global__ void fill() { grid[threadIdx.x][blockIdx.x] = 1; }
__global__ void read(float* out) { out[threadIdx.x] = grid[threadIdx.x][3]; } //: order grid
namespace inner {
static __device__ int counts[256][8];
template <class T> __global__ void count(T* out) {
  atomicAdd(&counts[threadIdx.x][threadIdx.x % 8], 1);
  out[threadIdx.x] = counts[threadIdx.x][2]; //: order counts
}
} // namespace inner

// ---- not ------------------------------------------------------------------------------------------------------------------
__device__ float copied[256][8];
__global__ void of_copied(float* out) {
  out[threadIdx.x] = copied[threadIdx.x][0]; //: order copied NOT used as a whole
}
__device__ float addressed[256][8];
__global__ void of_addressed(float* out) {
  out[threadIdx.x] = addressed[threadIdx.x][0]; //: order addressed NOT used as a whole
}
__device__ float filled[2][2] = {{1, 2}, {3, 4}};
__global__ void of_filled(float* out) {
  out[threadIdx.x] = filled[threadIdx.x & 1][0]; //: order filled NOT initialiser
}
extern __device__ float declared[256][8];
__device__ float declared[256][8];
__global__ void of_declared(float* out) {
  out[threadIdx.x] = declared[threadIdx.x][0]; //: order declared NOT declared elsewhere
}
__device__ float over[64][64];
__global__ void of_over(float* out) {
  int q = threadIdx.x * 64 + blockIdx.x;
  over[0][q] = 1;
  out[threadIdx.x] = over[threadIdx.x][0]; //: order over NOT stays below 64
}
__device__ float by_name[64][64];
__global__ void of_by_name(float* out) {
  out[threadIdx.x] = by_name[threadIdx.x][0]; //: order by_name NOT a string may name it
}
__device__ __constant__ float fixed[64][64];
__global__ void of_fixed(float* out) {
  out[threadIdx.x] = fixed[threadIdx.x][0]; //: order fixed NOT neither a __shared__ nor
}
struct Holder {
  static __device__ float held[64][64];
};
__device__ float Holder::held[64][64];
__global__ void of_held(float* out) {
  out[threadIdx.x] = Holder::held[threadIdx.x][0]; //: order held NOT declared elsewhere
}
__device__ float GRID[64][64];
__global__ void of_macro(float* out) {
  out[threadIdx.x] = GRID FIRST[0]; //: order grid_m NOT in a header or by a macro
}
__global__ void side_effects(float* out, int i) {
  __shared__ float t[256][4];
  t[i++][0] = 1;
  out[threadIdx.x] = t[threadIdx.x][1]; //: order t NOT side effects
}
__device__ int next(int i) { return i & 3; }
__global__ void calls(float* out, int i) {
  __shared__ float t[256][4];
  t[next(i)][0] = 1;
  out[threadIdx.x] = t[threadIdx.x][1]; //: order t NOT side effects
}
__global__ void reversed(float* out, int i) {
  __shared__ float t[256][4];
  i[t][0] = 1;
  out[threadIdx.x] = t[threadIdx.x][1]; //: order t NOT stands in front
}
__global__ void macro_index(float* out) {
  __shared__ float t[256][4];
  t FIRST[0] = 1;
  out[threadIdx.x] = t[threadIdx.x][1]; //: order t NOT macro
}
__global__ void second_line(float* out) {
  __shared__ float t[256][4];
  t[threadIdx.x +
    0][0] = 1;
  out[threadIdx.x] = t[threadIdx.x][1]; //: order t NOT second line
}

int main() {
  float* p = nullptr;
  sums<<<1, 256>>>(p, p), fill<<<64, 256>>>(), read<<<1, 256>>>(p), inner::count<<<1, 256>>>(p);
  of_copied<<<1, 256>>>(p), of_addressed<<<1, 256>>>(p), of_filled<<<1, 2>>>(p), of_declared<<<1, 256>>>(p);
  of_over<<<64, 64>>>(p), of_by_name<<<1, 64>>>(p), of_fixed<<<1, 64>>>(p), of_held<<<1, 64>>>(p), of_macro<<<1, 64>>>(p);
  side_effects<<<1, 256>>>(p, 1), calls<<<1, 256>>>(p, 1), reversed<<<1, 256>>>(p, 1), macro_index<<<1, 256>>>(p);
  second_line<<<1, 256>>>(p);
  float host[8];
  cudaMemcpyFromSymbol(host, copied, sizeof host);
  void* address;
  cudaGetSymbolAddress(&address, addressed);
  std::puts("by_name");
}
