// curand_kernel.h for clang: random numbers inside kernels. Generators, their seeding, and how numbers of a
// distribution are made from 32-bit words, as the cuRAND documentation and the papers it cites describe them.
//
//   Philox4x32-10  J. Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC11). The state is a counter;
//                  curand_init puts the seed in the key and the subsequence in the counter's upper half, so this
//                  generator gives cuRAND's words, floats and normals; doubles take their words in
//                  another order.
//   XORWOW         G. Marsaglia, "Xorshift RNGs" (2003). Here a subsequence is a seed of its own (mixed by
//                  SplitMix64), not a jump by 2^67 steps: good numbers, but not those of cuRAND.
//
// Not here: MRG32k3a, Sobol', MTGP32, Poisson and discrete distributions.
#pragma once
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define WARPLENS_QUALIFIERS static __device__ __forceinline__

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// Philox: ten rounds of two 32×32→64 products, the key bumped by Weyl constants between them.
WARPLENS_QUALIFIERS uint4 curand_Philox4x32_10(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long p0 = 0xD2511F53ull * c.x, p1 = 0xCD9E8D57ull * c.z;
    c = uint4((unsigned)(p1 >> 32) ^ c.y ^ key.x, (unsigned)p1, (unsigned)(p0 >> 32) ^ c.w ^ key.y, (unsigned)p0);
    key = uint2(key.x + 0x9E3779B9u, key.y + 0xBB67AE85u);
  }
  return c;
}
namespace warplens_cuda {
// A 128-bit counter: its low 64 bits count blocks of four words, its high 64 bits are the subsequence.
WARPLENS_QUALIFIERS void advance(uint4& counter, unsigned long long blocks) {
  unsigned long long low = counter.x | (unsigned long long)counter.y << 32, sum = low + blocks;
  counter.x = (unsigned)sum, counter.y = (unsigned)(sum >> 32);
  if (sum < low && ++counter.z == 0) ++counter.w;
}
} // namespace warplens_cuda
WARPLENS_QUALIFIERS void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += (unsigned)(n & 3);
  n /= 4;
  if (state->STATE > 3) ++n, state->STATE -= 4;
  warplens_cuda::advance(state->ctr, n);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
WARPLENS_QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                                     unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = uint4(0, 0, (unsigned)subsequence, (unsigned)(subsequence >> 32));
  state->key = uint2((unsigned)seed, (unsigned)(seed >> 32));
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead(offset, state);
}
WARPLENS_QUALIFIERS unsigned int curand(curandStatePhilox4_32_10_t* state) {
  unsigned int which = state->STATE++;
  unsigned int word = which == 0   ? state->output.x
                      : which == 1 ? state->output.y
                      : which == 2 ? state->output.z
                                   : state->output.w;
  if (state->STATE == 4) {
    state->STATE = 0;
    warplens_cuda::advance(state->ctr, 1);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
  }
  return word;
}
WARPLENS_QUALIFIERS uint4 curand4(curandStatePhilox4_32_10_t* state) {
  unsigned int a = curand(state), b = curand(state), c = curand(state), d = curand(state);
  return uint4(a, b, c, d);
}

// XORWOW: a five-word xorshift plus a Weyl sequence.
WARPLENS_QUALIFIERS unsigned int curand(curandStateXORWOW_t* state) {
  unsigned int t = state->v[0] ^ (state->v[0] >> 2);
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
  state->d += 362437;
  return state->v[4] + state->d;
}
WARPLENS_QUALIFIERS void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  for (; n > 0; --n) curand(state);
}
WARPLENS_QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                                     unsigned long long offset, curandStateXORWOW_t* state) {
  unsigned long long x = seed ^ (subsequence + 1) * 0xD1342543DE82EF95ull;
  for (int i = 0; i < 6; ++i) {
    x += 0x9E3779B97F4A7C15ull;
    unsigned long long z = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    unsigned int word = (unsigned int)(z ^ (z >> 31));
    if (i == 0) state->d = word;
    else state->v[i - 1] = word | (unsigned)(i == 1); // all-zero is the one state that xorshift cannot leave
  }
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead(offset, state);
}

