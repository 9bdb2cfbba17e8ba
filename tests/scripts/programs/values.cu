// Integers of 64 and 128 bits, and the parts of words, in the ways that ptxas writes them, each computed here and by the host: how many differ.
#include <cstdio>
using u32 = unsigned;
using u64 = unsigned long long;
using i64 = long long;
using u128 = unsigned __int128;
using i128 = __int128;

__host__ __device__ inline i64 high(i64 a, i64 b) {
#ifdef __CUDA_ARCH__
  return __mul64hi(a, b);
#else
  return static_cast<i64>(static_cast<i128>(a) * b >> 64);
#endif
}
// The carry of a subtraction is that of a + ~b + 1, whoever reads it.
template <class T> __host__ __device__ inline u64 carries(T a, T b) {
  T d, e, f;
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 8) {
    asm("sub.cc.u64 %0, %3, %4; addc.cc.u64 %1, %4, %3; subc.u64 %2, %3, 6;" : "=l"(d), "=l"(e), "=l"(f) : "l"(a), "l"(b));
  } else {
    asm("sub.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %3; subc.u32 %2, %3, 6;" : "=r"(d), "=r"(e), "=r"(f) : "r"(a), "r"(b));
  }
#else
  const u128 mask = static_cast<T>(-1), first = a + (mask ^ b) + 1, second = static_cast<u128>(a) + b + (first > mask);
  d = static_cast<T>(first), e = static_cast<T>(second);
  f = static_cast<T>(a + static_cast<T>(~T{6}) + (second > mask));
#endif
  return (static_cast<u64>(d) * 31 + e) * 31 + f;
}
__host__ __device__ inline u32 dots(u32 a, u32 b) {
#ifdef __CUDA_ARCH__
  return __dp2a_lo(static_cast<int>(a), static_cast<int>(b), 7) * 31 + __dp2a_hi(a, b, 9u);
#else
  auto half = [&](u32 n) { return static_cast<short>(a >> 16 * n); };
  const u32 low = half(0) * static_cast<signed char>(b) + half(1) * static_cast<signed char>(b >> 8) + 7;
  return low * 31 + (a & 0xffff) * (b >> 16 & 0xff) + (a >> 16) * (b >> 24) + 9;
#endif
}

__host__ __device__ inline u32 halves(u32 a, u32 b) {
#ifdef __CUDA_ARCH__
  return __vadd2(a, b) * 31 + __vsub2(__vadd2(a, 0x00010003), b);
#else
  auto each = [](u32 x, u32 y) { return (x + y & 0xffff) | (x >> 16) + (y >> 16) << 16; };
  auto negative = [](u32 x) { return (-x & 0xffff) | -(x >> 16) << 16; };
  return each(a, b) * 31 + each(each(a, 0x00010003), negative(b));
#endif
}

__host__ __device__ inline u32 bytes(u32 a, u32 b) {
#ifdef __CUDA_ARCH__
  return __vabsdiffu4(a, b) * 31 + __vsadu4(b, a);
#else
  u32 each = 0, sum = 0;
  for (u32 n = 0; n < 32; n += 8) {
    const u32 x = a >> n & 0xff, y = b >> n & 0xff, difference = x < y ? y - x : x - y;
    each |= difference << n, sum += difference;
  }
  return each * 31 + sum;
#endif
}

// Numbers x, y, as signed ones s, t, and a choice.
#define CASES(C) \
  C(choice ? x : 0xffffffffull) C(choice ? x : ~0ull) C(choice ? x : 0x80000000ull) C(choice ? x : -5ull) \
  C((x > 0xfffffffffffffff0ull) * y) C((x < 0xffffffffull) * y) C((s < -5) * y) C((s > 0x80000000ll) * y) \
  C(x < ~15ull ? x : ~15ull) C(s > -7 ? s : -7) C(x - 0x90000000ull) C(y - x + 5) C(x * 3 - 0xfffffffull) \
  C(high(-1, choice - choice)) C(high(-1, 0)) C(high(-1, -1)) C(high(-1, s)) C(high(choice - 1, 0x100000005ll)) \
  C(carries(x, y)) C(carries(y, ~x)) C(carries(static_cast<u32>(x), static_cast<u32>(y))) C(dots(x, y)) \
  C(halves(x, y)) C(bytes(x, y)) C((x << 3) + y) C((static_cast<i64>(static_cast<int>(x)) << 4) + y) C((x << 5) - y) C(((wide << 3) + divisor) >> 64) \
  C(wide / (y | 1)) C(wide % (y | 1)) C(wide / divisor >> 3) C(wide % divisor) C(static_cast<i128>(wide) % 1000003)

#define COUNT(E) +1
constexpr int cases = 0 CASES(COUNT), threads = 32;
__host__ __device__ inline void compute(const u64* in, int thread, int choice, u64* out) {
  const u64 x = in[thread], y = in[thread + threads];
  const i64 s = static_cast<i64>(x);
  const u128 wide = static_cast<u128>(x) << 64 | y, divisor = static_cast<u128>(y) << (x & 63) | 1;
#define CASE(E) *out = static_cast<u64>(E), out += threads;
  CASES(CASE)
}
__global__ void values(const u64* in, int choice, u64* out) { compute(in, threadIdx.x, choice, out + threadIdx.x); }

int main() {
  u64 *in, *out, expected[cases * threads], state = 88172645463325252ull;
  cudaMallocManaged(&in, 2 * threads * sizeof *in);
  cudaMallocManaged(&out, sizeof expected);
  for (int n = 0; n < 2 * threads; ++n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    in[n] = n % 4 == 0 ? state : n % 4 == 1 ? ~0ull << n % 64 : n % 4 == 2 ? state >> n % 64 : ~(state & 15);
  }
  int wrong = 0;
  for (int choice = 0; choice < 2; ++choice) {
    values<<<1, threads>>>(in, choice, out);
    cudaDeviceSynchronize();
    for (int thread = 0; thread < threads; ++thread) compute(in, thread, choice, expected + thread);
    for (int n = 0; n < cases * threads; ++n)
      if (out[n] != expected[n] && ++wrong < 20)
        printf("case %d, thread %d: %llx instead of %llx\n", n / threads, n % threads, out[n], expected[n]);
  }
  printf("%d of %d differ\n", wrong, 2 * cases * threads);
}
