// Where the rows of a tile lie in shared memory when they are shorter than the bytes within which pieces are exchanged, and how many bytes
// of such a tile a barrier object is told.
//
//   nvcc -gencode arch=compute_90a,code=sm_90a -o tensor_swizzles tensor_swizzles.cu
//   ./tensor_swizzles INNER SWIZZLE EXPECTED     INNER: halves of a row; SWIZZLE: 1, 2, 3 for 32, 64, 128 bytes
//
// data/h200_tensor_swizzles.txt has what an H200 says.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

constexpr int room = 2048, pieces = 64, rows = 6, nothing = 0xffff;

__device__ std::uint32_t address_of(void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void load(const __grid_constant__ CUtensorMap map, int bytes, unsigned short* out, int* complete) {
  extern __shared__ __align__(1024) unsigned short tile[];
  __shared__ std::uint64_t barrier;
  const std::uint32_t at = address_of(&barrier);
  for (int i = threadIdx.x; i < room; i += blockDim.x) tile[i] = nothing;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
                 "{%2, %2}], [%3];" ::"r"(address_of(tile)),
                 "l"(&map), "r"(0), "r"(at)
                 : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
  }
  int done = 0;
  for (int i = 0; i < 20000 && done == 0; ++i)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  __syncthreads();
  for (int i = threadIdx.x; i < room; i += blockDim.x) out[i] = tile[i];
  if (threadIdx.x == 0) *complete = done;
}

int main(int count, char** words) {
  if (count < 4) return std::printf("see the top of tensor_swizzles.cu\n"), 1;
  const int inner = std::atoi(words[1]), swizzle = std::atoi(words[2]), bytes = std::atoi(words[3]);
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  unsigned short *memory, *out;
  int* complete;
  cudaMallocManaged(&memory, 1 << 16), cudaMallocManaged(&out, 1 << 16),
      cudaMallocManaged(&complete, sizeof(int));
  const cuuint64_t extent[] = {64, 16}, stride[] = {128};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(inner), rows}, step[] = {1, 1};
  std::printf("f16 inner box %d bytes, %d rows, swizzle %d, expected %d: ", inner * 2, rows, swizzle, bytes);
  CUtensorMap map;
  if (const CUresult error =
          encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, memory, extent, stride, box, step,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    return std::printf("encode %d\n", error), 0;
  for (int i = 0; i < 64 * 16; ++i) memory[i] = i / 8; // row · 8 + piece
  load<<<1, 32, 8192>>>(map, bytes, out, complete);
  if (const cudaError_t error = cudaDeviceSynchronize())
    return std::printf("%s\n", cudaGetErrorString(error)), 0;
  std::printf("%s; pieces of 16 bytes, row.piece:", *complete ? "complete" : "not complete");
  for (int i = 0; i < pieces; ++i)
    if (const int piece = out[i * 8]; piece == nothing)
      std::printf(" -");
    else
      std::printf(" %d.%d", piece / 8, piece % 8);
  std::printf("\n");
}
