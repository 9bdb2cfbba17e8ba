// What wgmma's reads from shared memory cost: cycles per instruction of one group of four warps that has an SM for itself, for
// matrices in every arrangement, and with A in registers, where only B is read.
//
//   nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -o wgmma_rates wgmma_rates.cu && ./wgmma_rates
//
// m64nNk16 takes about N / 2 cycles of the tensor cores. If a pass of shared memory moves 128 bytes, A takes 16 cycles (64 rows of
// 32 bytes) and B N / 4, read once for all four warps, or N, read by each of them. What is slower decides. So:
//
//   n = 8, 16, 32 with A in registers and not     what A costs: 16 cycles?
//   n = 8 … 128 with A in registers               whether B is read once: N / 4 or N
//   transposed matrices, each swizzle             whether arrangements differ
//
// Prints a JSON line for each: {"a": …, "b": …, "transposed": "nn", "n": …, "cycles": …}; of a, 0 is registers, else the swizzle's width.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int bytes = 65536, half = 32768, rounds = 64, together = 32;

#define D2(o) "+r"(d[o]), "+r"(d[o + 1])
#define D4(o) D2(o), D2(o + 2)
#define D8(o) D4(o), D4(o + 4)
#define D16(o) D8(o), D8(o + 8)
#define D32(o) D16(o), D16(o + 16)
#define S2 "%0,%1"
#define S4 S2 ",%2,%3"
#define S8 S4 ",%4,%5,%6,%7"
#define S16 S8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define S32 S16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"

// Sums are f16, n / 4 registers of each thread; behind them come A's descriptor, B's, A's registers and the transpositions. Many
// instructions in one statement, as the assembler puts waits between those that it cannot see together.
#define TIMES4(text) text text text text
#define TIMES32(text) TIMES4(text) TIMES4(text) TIMES4(text) TIMES4(text) TIMES4(text) TIMES4(text) TIMES4(text) TIMES4(text)
#define GROUP(n, D, registers, rest)                                                                         \
  asm volatile("wgmma.fence.sync.aligned;\n" TIMES32("wgmma.mma_async.sync.aligned.m64n" #n                 \
                                                     "k16.f16.f16.f16 {" registers "}, " rest ";\n")        \
               "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"                          \
               : D(0)                                                                                        \
               : "l"(a), "l"(b), "r"(0), "r"(0), "r"(0), "r"(0), "n"(ta), "n"(tb)                            \
               : "memory")
#define RATE(n, D, registers, A, B, in_registers, TA, TB)                                                    \
  template <int ta, int tb, bool from_registers>                                                             \
  __global__ void rate_##n(long long* cycles, unsigned* out, unsigned long long a, unsigned long long b) {   \
    extern __shared__ __align__(1024) unsigned s[];                                                          \
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) s[i] = 0;                                  \
    __syncthreads();                                                                                         \
    unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(s)), d[n / 4] = {};                        \
    a += base >> 4, b += (base + half) >> 4;                                                                  \
    long long start = clock64();                                                                              \
    for (int i = 0; i < rounds; ++i) {                                                                        \
      if constexpr (from_registers)                                                                          \
        GROUP(n, D, registers, in_registers ", " B ", 1, 1, 1, " TB);                                         \
      else                                                                                                    \
        GROUP(n, D, registers, A ", " B ", 1, 1, 1, " TA ", " TB);                                            \
    }                                                                                                         \
    long long end = clock64();                                                                                \
    for (int i = 0; i < n / 4; ++i) out[threadIdx.x * (n / 4) + i] = d[i];                                    \
    if (threadIdx.x == 0) *cycles = end - start;                                                              \
  }
RATE(8, D2, S2, "%2", "%3", "{%4,%5,%6,%7}", "%8", "%9")
RATE(16, D4, S4, "%4", "%5", "{%6,%7,%8,%9}", "%10", "%11")
RATE(32, D8, S8, "%8", "%9", "{%10,%11,%12,%13}", "%14", "%15")
RATE(64, D16, S16, "%16", "%17", "{%18,%19,%20,%21}", "%22", "%23")
RATE(128, D32, S32, "%32", "%33", "{%34,%35,%36,%37}", "%38", "%39")

// As in wgmma.cu: 8 lines of the swizzle's width together, or runs of it.
unsigned long long descriptor(unsigned width, bool transposed, unsigned lines) {
  unsigned long long mode = width == 16 ? 0 : width == 128 ? 1 : width == 64 ? 2 : 3;
  unsigned leading = width == 16 ? 1024 : transposed ? 8 * width : 16,
           stride = width == 16 ? 128 : transposed ? lines * 2 / width * 8 * width : 8 * width;
  return static_cast<unsigned long long>(leading / 16) << 16 | static_cast<unsigned long long>(stride / 16) << 32 |
         mode << 62;
}

using Kernel = void (*)(long long*, unsigned*, unsigned long long, unsigned long long);

void measure(Kernel kernel, unsigned n, unsigned a, unsigned b, bool ta, bool tb) {
  static long long* cycles = nullptr;
  static unsigned* out = nullptr;
  if (cycles == nullptr) cudaMallocManaged(&cycles, sizeof *cycles), cudaMalloc(&out, 128 * 32 * 4);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  for (int twice = 0; twice < 2; ++twice) // the second time the code is in the caches
    kernel<<<1, 128, bytes>>>(cycles, out, a == 0 ? 0 : descriptor(a, ta, 64), descriptor(b, tb, n));
  if (cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
    std::printf("{\"error\": \"%s\"}\n", cudaGetErrorString(error));
  std::printf("{\"a\": %u, \"b\": %u, \"transposed\": \"%c%c\", \"n\": %u, \"cycles\": %.2f}\n", a, b, ta ? 't' : 'n',
              tb ? 't' : 'n', n, static_cast<double>(*cycles) / (rounds * together));
}

int main() {
  struct Size {
    unsigned n;
    Kernel registers, plain, a_transposed, b_transposed;
  };
  const Size sizes[] = {{8, rate_8<0, 0, true>, rate_8<0, 0, false>, rate_8<1, 0, false>, rate_8<0, 1, false>},
                        {16, rate_16<0, 0, true>, rate_16<0, 0, false>, rate_16<1, 0, false>, rate_16<0, 1, false>},
                        {32, rate_32<0, 0, true>, rate_32<0, 0, false>, rate_32<1, 0, false>, rate_32<0, 1, false>},
                        {64, rate_64<0, 0, true>, rate_64<0, 0, false>, rate_64<1, 0, false>, rate_64<0, 1, false>},
                        {128, rate_128<0, 0, true>, rate_128<0, 0, false>, rate_128<1, 0, false>, rate_128<0, 1, false>}};
  for (const Size& size : sizes)
    for (unsigned b : {16u, 32u, 64u, 128u}) {
      measure(size.registers, size.n, 0, b, false, false);
      for (unsigned a : {16u, 32u, 64u, 128u}) measure(size.plain, size.n, a, b, false, false);
      measure(size.a_transposed, size.n, 128, b, true, false);
      if (b <= 2 * size.n) measure(size.b_transposed, size.n, 128, b, false, true);
    }
}
