// Warps of a block that part for rounds of different length: some come to the end of a region while others wait there. None may be lost.
#include <cstdio>

// Warps go through the rounds by which each lane has had its turn. In some they allocate, by a region in a loop, until one lane was given something.
__global__ void rounds(unsigned* word, const unsigned* asks, uint4* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned mine = word[lane], queue, tries = 0, allocated = 0, count = 0;
  bool left = true;
  while ((queue = __ballot_sync(~0u, left)) != 0) {
    const unsigned turn = __ffs(queue) - 1;
    if (__shfl_sync(~0u, asks[threadIdx.x], turn) != 0) {
      unsigned result = ~0u;
      while (result == ~0u) {
        if (lane == 3) {
          const unsigned before = atomicCAS(word + lane, mine, mine + 1);
          if (before == mine)
            result = ++mine;
          else
            mine = before;
        }
        result = __shfl_sync(~0u, result, 3);
        ++tries;
      }
      ++allocated;
    }
    if (lane == turn) left = false;
    ++count;
  }
  out[threadIdx.x] = make_uint4(left, tries >= allocated, allocated, count);
}
int main() {
  constexpr unsigned threads = 128;
  unsigned *word, *asks, wrong = 0, allocated = 0;
  uint4* out;
  cudaMallocManaged(&word, 128), cudaMallocManaged(&asks, 4 * threads), cudaMallocManaged(&out, 16 * threads);
  for (const bool alike : {true, false}) { // the warps' turns
    for (unsigned i = 0; i < threads; ++i)
      asks[i] = alike ? i % 32 == 5 || i % 32 == 20 : i % 7 == 0, allocated += asks[i], out[i].x = 9;
    rounds<<<1, threads>>>(word, asks, out);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < threads; ++i) {
      unsigned expected = 0;
      for (unsigned lane = 0; lane < 32; ++lane) expected += asks[i / 32 * 32 + lane];
      wrong += out[i].x != 0 || out[i].y != 1 || out[i].z != expected || out[i].w != 32;
    }
  }
  std::printf("warps %s\n", wrong == 0 && word[3] == allocated ? "right" : "wrong");
}
