// Machine code that was once run wrongly, or not at all: parameters above 4 KB, the borrow of a shifted and negated number (LEA), an atomic that
// says whether it was done (ATOM), calls that are jumps (8.x), doubles in a constant bank (before 9.0), a parameter's element under a guard,
// a parameter's address; numbers of 8 bits. Lines with numbers are what an H200 prints; those that
// say "right" compare with the host.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>

struct Large {
  int words[2000];
};
__global__ void large(const __grid_constant__ Large p, int* out, int from) {
  int sum = 0;
  for (int i = from; i < 2000; ++i) sum += p.words[i];
  *out = sum;
}

// The items of each part of 2^30.
__global__ void left(uint64_t items, uint64_t* out) {
  const uint64_t most = uint64_t{1} << 30, parts = (items + most - 1) / most;
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t start = part * most, size = items - start < most ? items - start : most;
    for (uint64_t at = uint64_t{blockIdx.x} << 28; at < size; at += uint64_t{gridDim.x} << 28)
      out[part] = size;
  }
}

__device__ void add(__nv_bfloat162* to, float x) { atomicAdd(to, __floats2bfloat162_rn(x, 2 * x)); }
__global__ void generic(__nv_bfloat162* global, float* out, int where) {
  __shared__ __nv_bfloat162 shared[2];
  if (threadIdx.x < 2) shared[threadIdx.x] = __floats2bfloat162_rn(0, 0);
  __syncthreads();
  add((where >> threadIdx.x & 1) != 0 ? global : shared + threadIdx.x % 2, 1);
  __syncthreads();
  if (threadIdx.x < 2)
    out[threadIdx.x] = __low2float(shared[threadIdx.x]),
    out[2 + threadIdx.x] = __high2float(shared[threadIdx.x]);
}

__global__ void roots(const double* x, double* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) break;
    sum += sqrt(x[i]) / (x[i] + 1.000000001) + pow(x[i], 1.25);
    if (sum > 1e30) return;
  }
  out[threadIdx.x] = sum;
}

__global__ void steps(const float* x, float* out, int n, int count, float beta) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int t = 1; t <= count; ++t) out[i] += x[i] / sqrtf(1.0f - powf(beta, t)) / (sqrtf(x[i]) + 1e-3f);
}

struct Tables {
  int first[8], second[8];
};
__host__ __device__ int element(const Tables& t, unsigned block, unsigned thread, int which) {
  int v = t.first[0];
  if (which == 3) v = t.second[block + 1];
  int w = thread + v;
  if (thread > 1) w = t.first[(thread + block + 1) % 8];
  return v * w;
}
__global__ void chosen(const __grid_constant__ Tables t, int* out, int which) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = element(t, blockIdx.x, threadIdx.x, which);
}
__global__ void by_address(const __grid_constant__ Tables t, const Tables* other, int* out, int which) {
  const Tables* p = which == 3 ? &t : other;
  out[threadIdx.x] = p->second[threadIdx.x % 8];
}

// Numbers of 8 bits: clamped, and with their sign in all of the register's bits.
enum Conversion { signed_halves, unsigned_halves, signed_floats };
template <Conversion how> __global__ void to_bytes(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto half = static_cast<unsigned short>(i);
  const float number = __uint_as_float(static_cast<unsigned>(i) << 16 | (i * 40503u & 0xffff));
  int r;
  if (how == signed_halves) asm volatile("cvt.rzi.s8.f16 %0, %1;" : "=r"(r) : "h"(half));
  if (how == unsigned_halves) asm volatile("cvt.rzi.u8.f16 %0, %1;" : "=r"(r) : "h"(half));
  if (how == signed_floats) asm volatile("cvt.rni.s8.f32 %0, %1;" : "=r"(r) : "f"(number));
  out[i] = r;
}
static void bytes() {
  int* out;
  constexpr int numbers = 65536;
  cudaMallocManaged(&out, 4 * numbers);
  std::printf("bytes");
  for (auto kernel : {to_bytes<signed_halves>, to_bytes<unsigned_halves>, to_bytes<signed_floats>}) {
    kernel<<<numbers / 256, 256>>>(out);
    cudaDeviceSynchronize();
    uint64_t sum = 14695981039346656037ull;
    for (int i = 0; i < numbers; ++i) sum = (sum ^ static_cast<unsigned>(out[i])) * 1099511628211ull;
    std::printf(" %016llx", static_cast<unsigned long long>(sum));
  }
  std::printf("\n");
}

