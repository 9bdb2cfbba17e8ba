// Single-warp accesses to global memory for an NVIDIA GPU, to be run under Nsight Compute by measure.sh: what they cost in
// the L1's tag stage and data stage. Command line and output are those of patterns.cu; beside that program's, these
// patterns have all widths from 1 byte on, cache operators, and addresses in 32 GiB. With SEED=N in the environment they
// are others, of the same families.
//
// Families: stage_hash (which tag set an address bit leads to: lanes two lines apart, once for each of four lines in four
// sets), stage_far (loads anywhere in 32 GiB), stage_loads, stage_stores, stage_atomics (within 1 or 16 MiB).
// `addresses` are relative to a base aligned to 32 GiB (stage_hash, stage_far) or 16 MiB.
#include "random_lanes.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Pattern {
  std::string op;
  int bytes = 4;
  uint32_t mask = 0xffffffff;
  Lanes lanes = {};
  int cache = 0; // index into caches
};

const char* const caches[] = {"", "nc", "cg", "volatile"};

// --- kernels: one instruction each ---------------------------------------------------------------------------------

// `never` is a value that only the launch knows, so that a narrow load is not known to differ from it and left out.
#define CONSUME(v) if ((v) == never) asm volatile("trap;")

#define LOADS(prefix)                                                                                                  \
  if (bytes == 1) asm volatile("ld." prefix ".u8 %0, [%1];" : "=r"(a) : "l"(at));                                       \
  else if (bytes == 2) asm volatile("ld." prefix ".u16 %0, [%1];" : "=h"(h) : "l"(at));                                 \
  else if (bytes == 4) asm volatile("ld." prefix ".u32 %0, [%1];" : "=r"(a) : "l"(at));                                 \
  else if (bytes == 8) asm volatile("ld." prefix ".v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(at));                \
  else asm volatile("ld." prefix ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));

template <int bytes, int cache> __global__ void load(const __grid_constant__ Lanes lanes, uint32_t mask, char* base,
                                                uint32_t never) {
  char* at = base + lanes.address[threadIdx.x];
  uint32_t a = 0, b = 0, c = 0, d = 0;
  uint16_t h = 0;
  if (mask >> threadIdx.x & 1) {
    if (cache == 0) { LOADS("global") }
    if (cache == 1) { LOADS("global.nc") }
    if (cache == 2) { LOADS("global.cg") }
    if (cache == 3) { LOADS("volatile.global") }
  }
  CONSUME(a ^ b ^ c ^ d ^ h);
}

template <int bytes> __global__ void store(const __grid_constant__ Lanes lanes, uint32_t mask, char* base, uint32_t) {
  char* at = base + lanes.address[threadIdx.x];
  uint32_t v = threadIdx.x;
  if (mask >> threadIdx.x & 1) {
    if (bytes == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(v));
    else if (bytes == 2) asm volatile("st.global.u16 [%0], %1;" ::"l"(at), "h"((uint16_t)v));
    else if (bytes == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v));
    else if (bytes == 8) asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(v));
    else asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(v));
  }
}

template <int bytes, bool result>
__global__ void atomic(const __grid_constant__ Lanes lanes, uint32_t mask, char* base, uint32_t never) {
  char* at = base + lanes.address[threadIdx.x];
  uint32_t v = threadIdx.x, a = 0;
  uint64_t w = v, b = 0;
  if (mask >> threadIdx.x & 1) {
    if (bytes == 4 && result) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(a) : "l"(at), "r"(v));
    if (bytes == 8 && result) asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(b) : "l"(at), "l"(w));
    if (bytes == 4 && !result) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v));
    if (bytes == 8 && !result) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"(w));
  }
  CONSUME(a ^ (uint32_t)b);
}

// --- patterns ------------------------------------------------------------------------------------------------------

constexpr uint64_t far_bytes = uint64_t{32} << 30, near_bytes = uint64_t{16} << 20;

Pattern hash(int i) {
  Pattern p;
  p.op = "load", p.mask = 3;
  p.lanes.address[1] = (uint64_t{1} << (9 + i / 4)) + i % 4 * 128;
  return p;
}

