// Random matrix instructions, and what they give, bit by bit: to be run on a GPU and under WarpLens, and compared with
// matrices.py. A line per instruction and lane: form, draw, lane, words of D.
//
//   nvcc -arch=sm_90 -o matrices matrices.cu && ./matrices > gpu.txt
//   warplens run ./matrices > warplens.txt; matrices.py gpu.txt warplens.txt
//
// Operands are random bits; of floating types, numbers around 1 whose sums do not overflow, so that what differs is how
// sums are rounded. The forms are those of mma.sync, dense and sparse, movmatrix and stmatrix.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int draws = 13; // of each form

__host__ __device__ unsigned next(unsigned long long& state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<unsigned>(state >> 33);
}

// Elements of a type in 32 random bits: halves, bytes and so on keep a sign and a fraction, with exponents around 1.
enum Kind { f16, bf16, tf32, f32, f64, e4m3, e5m2, bits };
__device__ unsigned draw(Kind kind, unsigned long long& state) {
  unsigned v = next(state) ^ next(state) << 16;
  switch (kind) {
  case f16: return (v & 0x87ff87ff) | 0x38003800;
  case bf16: return (v & 0x80ff80ff) | 0x3f003f00;
  case tf32:
  case f32: return (v & 0x80ffffff) | 0x3f000000;
  case f64: return (v & 0x800fffff) | 0x3fe00000; // the upper half
  case e4m3: return (v & 0x8f8f8f8f) | 0x30303030;
  case e5m2: return (v & 0x87878787) | 0x38383838;
  default: return v;
  }
}

// A word of 2:4 metadata: two different places in each four.
__device__ unsigned metadata(unsigned long long& state) {
  const unsigned pairs[6] = {4, 8, 12, 9, 13, 14};
  unsigned out = 0;
  for (int i = 0; i < 8; ++i) out |= pairs[next(state) % 6] << (4 * i);
  return out;
}
__device__ unsigned metadata_tf32(unsigned long long& state) {
  unsigned out = 0;
  for (int i = 0; i < 8; ++i) out |= (next(state) % 2 ? 14u : 4u) << (4 * i);
  return out;
}

#define KERNEL(name) __global__ void name(unsigned* out, int seed)
#define BEGIN(ka, kb, kc)                                                                                    \
  unsigned long long state = (seed * 32ull + threadIdx.x) * 0x9e3779b97f4a7c15ull + 1;                       \
  unsigned a[4], b[4], c[4], d[4] = {};                                                                      \
  for (int i = 0; i < 4; ++i) a[i] = draw(ka, state), b[i] = draw(kb, state), c[i] = draw(kc, state)
#define END                                                                                                  \
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i]

// D, C of 4 or 2 registers; A of 4, 2 or 1, B of 2 or 1.
#define OUT4 "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
#define OUT2 "=r"(d[0]), "=r"(d[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define A2 "r"(a[0]), "r"(a[1])
#define B4 "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3])
#define B2 "r"(b[0]), "r"(b[1])
#define C4 "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
#define C2 "r"(c[0]), "r"(c[1])
#define MMA_4_4_2_4(name, form, ka, kb, kc)                                                                  \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    asm(form " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : OUT4 : A4, B2, C4);             \
    END;                                                                                                     \
  }
#define MMA_4_2_1_4(name, form, ka, kb, kc)                                                                  \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    asm(form " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : OUT4 : A2, "r"(b[0]), C4);                  \
    END;                                                                                                     \
  }
#define MMA_2_4_2_2(name, form, ka, kb, kc)                                                                  \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    asm(form " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" : OUT2 : A4, B2, C2);                             \
    END;                                                                                                     \
  }
#define MMA_2_2_1_2(name, form, ka, kb, kc)                                                                  \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    asm(form " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : OUT2 : A2, "r"(b[0]), C2);                               \
    END;                                                                                                     \
  }
#define MMA_2_1_1_2(name, form, ka, kb, kc)                                                                  \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    asm(form " {%0,%1}, {%2}, {%3}, {%4,%5};" : OUT2 : "r"(a[0]), "r"(b[0]), C2);                           \
    END;                                                                                                     \
  }
#define SPARSE_4_4_4_4(name, form, selector, meta, ka, kb, kc)                                               \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    unsigned e = meta(state);                                                                                \
    asm(form " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " selector ";"        \
        : OUT4                                                                                               \
        : A4, B4, C4, "r"(e));                                                                               \
    END;                                                                                                     \
  }
