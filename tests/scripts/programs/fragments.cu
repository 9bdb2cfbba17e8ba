// C = A · B + C of halves by wmma, each warp a part of 16 x 16: A comes from global memory, B by rows from shared memory, C
// from global memory and back. Then a sum over lanes of which only one in four goes round a loop, as llm.c's
// matmul_backward_bias does it. Values are small integers, so that results are exact. For compute capability 7.0 and up.
#include <cstdio>
#include <vector>

constexpr int size = 32, stride = 40; // of the matrices; of B's rows in shared memory

__global__ void multiply(const unsigned short* a, const unsigned short* b, float* c) {
  alignas(16) __shared__ unsigned short tile[size][stride];
  int t = threadIdx.x, warp = t / 32, row = warp / 2 * 16, column = warp % 2 * 16;
  for (int i = t; i < size * size; i += 128) tile[i / size][i % size] = b[i];
  __syncthreads();
  float sum[8];
  asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
               : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3]), "=f"(sum[4]), "=f"(sum[5]), "=f"(sum[6]),
                 "=f"(sum[7])
               : "l"(__cvta_generic_to_global(c + row * size + column)), "r"(size));
  for (int k = 0; k < size; k += 16) {
    unsigned fa[8], fb[8];
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]), "=r"(fa[4]), "=r"(fa[5]), "=r"(fa[6]), "=r"(fa[7])
                 : "l"(__cvta_generic_to_global(a + row * size + k)), "r"(size));
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                 : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]), "=r"(fb[4]), "=r"(fb[5]), "=r"(fb[6]), "=r"(fb[7])
                 : "l"(__cvta_generic_to_shared(&tile[k][column])), "r"(stride));
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
                 "{%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]),
                   "+f"(sum[7])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fa[4]), "r"(fa[5]), "r"(fa[6]), "r"(fa[7]),
                   "r"(fb[0]), "r"(fb[1]), "r"(fb[2]), "r"(fb[3]), "r"(fb[4]), "r"(fb[5]), "r"(fb[6]), "r"(fb[7]));
  }
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" ::"l"(
                   __cvta_generic_to_global(c + row * size + column)),
               "f"(sum[0]), "f"(sum[1]), "f"(sum[2]), "f"(sum[3]), "f"(sum[4]), "f"(sum[5]), "f"(sum[6]), "f"(sum[7]),
               "r"(size)
               : "memory");
}

__global__ void sums(float* out, int rounds, int rows) {
  for (int k = 0; k < rounds; ++k) {
    float all = 0;
    for (int r = threadIdx.x % 4; r < rows; r += 4) {
      float v = 100 * k + threadIdx.x;
      v += __shfl_down_sync(0xffffffff, v, 1, 4);
      v += __shfl_down_sync(0xffffffff, v, 2, 4);
      all += v;
    }
    out[k * 32 + threadIdx.x] = all;
  }
}

unsigned short half(int v) { // -4 to 4
  const unsigned short sizes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return static_cast<unsigned short>((v < 0 ? 0x8000 : 0) | sizes[v < 0 ? -v : v]);
}
int value(int seed, int i) { return (i * 7 + i / size * 5 + seed) % 9 - 4; }

int main() {
  constexpr int n = size * size, rounds = 3;
  std::vector<unsigned short> a(n), b(n);
  std::vector<float> c(n), s(32 * rounds);
  for (int i = 0; i < n; ++i) a[i] = half(value(1, i)), b[i] = half(value(3, i)), c[i] = static_cast<float>(i % 5);
  unsigned short *on_a, *on_b;
  float *on_c, *on_s;
  cudaMalloc(&on_a, n * 2), cudaMalloc(&on_b, n * 2), cudaMalloc(&on_c, n * 4), cudaMalloc(&on_s, s.size() * 4);
  cudaMemcpy(on_a, a.data(), n * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(on_b, b.data(), n * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(on_c, c.data(), n * 4, cudaMemcpyHostToDevice);
  multiply<<<1, 128>>>(on_a, on_b, on_c);
  sums<<<1, 32>>>(on_s, rounds, 1);
  cudaMemcpy(c.data(), on_c, n * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(s.data(), on_s, s.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      int want = (i * size + j) % 5;
      for (int k = 0; k < size; ++k) want += value(1, i * size + k) * value(3, k * size + j);
      wrong += c[i * size + j] != static_cast<float>(want);
    }
  for (int k = 0; k < rounds; ++k)
    for (int t = 0; t < 32; ++t) wrong += s[k * 32 + t] != (t % 4 == 0 ? static_cast<float>(100 * k + t) : 0.0f);
  std::printf(wrong == 0 ? "every element is right\n" : "%d elements are wrong\n", wrong);
  return wrong != 0;
}
