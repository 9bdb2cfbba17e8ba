// What programs use of CUDA's headers beyond kernels and copies, for clang with WarpLens's headers: values of any type from lane to
// lane, functions that no kernel here may call, and host code that counts on numbers that go round.
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
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