#define SPARSE_4_2_2_4(name, form, selector, meta, ka, kb, kc)                                               \
  KERNEL(name) {                                                                                             \
    BEGIN(ka, kb, kc);                                                                                       \
    unsigned e = meta(state);                                                                                \
    asm(form " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " selector ";"                        \
        : OUT4                                                                                               \
        : A2, B2, C4, "r"(e));                                                                               \
    END;                                                                                                     \
  }

#define M(shape) "mma.sync.aligned." shape ".row.col."
#define S(shape) "mma.sp::ordered_metadata.sync.aligned." shape ".row.col."
MMA_4_4_2_4(f16_k16, M("m16n8k16") "f32.f16.f16.f32", f16, f16, f32)
MMA_2_4_2_2(f16_k16_f16, M("m16n8k16") "f16.f16.f16.f16", f16, f16, f16)
MMA_4_2_1_4(f16_k8, M("m16n8k8") "f32.f16.f16.f32", f16, f16, f32)
MMA_2_2_1_2(f16_k8_f16, M("m16n8k8") "f16.f16.f16.f16", f16, f16, f16)
MMA_4_4_2_4(bf16_k16, M("m16n8k16") "f32.bf16.bf16.f32", bf16, bf16, f32)
MMA_4_2_1_4(bf16_k8, M("m16n8k8") "f32.bf16.bf16.f32", bf16, bf16, f32)
MMA_4_4_2_4(tf32_k8, M("m16n8k8") "f32.tf32.tf32.f32", tf32, tf32, f32)
MMA_4_2_1_4(tf32_k4, M("m16n8k4") "f32.tf32.tf32.f32", tf32, tf32, f32)
MMA_4_4_2_4(e4m3_e4m3, M("m16n8k32") "f32.e4m3.e4m3.f32", e4m3, e4m3, f32)
MMA_4_4_2_4(e4m3_e5m2, M("m16n8k32") "f32.e4m3.e5m2.f32", e4m3, e5m2, f32)
MMA_4_4_2_4(e5m2_e5m2, M("m16n8k32") "f32.e5m2.e5m2.f32", e5m2, e5m2, f32)
MMA_4_4_2_4(s8_k32, M("m16n8k32") "s32.s8.s8.s32", bits, bits, bits)
MMA_4_4_2_4(s8u8_k32_sat, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", bits, bits, bits)
MMA_4_2_1_4(u8_k16, M("m16n8k16") "s32.u8.u8.s32", bits, bits, bits)
MMA_2_1_1_2(s8_m8, M("m8n8k16") "s32.s8.s8.s32", bits, bits, bits)
MMA_4_4_2_4(s4_k64, M("m16n8k64") "s32.s4.s4.s32", bits, bits, bits)
MMA_4_2_1_4(u4s4_k32, M("m16n8k32") "s32.u4.s4.s32", bits, bits, bits)
MMA_2_1_1_2(u4_m8, M("m8n8k32") "s32.u4.u4.s32", bits, bits, bits)
MMA_4_4_2_4(b1_and, M("m16n8k256") "s32.b1.b1.s32.and.popc", bits, bits, bits)
MMA_4_4_2_4(b1_xor, M("m16n8k256") "s32.b1.b1.s32.xor.popc", bits, bits, bits)
MMA_4_2_1_4(b1_k128, M("m16n8k128") "s32.b1.b1.s32.xor.popc", bits, bits, bits)
MMA_2_1_1_2(b1_m8, M("m8n8k128") "s32.b1.b1.s32.and.popc", bits, bits, bits)
SPARSE_4_4_4_4(sp_f16_k32, S("m16n8k32") "f32.f16.f16.f32", "0", metadata, f16, f16, f32)
SPARSE_4_4_4_4(sp_f16_k32_1, S("m16n8k32") "f32.f16.f16.f32", "1", metadata, f16, f16, f32)
SPARSE_4_2_2_4(sp_bf16_k16_0, S("m16n8k16") "f32.bf16.bf16.f32", "0", metadata, bf16, bf16, f32)
SPARSE_4_2_2_4(sp_bf16_k16_1, S("m16n8k16") "f32.bf16.bf16.f32", "1", metadata, bf16, bf16, f32)
SPARSE_4_2_2_4(sp_f16_k16_2, S("m16n8k16") "f32.f16.f16.f32", "2", metadata, f16, f16, f32)
SPARSE_4_2_2_4(sp_f16_k16_3, S("m16n8k16") "f32.f16.f16.f32", "3", metadata, f16, f16, f32)
SPARSE_4_4_4_4(sp_tf32_k16, S("m16n8k16") "f32.tf32.tf32.f32", "1", metadata_tf32, tf32, tf32, f32)
SPARSE_4_2_2_4(sp_tf32_k8, S("m16n8k8") "f32.tf32.tf32.f32", "3", metadata_tf32, tf32, tf32, f32)
SPARSE_4_4_4_4(sp_s8_k64, S("m16n8k64") "s32.s8.s8.s32", "0", metadata, bits, bits, bits)
SPARSE_4_2_2_4(sp_u8_k32_0, S("m16n8k32") "s32.u8.s8.s32", "0", metadata, bits, bits, bits)
SPARSE_4_2_2_4(sp_u8_k32_1, S("m16n8k32") "s32.u8.s8.s32", "1", metadata, bits, bits, bits)
SPARSE_4_4_4_4(sp_e4m3_k64, S("m16n8k64") "f32.e4m3.e4m3.f32", "0", metadata, e4m3, e4m3, f32)
SPARSE_4_4_4_4(sp_s4_k128, S("m16n8k128") "s32.s4.s4.s32", "0", metadata, bits, bits, bits)
SPARSE_4_2_2_4(sp_u4_k64_0, S("m16n8k64") "s32.u4.u4.s32", "0", metadata, bits, bits, bits)
SPARSE_4_2_2_4(sp_u4_k64_1, S("m16n8k64") "s32.u4.u4.s32", "1", metadata, bits, bits, bits)

KERNEL(f64_m8) {
  BEGIN(bits, bits, bits);
  double x = __hiloint2double(draw(f64, state), a[0]), y = __hiloint2double(draw(f64, state), b[0]), e[2], p, q;
  for (double& v : e) v = __hiloint2double(draw(f64, state), c[0]);
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
      : "=d"(p), "=d"(q)
      : "d"(x), "d"(y), "d"(e[0]), "d"(e[1]));
  d[0] = __double2loint(p), d[1] = __double2hiint(p), d[2] = __double2loint(q), d[3] = __double2hiint(q);
  END;
}

