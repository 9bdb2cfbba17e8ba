// What programs use of CUDA's headers beyond kernels and copies, for clang with WarpLens's headers: values of any type from lane to
// lane, functions that no kernel here may call, and host code that counts on numbers that go round.
#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_occupancy.h>

namespace groups = cooperative_groups;

struct Odd { // 7 bytes
  char letters[7];
};

__global__ void exchange(uint4* wide, Odd* odd, int* sums) {
  auto tile = groups::tiled_partition<32>(groups::this_thread_block());
  const unsigned lane = tile.thread_rank();
  wide[lane] = tile.shfl_xor(make_uint4(lane, lane + 100, lane + 200, lane + 300), 1);
  Odd mine;
  for (int i = 0; i < 7; ++i) mine.letters[i] = (char)(lane * 7 + i);
  odd[lane] = tile.shfl_down(mine, 2);
  sums[lane] = tile.shfl(tile.shfl_up((int)lane, 1), 5);
}

// Functions of floats by the names of C's functions of doubles: each of them, from a and b.
#define FLOATS(F)                                                                                                      \
  F(acosh(a)), F(asinh(a)), F(atanh(b)), F(cbrt(a)), F(erf(b)), F(erfc(b)), F(exp2(a)), F(expm1(b)), F(ilogb(a)),      \
      F(lgamma(a)), F(llrint(a)), F(llround(a)), F(log1p(b)), F(log2(a)), F(logb(a)), F(lrint(a)), F(lround(a)),       \
      F(nearbyint(a)), F(rint(a)), F(round(a)), F(tgamma(a)), F(trunc(a)), F(copysign(a, b)), F(fdim(a, b)),           \
      F(fmax(a, b)), F(fmin(a, b)), F(hypot(a, b)), F(nextafter(a, b)), F(remainder(a, b)), F(fma(a, b, a)),           \
      F(scalbn(a, 3)), F(sqrt(a)), F(pow(a, b)), F(abs(b)), F(max(a, b)), F(min(a, b))
#define AS_FLOAT(call) (float)call
__global__ void functions(float* out, float a, float b) {
  const float all[] = {FLOATS(AS_FLOAT)};
  for (int i = 0; i < (int)(sizeof all / sizeof *all); ++i) out[i] = all[i];
}
static int wrong_functions() {
  const float a = 2.7f, b = 0.3f;
  float* got;
  cudaMallocManaged(&got, 100 * sizeof *got);
  functions<<<1, 1>>>(got, a, b);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  using std::max;
  using std::min;
  const float want[] = {FLOATS(AS_FLOAT)};
  int wrong = 0;
  for (int i = 0; i < (int)(sizeof want / sizeof *want); ++i) {
    if (std::fabs(got[i] - want[i]) <= 1e-6f * std::fabs(want[i])) continue;
    std::printf("function %d: %g, not %g\n", i, got[i], want[i]);
    ++wrong;
  }
  return wrong;
}

// As Thrust's headers name it, for code that launches from kernels.
__device__ void* never_called() { return cudaGetParameterBuffer(64, 8); }

int main() {
  uint4* wide;
  Odd* odd;
  int *sums, wrong = 0;
  cudaMallocManaged(&wide, 32 * sizeof *wide);
  cudaMallocManaged(&odd, 32 * sizeof *odd);
  cudaMallocManaged(&sums, 32 * sizeof *sums);
  exchange<<<1, 32>>>(wide, odd, sums);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned other = lane ^ 1, below = lane < 30 ? lane + 2 : lane;
    wrong += wide[lane].x != other || wide[lane].y != other + 100 || wide[lane].z != other + 200 || wide[lane].w != other + 300;
    for (unsigned i = 0; i < 7; ++i) wrong += odd[lane].letters[i] != (char)(below * 7 + i);
    wrong += sums[lane] != 4;
  }
  for (int i = 65530; i < 65540; ++i) wrong += i * i != (int)((unsigned)i * (unsigned)i);
  wrong += wrong_functions();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