// Distributions. Uniform numbers lie in (0, 1]: the word's middle of its 2^-32 interval.
namespace warplens_cuda {
WARPLENS_QUALIFIERS float uniform(unsigned int x) { return (float)x * 0x1p-32f + 0x1p-33f; }
WARPLENS_QUALIFIERS double uniform_double(unsigned int x, unsigned int y) {
  unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << (53 - 32));
  return (double)z * 0x1p-53 + 0x1p-54;
}
// Box-Muller: two uniform numbers make two normal ones.
WARPLENS_QUALIFIERS float2 box_muller(unsigned int x, unsigned int y) {
  float u = uniform(x), angle = (float)y * 0x1.921fb6p-30f + 0x1.921fb6p-31f; // 2π · 2^-32
  float radius = sqrtf(-2.0f * logf(u)), sine, cosine;
  sincosf(angle, &sine, &cosine);
  return float2(sine * radius, cosine * radius);
}
WARPLENS_QUALIFIERS double2 box_muller_double(double u, double v) {
  double radius = sqrt(-2.0 * log(u)), sine, cosine;
  sincospi(2.0 * v, &sine, &cosine);
  return double2(sine * radius, cosine * radius);
}
} // namespace warplens_cuda

#define WARPLENS_DISTRIBUTIONS(State)                                                                          \
  WARPLENS_QUALIFIERS float curand_uniform(State* s) { return warplens_cuda::uniform(curand(s)); }             \
  WARPLENS_QUALIFIERS double curand_uniform_double(State* s) {                                                 \
    unsigned int x = curand(s), y = curand(s);                                                                 \
    return warplens_cuda::uniform_double(x, y);                                                                \
  }                                                                                                            \
  WARPLENS_QUALIFIERS float2 curand_normal2(State* s) {                                                        \
    unsigned int x = curand(s), y = curand(s);                                                                 \
    return warplens_cuda::box_muller(x, y);                                                                    \
  }                                                                                                            \
  WARPLENS_QUALIFIERS double2 curand_normal2_double(State* s) {                                                \
    double u = curand_uniform_double(s), v = curand_uniform_double(s);                                         \
    return warplens_cuda::box_muller_double(u, v);                                                             \
  }                                                                                                            \
  WARPLENS_QUALIFIERS float curand_normal(State* s) {                                                          \
    s->boxmuller_flag = !s->boxmuller_flag;                                                                    \
    if (!s->boxmuller_flag) return s->boxmuller_extra;                                                         \
    float2 pair = curand_normal2(s);                                                                           \
    s->boxmuller_extra = pair.y;                                                                               \
    return pair.x;                                                                                             \
  }                                                                                                            \
  WARPLENS_QUALIFIERS double curand_normal_double(State* s) {                                                  \
    s->boxmuller_flag_double = !s->boxmuller_flag_double;                                                      \
    if (!s->boxmuller_flag_double) return s->boxmuller_extra_double;                                           \
    double2 pair = curand_normal2_double(s);                                                                   \
    s->boxmuller_extra_double = pair.y;                                                                        \
    return pair.x;                                                                                             \
  }                                                                                                            \
  WARPLENS_QUALIFIERS float curand_log_normal(State* s, float mean, float deviation) {                         \
    return expf(mean + deviation * curand_normal(s));                                                          \
  }                                                                                                            \
  WARPLENS_QUALIFIERS double curand_log_normal_double(State* s, double mean, double deviation) {               \
    return exp(mean + deviation * curand_normal_double(s));                                                    \
  }
WARPLENS_DISTRIBUTIONS(curandStateXORWOW_t)
WARPLENS_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
#undef WARPLENS_DISTRIBUTIONS

WARPLENS_QUALIFIERS float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  uint4 x = curand4(state);
  return float4(warplens_cuda::uniform(x.x), warplens_cuda::uniform(x.y), warplens_cuda::uniform(x.z),
                warplens_cuda::uniform(x.w));
}
WARPLENS_QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  uint4 x = curand4(state);
  float2 a = warplens_cuda::box_muller(x.x, x.y), b = warplens_cuda::box_muller(x.z, x.w);
  return float4(a.x, a.y, b.x, b.y);
}

#undef WARPLENS_QUALIFIERS
#pragma clang attribute pop