// Exchanges within a warp, which are not rounded.
KERNEL(movmatrix) {
  BEGIN(bits, bits, bits);
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[0]) : "r"(a[0]));
  END;
}
KERNEL(stmatrix) {
  BEGIN(bits, bits, bits);
  __shared__ alignas(16) unsigned s[128];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + 4 * (threadIdx.x ^ 5)));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), A4 : "memory");
  __syncwarp();
  for (int i = 0; i < 4; ++i) d[i] = s[4 * threadIdx.x + i];
  END;
}

int main() {
  struct Form {
    const char* name;
    void (*kernel)(unsigned*, int);
  };
#define FORM(name) {#name, name}
  const Form forms[] = {FORM(f16_k16), FORM(f16_k16_f16), FORM(f16_k8), FORM(f16_k8_f16), FORM(bf16_k16), FORM(bf16_k8),
                        FORM(tf32_k8), FORM(tf32_k4), FORM(e4m3_e4m3), FORM(e4m3_e5m2), FORM(e5m2_e5m2), FORM(s8_k32),
                        FORM(s8u8_k32_sat), FORM(u8_k16), FORM(s8_m8), FORM(s4_k64), FORM(u4s4_k32), FORM(u4_m8),
                        FORM(b1_and), FORM(b1_xor), FORM(b1_k128), FORM(b1_m8), FORM(sp_f16_k32), FORM(sp_f16_k32_1),
                        FORM(sp_bf16_k16_0), FORM(sp_bf16_k16_1), FORM(sp_f16_k16_2), FORM(sp_f16_k16_3),
                        FORM(sp_tf32_k16), FORM(sp_tf32_k8), FORM(sp_s8_k64), FORM(sp_u8_k32_0), FORM(sp_u8_k32_1),
                        FORM(sp_e4m3_k64), FORM(sp_s4_k128), FORM(sp_u4_k64_0), FORM(sp_u4_k64_1), FORM(f64_m8),
                        FORM(movmatrix), FORM(stmatrix)};
  unsigned *out, host[128];
  cudaMalloc(&out, sizeof host);
  for (const Form& form : forms)
    for (int draw = 0; draw < draws; ++draw) {
      form.kernel<<<1, 32>>>(out, draw * 100 + static_cast<int>(&form - forms));
      if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("%s %d failed: %s\n", form.name, draw, cudaGetErrorString(cudaGetLastError()));
        return 1;
      }
      for (int lane = 0; lane < 32; ++lane)
        printf("%s %d %d %08x %08x %08x %08x\n", form.name, draw, lane, host[4 * lane], host[4 * lane + 1],
               host[4 * lane + 2], host[4 * lane + 3]);
    }
}
