// Changes of shape that the advice proposes, made by hand: a block as wide as a warp, a table the other way round, a vector in
// shared memory, longer rows for tensor cores. See advice.cu.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int width = 256, height = 64, count = 1024;

// --- blocks that are narrower than a warp ----------------------------------------------------------------------------
__device__ int place() { return (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void invert_narrow(unsigned char* image) {
  image[place()] = 255; // before bytes store global
}
__global__ void invert_wide(unsigned char* image) {
  image[place()] = 255; // after bytes store global
}
__global__ void copy_narrow(const float* a, float* b) {
  b[place()] = a[place() + 1]; // before shifted load global uncoalesced-load
}
__global__ void copy_wide(const float* a, float* b) {
  b[place()] = a[place() + 1]; // after shifted load global
}
__global__ void halves_narrow(const __half* a, __half* b) {
  b[place()] = a[place()]; // before halves load global
}
__global__ void halves_wide(const __half* a, __half* b) {
  b[place()] = a[place()]; // after halves load global
}

// --- rows that are as short as a structure, read in a loop ------------------------------------------------------------
__global__ void six(const int* table, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
  for (int k = 0; k < 6; ++k)
    sum += table[i * 6 + k]; // before six load global
  out[i] = sum;
}
__global__ void six_turned(const int* table, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
  for (int k = 0; k < 6; ++k)
    sum += table[k * count + i]; // after six load global
  out[i] = sum;
}
__global__ void eight(const double* table, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
    sum += table[i * 8 + k]; // before eight load global
  out[i] = sum;
}
__global__ void eight_turned(const double* table, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
    sum += table[k * count + i]; // after eight load global
  out[i] = sum;
}
__global__ void ten(const short* table, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
  for (int k = 0; k < 10; ++k)
    sum += table[i * 10 + k]; // before ten load global
  out[i] = sum;
}
__global__ void ten_turned(const short* table, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
  for (int k = 0; k < 10; ++k)
    sum += table[k * count + i]; // after ten load global
  out[i] = sum;
}

// --- rows of halves for tensor cores ----------------------------------------------------------------------------------
template <int pitch> __device__ unsigned address_in(__half* tile) {
  const int lane = threadIdx.x;
  return static_cast<unsigned>(__cvta_generic_to_shared(tile + lane % 16 * pitch + lane / 16 * 8));
}
__global__ void matrices(unsigned* out) {
  __shared__ __align__(128) __half tile[16 * 64];
  tile[threadIdx.x] = 1;
  __syncthreads();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address_in<64>(tile))); // before rows64 ldmatrix shared
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
__global__ void matrices_padded(unsigned* out) {
  __shared__ __align__(128) __half tile[16 * 72];
  tile[threadIdx.x] = 1;
  __syncthreads();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address_in<72>(tile))); // after rows64 ldmatrix shared
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

// Members of one structure, read once each in one statement: no rows, and no loop.
struct Point {
  float x, y, z;
};
__global__ void lengths(const Point* points, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = points[i].x * points[i].x + points[i].y * points[i].y + points[i].z * points[i].z;
}
// Too little of a GPU.
__global__ void lonely(float* a) { a[0] += 1; }
// Two bytes for each lane.
__global__ void halves_only(const __half* a, __half* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
// The same kernel from another start.
__global__ void start_of(const float* a, float* b, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i + from];
}

template <class T> T* array(size_t elements) {
  T* out;
  cudaMalloc(&out, elements * sizeof(T));
  cudaMemset(out, 0, elements * sizeof(T));
  return out;
}

int main() {
  const dim3 narrow(16, 16), wide(32, 8), narrower(8, 8);
  const auto grid = [](dim3 block) { return dim3(width / block.x, height / block.y); };
  unsigned char* image = array<unsigned char>(width * height);
  invert_narrow<<<grid(narrow), narrow>>>(image);
  invert_wide<<<grid(wide), wide>>>(image);
  float *a = array<float>(width * height + 8), *b = array<float>(width * height);
  copy_narrow<<<grid(narrower), narrower>>>(a, b);
  copy_wide<<<grid(wide), wide>>>(a, b);
  __half *h = array<__half>(width * height), *g = array<__half>(width * height);
  halves_narrow<<<grid(narrower), narrower>>>(h, g);
  halves_wide<<<grid(wide), wide>>>(h, g);
  int *table = array<int>(count * 10), *sums = array<int>(count);
  six<<<count / 128, 128>>>(table, sums);
  six_turned<<<count / 128, 128>>>(table, sums);
  double *doubles = array<double>(count * 8), *totals = array<double>(count);
  eight<<<count / 128, 128>>>(doubles, totals);
  eight_turned<<<count / 128, 128>>>(doubles, totals);
  short* shorts = array<short>(count * 10);
  ten<<<count / 128, 128>>>(shorts, sums);
  ten_turned<<<count / 128, 128>>>(shorts, sums);
  unsigned* words = array<unsigned>(32);
  matrices<<<1, 32>>>(words);
  matrices_padded<<<1, 32>>>(words);
  lengths<<<count / 128, 128>>>(array<Point>(count), b);
  lonely<<<1, 1>>>(a);
  halves_only<<<count / 128, 128>>>(h, g);
  start_of<<<count / 128, 128>>>(a, b, 0);
  start_of<<<count / 128, 128>>>(a, b, 1);
  printf("%d\n", cudaDeviceSynchronize());
}
