// wgmma with matrices in shared memory, in every arrangement that a descriptor can say: what it gives, bit by bit, to be
// compared between a GPU and WarpLens. Shared memory holds small numbers, so that sums are exact, and the descriptors say
// which of them are multiplied: if they were read otherwise, other numbers would come out.
//
//   nvcc -gencode arch=compute_90a,code=[compute_90a,sm_90a] -o wgmma wgmma.cu && ./wgmma > gpu.txt
//   warplens run ./wgmma > warplens.txt; diff gpu.txt warplens.txt
//
// A launch per arrangement: what the reads cost is in l1tex__data_pipe_lsu_wavefronts_mem_shared.sum and its kin, if
// anywhere (ncu --metrics regex:wavefronts.*shared,regex:bank).
#include <cstdio>
#include <cuda_runtime.h>

constexpr int bytes = 65536, half = 32768; // of shared memory; where B begins

enum Fill { halves, singles, bytes8, small_floats };
__device__ unsigned word(Fill fill, unsigned i) {
  unsigned v = i * 2654435761u >> 7, out = 0;
  const unsigned short h[8] = {0, 0x3c00, 0x4000, 0x4200, 0xbc00, 0xc000, 0, 0x3800};
  const unsigned f[4] = {0, 0x3f800000, 0x40000000, 0xbf800000};
  const unsigned char e[8] = {0, 0x38, 0x40, 0x44, 0xb8, 0xc0, 0, 0x30}; // e4m3
  if (fill == halves) return h[v % 8] | static_cast<unsigned>(h[v / 8 % 8]) << 16;
  if (fill == singles) return f[v % 4];
  for (int b = 0; b < 4; ++b) out |= (fill == bytes8 ? v >> (5 * b) & 0xff : unsigned{e[v >> (3 * b) & 7]}) << (8 * b);
  return out;
}

#define D32                                                                                                  \
  "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), \
      "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]),  \
      "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), \
      "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
#define REGISTERS                                                                                            \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,"   \
  "%28,%29,%30,%31}"
#define KERNEL(name, fill, instruction)                                                                      \
  __global__ void name(unsigned* out, unsigned long long a, unsigned long long b) {                          \
    extern __shared__ __align__(1024) unsigned s[];                                                          \
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) s[i] = word(fill, i);                      \
    __syncthreads();                                                                                         \
    unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(s)), d[32] = {};                          \
    a += base >> 4, b += (base + half) >> 4;                                                                 \
    asm volatile("wgmma.fence.sync.aligned;\n"                                                               \
                 "{ .reg .pred p; setp.ne.u32 p, 0, 0;\n" instruction " }\n"                                 \
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"                        \
                 : D32                                                                                       \
                 : "l"(a), "l"(b), "r"(s[threadIdx.x]), "r"(s[threadIdx.x + 128]), "r"(s[threadIdx.x + 256]), \
                   "r"(s[threadIdx.x + 384])                                                                 \
                 : "memory");                                                                                \
    for (int i = 0; i < 32; ++i) out[threadIdx.x * 32 + i] = d[i];                                           \
  }
#define MMA(shape_and_types) "wgmma.mma_async.sync.aligned." shape_and_types " " REGISTERS ", "
KERNEL(f16_nn, halves, MMA("m64n64k16.f32.f16.f16") "%32, %33, p, 1, 1, 0, 0;")
KERNEL(f16_tn, halves, MMA("m64n64k16.f32.f16.f16") "%32, %33, p, 1, 1, 1, 0;")
KERNEL(f16_nt, halves, MMA("m64n64k16.f32.f16.f16") "%32, %33, p, 1, 1, 0, 1;")
KERNEL(f16_minus, halves, MMA("m64n64k16.f32.f16.f16") "%32, %33, p, -1, 1, 0, 0;")
KERNEL(f16_registers, halves, MMA("m64n64k16.f32.f16.f16") "{%34,%35,%36,%37}, %33, p, 1, 1, 0;")
KERNEL(tf32_nn, singles, MMA("m64n64k8.f32.tf32.tf32") "%32, %33, p, 1, 1;")
KERNEL(s8_nn, bytes8, MMA("m64n64k32.s32.s8.u8") "%32, %33, p;")
KERNEL(e4m3_nn, small_floats, MMA("m64n64k32.f32.e4m3.e4m3") "%32, %33, p, 1, 1;")
KERNEL(b1_nn, bytes8, MMA("m64n64k256.s32.b1.b1.and.popc") "%32, %33, p;")

unsigned long long descriptor(unsigned width, unsigned leading, unsigned stride) {
  unsigned long long mode = width == 16 ? 0 : width == 128 ? 1 : width == 64 ? 2 : 3;
  return static_cast<unsigned long long>(leading / 16) << 16 | static_cast<unsigned long long>(stride / 16) << 32 |
         mode << 62;
}
// By lines: 8 lines of the width together. By places: runs of the width, 64 lines.
unsigned long long by_lines(unsigned width) { return descriptor(width, width == 16 ? 1024 : 16, width == 16 ? 128 : 8 * width); }
unsigned long long by_places(unsigned width) {
  return width == 16 ? descriptor(width, 1024, 128) : descriptor(width, 8 * width, 64 * 2 / width * 8 * width);
}

int main() {
  struct Form {
    const char* name;
    void (*kernel)(unsigned*, unsigned long long, unsigned long long);
    bool a_places, b_places;
  };
  const Form forms[] = {{"f16_nn", f16_nn, false, false},      {"f16_tn", f16_tn, true, false},
                        {"f16_nt", f16_nt, false, true},       {"f16_minus", f16_minus, false, false},
                        {"f16_registers", f16_registers, false, false}, {"tf32_nn", tf32_nn, false, false},
                        {"s8_nn", s8_nn, false, false},        {"e4m3_nn", e4m3_nn, false, false},
                        {"b1_nn", b1_nn, false, false}};
  static unsigned host[128 * 32];
  unsigned* out;
  cudaMalloc(&out, sizeof host);
  for (const Form& form : forms)
    for (unsigned a : {16u, 32u, 64u, 128u})
      for (unsigned b : {16u, 32u, 64u, 128u}) {
        cudaFuncSetAttribute(form.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        form.kernel<<<1, 128, bytes>>>(out, form.a_places ? by_places(a) : by_lines(a),
                                       form.b_places ? by_places(b) : by_lines(b));
        if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) {
          printf("%s failed: %s\n", form.name, cudaGetErrorString(cudaGetLastError()));
          return 1;
        }
        unsigned long long hash = 14695981039346656037ull;
        for (unsigned v : host) hash = (hash ^ v) * 1099511628211ull;
        printf("%s %u %u %016llx first %08x %08x %08x %08x\n", form.name, a, b, hash, host[0], host[1], host[2], host[33]);
      }
}
