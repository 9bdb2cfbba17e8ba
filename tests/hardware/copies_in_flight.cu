// What does the counter of passes by asynchronous copies (ldgsts) count, where copies of warps, blocks and turns of a
// loop are in flight at once, or lanes go around them? A launch for each case, to be profiled; a copy stands on one instruction, so that the sum is that instruction's.
//
//   nvcc -O3 -arch=sm_90 -o copies_in_flight copies_in_flight.cu && ./copies_in_flight --list
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Case {
  std::string name;
  unsigned how; // 0: cg 16, 1: ca 16, 2: ca 8, 3: ca 4
  unsigned blocks, warps, turns, on; // on: bit i: copies of turn i are performed
  unsigned mask;                     // lanes
  unsigned from_row, to_row;         // bytes from a row of lanes to the next
  unsigned width; // lanes in a row
  unsigned tile;  // bytes that a turn is further, at the source
  unsigned wait;  // 1: each copy is waited for
};

template <int how>
__global__ void copies(const char* base, unsigned turns, unsigned on, unsigned mask, unsigned from_row,
                       unsigned to_row, unsigned width, unsigned tile, unsigned wait, char* out) {
  extern __shared__ __align__(1024) char shared[];
  constexpr unsigned bytes = how == 0 ? 16 : how == 1 ? 16 : how == 2 ? 8 : 4;
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = threadIdx.x / width,
           column = threadIdx.x % width;
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + row * to_row + column * bytes;
  const char* from = base + blockIdx.x * 8192 + row * from_row + column * bytes;
  bool takes_part = mask >> lane & 1;
#pragma unroll 1
  for (unsigned i = 0; i < turns; ++i) {
    int p = takes_part && (on >> i & 1);
    unsigned t = to + (i % 4) * 4096;
    const char* f = from + i * tile;
    if constexpr (how == 0)
      asm volatile(
          "{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(t),
          "l"(f), "r"(p)
          : "memory");
    else if constexpr (how == 1)
      asm volatile(
          "{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 16;}" ::"r"(t),
          "l"(f), "r"(p)
          : "memory");
    else if constexpr (how == 2)
      asm volatile(
          "{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 8;}" ::"r"(t),
          "l"(f), "r"(p)
          : "memory");
    else
      asm volatile(
          "{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 4;}" ::"r"(t),
          "l"(f), "r"(p)
          : "memory");
    if (wait) asm volatile("cp.async.wait_all;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (shared[threadIdx.x] == 77) out[threadIdx.x] = static_cast<char>(warp);
}

std::vector<Case> cases() {
  std::vector<Case> out;
  const unsigned sample = 0x000f000f;
  for (unsigned how = 0; how < 4; ++how) {
    auto add = [&](std::string name, unsigned blocks, unsigned warps, unsigned turns, unsigned on,
                   unsigned mask, unsigned from_row = 512, unsigned to_row = 64, unsigned width = 16,
                   unsigned tile = 64, unsigned wait = 1) {
      out.push_back({name, how, blocks, warps, turns, on, mask, from_row, to_row, width, tile, wait});
    };
    add("one", 1, 1, 1, 1, sample);
    add("off", 1, 1, 1, 0, sample);
    add("off2", 1, 1, 2, 0, sample);
    add("off8", 1, 1, 8, 0, sample);
    add("half", 1, 1, 8, 0x55, sample);
    add("turns2", 1, 1, 2, 0xff, sample);
    add("turns8", 1, 1, 8, 0xff, sample);
    add("flight8", 1, 1, 8, 0xff, sample, 512, 64, 16, 64, 0);
    add("warps2", 1, 2, 1, 1, sample);
    add("warps8", 1, 8, 1, 1, sample);
    add("warps8turns8", 1, 8, 8, 0xff, sample);
    add("warps8flight8", 1, 8, 8, 0xff, sample, 512, 64, 16, 64, 0);
    add("blocks2", 2, 1, 1, 1, sample);
    add("blocks64", 64, 1, 1, 1, sample);
    add("blocks64w8", 64, 8, 1, 1, sample);
    add("blocks64w8t8", 64, 8, 8, 0xff, sample);
    add("blocks64w8f8", 64, 8, 8, 0xff, sample, 512, 64, 16, 64, 0);
    add("blocks64w8f8off", 64, 8, 16, 0xff, sample, 512, 64, 16, 64, 0);
    for (unsigned tile : {0u, 64u, 128u, 256u})
      add("tile" + std::to_string(tile), 1, 1, 8, 0xff, sample, 512, 64, 16, tile);
    for (unsigned row : {64u, 128u, 256u, 512u, 1024u, 5120u})
      add("row" + std::to_string(row), 1, 1, 1, 1, sample, row);
    for (unsigned row : {64u, 128u, 512u}) add("row" + std::to_string(row) + "w8", 1, 8, 1, 1, sample, row);
    for (unsigned mask : {0xfu, 0xf0000u, 0xffu, 0xffffu, 0xffffffffu, 0x1u}) add("mask", 1, 1, 1, 1, mask);
    add("wide", 1, 8, 4, 0xf, ~0u, 512, 512, 32, 64, 0);
  }
  return out;
}

int main(int argc, char** argv) {
  auto all = cases();
  if (argc > 1 && !strcmp(argv[1], "--list")) {
    for (auto& c : all)
      printf("{\"name\":\"%s\",\"how\":%u,\"blocks\":%u,\"warps\":%u,\"turns\":%u,\"on\":%u,\"mask\":%u,"
             "\"from_row\":%u,\"to_row\":%u,"
             "\"width\":%u,\"tile\":%u,\"wait\":%u}\n",
             c.name.c_str(), c.how, c.blocks, c.warps, c.turns, c.on, c.mask, c.from_row, c.to_row, c.width,
             c.tile, c.wait);
    return 0;
  }
  char *base, *out;
  cudaMalloc(&base, 1 << 22), cudaMalloc(&out, 1 << 16);
  cudaMemset(base, 1, 1 << 22);
  for (auto& c : all) {
    auto launch = [&](auto kernel) {
      kernel<<<c.blocks, c.warps * 32, 32768>>>(base, c.turns, c.on, c.mask, c.from_row, c.to_row, c.width,
                                                c.tile, c.wait, out);
    };
    if (c.how == 0) launch(copies<0>);
    if (c.how == 1) launch(copies<1>);
    if (c.how == 2) launch(copies<2>);
    if (c.how == 3) launch(copies<3>);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