Pattern any(Random& random, const char* op, uint64_t limit) {
  Pattern p;
  p.op = op, p.mask = random_mask(random);
  bool is_load = p.op == "load", is_store = p.op == "store";
  p.bytes = is_load || is_store ? 1 << random(5) : 4 << random(2);
  if (is_store && random(2)) p.bytes = 1 << random(3);
  if (is_load && random(4) == 0) p.cache = 1 + (int)random(3);
  place(random, p.bytes, limit, p.lanes);
  return p;
}

std::vector<Pattern> patterns_of(const std::string& family) {
  std::vector<Pattern> out;
  const char* seed = std::getenv("SEED");
  Random random{0x9E3779B97F4A7C15ull + 2 * (seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10))};
  auto limit = [&] { return random(2) ? uint64_t{1} << 20 : near_bytes; };
  if (family == "stage_hash") for (int i = 0; i < 104; ++i) out.push_back(hash(i));
  if (family == "stage_far") for (int i = 0; i < 200; ++i) out.push_back(any(random, "load", far_bytes));
  if (family == "stage_loads") for (int i = 0; i < 500; ++i) out.push_back(any(random, "load", limit()));
  if (family == "stage_stores") for (int i = 0; i < 600; ++i) out.push_back(any(random, "store", limit()));
  if (family == "stage_atomics")
    for (int i = 0; i < 400; ++i) out.push_back(any(random, i % 2 ? "atomic" : "reduction", limit()));
  return out;
}

// --- running -------------------------------------------------------------------------------------------------------

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(2);
}

// The first multiple of `size` in memory that is large enough to have one.
char* make_memory(uint64_t size) {
  char* memory;
  check(cudaMalloc(&memory, 2 * size), "cudaMalloc");
  return (char*)(((uintptr_t)memory + size - 1) / size * size);
}

using Kernel = void (*)(const Lanes, uint32_t, char*, uint32_t);
template <int cache> Kernel load_of(int bytes) {
  return bytes == 1 ? load<1, cache> : bytes == 2 ? load<2, cache> : bytes == 4 ? load<4, cache>
       : bytes == 8 ? load<8, cache> : load<16, cache>;
}

Kernel kernel_of(const Pattern& p) {
  if (p.op == "load") return p.cache == 0 ? load_of<0>(p.bytes) : p.cache == 1 ? load_of<1>(p.bytes)
                           : p.cache == 2 ? load_of<2>(p.bytes) : load_of<3>(p.bytes);
  if (p.op == "store") return p.bytes == 1 ? store<1> : p.bytes == 2 ? store<2> : p.bytes == 4 ? store<4>
                            : p.bytes == 8 ? store<8> : store<16>;
  if (p.op == "atomic") return p.bytes == 4 ? atomic<4, true> : atomic<8, true>;
  return p.bytes == 4 ? atomic<4, false> : atomic<8, false>;
}

void print(const Pattern& p, int id) {
  printf("{\"id\":%d,\"space\":\"global\",\"op\":\"%s\",\"bytes\":%d,\"mask\":\"0x%08x\",\"addresses\":[", id, p.op.c_str(),
         p.bytes, p.mask);
  for (int l = 0; l < 32; ++l) printf("%s%llu", l ? "," : "", (unsigned long long)p.lanes.address[l]);
  printf("]");
  if (p.cache != 0) printf(",\"cache\":\"%s\"", caches[p.cache]);
  printf("}\n");
}

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: stages list FAMILY | stages run FAMILY FIRST COUNT\n"), 2;
  std::string family = argv[2];
  std::vector<Pattern> all = patterns_of(family);
  if (!strcmp(argv[1], "list")) {
    for (size_t i = 0; i < all.size(); ++i) print(all[i], (int)i);
    return 0;
  }
  bool far = family == "stage_hash" || family == "stage_far";
  char* base = make_memory(far ? far_bytes : near_bytes);
  size_t first = argc > 3 ? atol(argv[3]) : 0, count = argc > 4 ? atol(argv[4]) : all.size();
  for (size_t i = first; i < all.size() && i < first + count; ++i) {
    kernel_of(all[i])<<<1, 32>>>(all[i].lanes, all[i].mask, base, 0x7fc01234u);
    check(cudaDeviceSynchronize(), "launch");
  }
  return 0;
}
