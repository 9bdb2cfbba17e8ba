// Halves of both kinds as integers, as floats, rounded and compared, with and without signs; a constant array by its generic address.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class H> __device__ int* numbers(H x, H y, int* to) {
  *to++ = static_cast<int>(x), *to++ = static_cast<int>(-x), *to++ = static_cast<unsigned>(__habs(x));
  *to++ = static_cast<short>(-x), *to++ = static_cast<unsigned short>(__habs(x));
  *to++ = static_cast<long long>(-y) >> 3, *to++ = static_cast<signed char>(-x);
  *to++ = static_cast<int>(hrint(-x)), *to++ = static_cast<int>(hfloor(-y)), *to++ = static_cast<int>(hceil(__habs(y)));
  *to++ = __float_as_int(-static_cast<float>(x)), *to++ = __float_as_int(static_cast<float>(__habs(y)));
  return to;
}
template <class P> __device__ int* pairs(P x, P y, int* to) {
  *to++ = (x.x < y.x) + 2 * (x.y < y.y), *to++ = __hbgt2(x, __hneg2(y)), *to++ = __heq2_mask(x, y) | __hne2_mask(__habs2(x), y);
  const P down = h2floor(__hneg2(x)), least = __hmin2(x, __hneg2(y));
  *to++ = reinterpret_cast<const int&>(down), *to++ = reinterpret_cast<const int&>(least);
  return to;
}
constexpr int results = 34;
__global__ void halves(const float* in, int* out) {
  const float a = in[threadIdx.x], b = in[threadIdx.x ^ 5];
  int* to = numbers(__float2bfloat16(a), __float2bfloat16(b), numbers(__float2half(a), __float2half(b), out + results * threadIdx.x));
  pairs(__floats2bfloat162_rn(a, b), __floats2bfloat162_rn(b, b), pairs(__floats2half2_rn(a, b), __floats2half2_rn(b, b), to));
}
__constant__ int squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
__device__ __noinline__ int chosen(const int* from, int n) { return from[n % 8]; }
__global__ void constants(int* out) { out[threadIdx.x] = chosen(squares, threadIdx.x); }
int main() {
  float* in;
  int* out;
  cudaMallocManaged(&in, 128), cudaMallocManaged(&out, 128 * results);
  for (int i = 0; i < 32; ++i) in[i] = i == 7 ? 70000 : (i - 11) * (i % 3 ? 0.375f : 17.25f);
  halves<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32 * results; ++i) std::printf("%d ", out[i]);
  constants<<<1, 32>>>(out);
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; ++i) std::printf(" %d", out[i]);
}
