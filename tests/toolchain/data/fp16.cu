// __half, __half2, __nv_bfloat16 and its pair: conversions, arithmetic, comparison, math, atomics; host side too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class H, class H2> __device__ void arithmetic(H* a, H2* b) {
  int i = threadIdx.x;
  a[i] = __hfma(a[i], a[i + 1], a[i + 2]) + __hadd(a[i], a[i + 3]) * a[i] / a[i + 4] - __hneg(a[i]);
  b[i] = __hfma2(b[i], b[i + 1], b[i + 2]) + __hmul2(b[i], b[i + 3]);
  if (a[i] > H(1.0f) && __hlt(a[i], a[i + 1]) && !__hisnan(a[i])) a[i] += H(0.5);
  a[i] = __hmax(hexp(a[i]), hsqrt(a[i + 1]));
  b[i] = __hmin2(h2rsqrt(b[i]), b[i + 1]);
  a[i] = __shfl_xor_sync(0xffffffffu, a[i], 1);
  atomicAdd(a, a[i]);
  atomicAdd(b, __ldg(b + i));
}
__global__ void halves(__half* a, __half2* b, float* f) {
  arithmetic(a, b);
  f[0] = __half2float(a[0]) + __low2float(b[0]) + __high2float(b[1]) + (float)__half2int_rn(a[1]);
  b[0] = __floats2half2_rn(f[1], f[2]);
  a[0] = __float2half(f[3]);
  float2 pair = __half22float2(__halves2half2(a[0], a[1]));
  f[4] = pair.x + pair.y + __half_as_ushort(a[2]);
}
__global__ void bfloat(__nv_bfloat16* a, __nv_bfloat162* b, float* f) {
  arithmetic(a, b);
  f[0] = __bfloat162float(a[0]) + __low2float(b[0]);
  a[0] = __float2bfloat16(f[1]);
  b[0] = __floats2bfloat162_rn(f[1], f[2]);
}

int main() {
  __half h = __float2half(1.5f);
  __nv_bfloat16 b = __float2bfloat16(2.5f);
  return __half2float(h + h) == 3.0f && __bfloat162float(b * b) == 6.25f ? 0 : 1;
}
