// C = A · B of halves, as libraries do it: tiles come to shared memory by asynchronous copies, one tile ahead, ldmatrix
// spreads them over the lanes, and mma.sync multiplies. Values are small integers, so that the result is exact.
// For compute capability 8.0 and up.
#include <cstdio>
#include <vector>
#ifndef __clang__
#include <cuda_pipeline.h>
#endif

constexpr int size = 64, rows = 16, columns = 32, depth = 16; // of the matrices; of a block's part of C; of a step

__device__ void copy16(void* to, const void* from) {
#ifdef __clang__
  unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(__cvta_generic_to_global(from)));
#else
  __pipeline_memcpy_async(to, from, 16);
#endif
}
__device__ void commit() {
#ifdef __clang__
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  __pipeline_commit();
#endif
}
__device__ void wait_for_all_but_one() {
#ifdef __clang__
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#else
  __pipeline_wait_prior(1);
#endif
}

struct Tiles {
  alignas(16) unsigned short a[rows][depth], b[depth][columns];
};

__device__ void fetch(Tiles& to, const unsigned short* a, const unsigned short* b, int step) {
  int t = threadIdx.x;
  if (t < 32) {
    int row = t / 2, column = t % 2 * 8;
    copy16(&to.a[row][column], a + (blockIdx.y * rows + row) * size + step * depth + column); // copies A
  } else if (t < 96) {
    int row = (t - 32) / 4, column = (t - 32) % 4 * 8;
    copy16(&to.b[row][column], b + (step * depth + row) * size + blockIdx.x * columns + column); // copies B
  }
}

__global__ void multiply(const unsigned short* a, const unsigned short* b, float* c) {
  __shared__ Tiles tiles[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[4] = {};
  fetch(tiles[0], a, b, 0);
  commit();
  for (int step = 0; step < size / depth; ++step) {
    if (step + 1 < size / depth) fetch(tiles[(step + 1) % 2], a, b, step + 1);
    commit();
    wait_for_all_but_one();
    __syncthreads();
    const Tiles& now = tiles[step % 2];
    unsigned from_a = static_cast<unsigned>(__cvta_generic_to_shared(&now.a[lane % 16][lane / 16 * 8])),
             from_b = static_cast<unsigned>(__cvta_generic_to_shared(&now.b[lane % 16][warp * 8])), x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" // reads A
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(from_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" // reads B
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(from_b));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    int row = blockIdx.y * rows + lane / 4 + i / 2 * 8,
        column = blockIdx.x * columns + warp * 8 + lane % 4 * 2 + i % 2;
    c[row * size + column] = sum[i];
  }
}

// Of an integer from -8 to 8.
unsigned short half_of(int value) {
  if (value == 0) return 0;
  unsigned magnitude = value < 0 ? -value : value, exponent = 0;
  while (magnitude >> (exponent + 1) != 0) ++exponent;
  return (value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | ((magnitude << (10 - exponent)) & 0x3ff);
}

int main() {
  std::vector<int> a(size * size), b(size * size);
  std::vector<unsigned short> a_bits(size * size), b_bits(size * size);
  for (int i = 0; i < size * size; ++i) {
    a[i] = i * 7 % 17 - 8, b[i] = i * 5 % 13 - 6;
    a_bits[i] = half_of(a[i]), b_bits[i] = half_of(b[i]);
  }
  unsigned short *from_a, *from_b;
  float* to;
  cudaMalloc(&from_a, size * size * 2), cudaMalloc(&from_b, size * size * 2), cudaMalloc(&to, size * size * 4);
  cudaMemcpy(from_a, a_bits.data(), size * size * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(from_b, b_bits.data(), size * size * 2, cudaMemcpyHostToDevice);
  multiply<<<dim3(size / columns, size / rows), 128>>>(from_a, from_b, to);
  std::vector<float> c(size * size);
  cudaError_t error = cudaMemcpy(c.data(), to, size * size * 4, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return std::printf("%s\n", cudaGetErrorString(error)), 1;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      int want = 0;
      for (int k = 0; k < size; ++k) want += a[i * size + k] * b[k * size + j];
      if (c[i * size + j] != static_cast<float>(want))
        return std::printf("C[%d][%d] is %g, expected %d\n", i, j, c[i * size + j], want), 1;
    }
  std::printf("every element is right\n");
}