int main() {
  bytes();
  static Large p;
  int sum = 0;
  for (int i = 0; i < 2000; ++i) p.words[i] = i * 7, sum += i >= 1500 ? i * 7 : 0;
  int* total;
  cudaMallocManaged(&total, 4);
  large<<<1, 1>>>(p, total, 1500);
  cudaDeviceSynchronize();
  std::printf("large %s\n", *total == sum ? "right" : "wrong");

  uint64_t* parts;
  cudaMallocManaged(&parts, 8 * 4);
  left<<<1, 1>>>((uint64_t{3} << 30) + 5, parts);
  cudaDeviceSynchronize();
  std::printf("left %s\n", parts[0] == 1u << 30 && parts[2] == 1u << 30 && parts[3] == 5 ? "right" : "wrong");

  __nv_bfloat162* global;
  float* out;
  cudaMallocManaged(&global, 4), cudaMallocManaged(&out, 16);
  *global = __floats2bfloat162_rn(0, 0);
  generic<<<1, 32>>>(global, out, 0x00ff00ff);
  cudaDeviceSynchronize();
  std::printf("generic %g %g, %g %g %g %g\n", double(__low2float(*global)), double(__high2float(*global)),
              double(out[0]), double(out[1]), double(out[2]), double(out[3]));

  double *x, *y;
  cudaMallocManaged(&x, 8 * 100), cudaMallocManaged(&y, 8 * 32);
  for (int i = 0; i < 100; ++i) x[i] = i == 90 ? -1 : i * 0.37;
  roots<<<1, 32>>>(x, y, 100);
  cudaDeviceSynchronize();
  std::printf("roots %.12g\n", y[31]);

  float *from, *to;
  cudaMallocManaged(&from, 400), cudaMallocManaged(&to, 400);
  bool same = true;
  for (int i = 0; i < 100; ++i) from[i] = 0.01f * i + 0.5f, to[i] = 0;
  steps<<<1, 32>>>(from, to, 100, 20, 0.9f);
  cudaDeviceSynchronize();
  for (int i = 0; i < 100; ++i) {
    double sum = 0;
    for (int t = 1; t <= 20; ++t)
      sum += from[i] / std::sqrt(1 - std::pow(0.9, t)) / (std::sqrt(from[i]) + 1e-3);
    same = same && std::fabs(to[i] - sum) < 1e-4 * sum;
  }
  std::printf("steps %s\n", same ? "right" : "wrong");

  Tables t;
  for (int i = 0; i < 8; ++i) t.first[i] = i * 3 + 1, t.second[i] = 100 - i;
  int *elements, wrong = 0;
  cudaMallocManaged(&elements, 64);
  for (int which : {2, 3}) {
    chosen<<<4, 4>>>(t, elements, which);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 16; ++i) wrong += elements[i] != element(t, i / 4, i % 4, which);
  }
  std::printf("chosen %s\n", wrong == 0 ? "right" : "wrong");
  Tables* other;
  cudaMallocManaged(&other, sizeof t);
  *other = t;
  for (int& n : other->second) n *= 2;
  for (int which : {2, 3}) {
    by_address<<<1, 16>>>(t, other, elements, which);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; ++i) wrong += elements[i] != t.second[i % 8] * (which == 3 ? 1 : 2);
  }
  std::printf("address %s\n", wrong == 0 ? "right" : "wrong");
}
