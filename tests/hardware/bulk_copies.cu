// Bulk copies (cp.async.bulk) and tiles of tensors, a launch per pattern, to be profiled: which counters see the copy engine, and
// how many sectors does it move for rows that begin and end inside a sector or a line?
//
//   nvcc -O3 -lineinfo -arch=sm_90 -o bulk_copies bulk_copies.cu && ncu --set full --import-source yes ./bulk_copies
//
// Each launch is one block that copies once; the program prints what each asked for, in order: kind, first byte, bytes, rows. What an
// H200 answered to the first 123 is in tests/arch/data/h200_bulk_copies.jsonl; not asked yet: rows of tiles of 64 bytes and more, places in
// shared memory that are no multiple of 128 bytes ("in+16": 16 behind one), and, last of all, a tile that begins 1000 bytes into a row, with which that
// machine ended the program (illegal instruction).
// Sectors of L2 that the copy engine reads and writes are in lts__t_sectors_srcunit_tex (op_read, op_write); other units'
// counters (l1tex__m_…, smsp__inst_executed_pipe_…) are to be looked through with `ncu --query-metrics`.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

__device__ unsigned in_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void wait_for(unsigned barrier) {
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" ::"r"(barrier) : "memory");
}

__device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async.shared::cta;" ::"r"(barrier) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__global__ void row_in(const char* from, unsigned bytes, unsigned behind) {
  extern __shared__ __align__(1024) char tile[];
  __shared__ uint64_t barrier;
  expect(in_shared(&barrier), bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" // in
               ::"r"(in_shared(tile) + behind), "l"(from), "r"(bytes), "r"(in_shared(&barrier)) : "memory");
  wait_for(in_shared(&barrier));
}

__global__ void row_out(char* to, unsigned bytes, bool adds) {
  extern __shared__ __align__(1024) char tile[];
  if (adds)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" // adds
                 ::"l"(to), "r"(in_shared(tile)), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" // out
                 ::"l"(to), "r"(in_shared(tile)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void tile_in(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes) {
  extern __shared__ __align__(1024) char tile[];
  __shared__ uint64_t barrier;
  expect(in_shared(&barrier), bytes);
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" // tile
               ::"r"(in_shared(tile)), "l"(&map), "r"(x), "r"(y), "r"(in_shared(&barrier)) : "memory");
  wait_for(in_shared(&barrier));
}

int main() {
  constexpr int pitch = 1024, rows = 256;
  char* memory;
  cudaMalloc(&memory, pitch * rows);
  cudaMemset(memory, 0, pitch * rows);
  for (unsigned first : {0u, 16u, 32u, 96u, 112u})
    for (unsigned bytes : {16u, 32u, 48u, 128u, 144u, 512u, 4096u, 16384u}) {
      std::printf("in %u %u 1\n", first, bytes), row_in<<<1, 1, 16384>>>(memory + first, bytes, 0);
      std::printf("out %u %u 1\n", first, bytes), row_out<<<1, 1, 16384>>>(memory + first, bytes, false);
      std::printf("add %u %u 1\n", first, bytes), row_out<<<1, 1, 16384>>>(memory + first, bytes, true);
    }
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  struct Tile {
    unsigned width;
    int swizzle, x;
  };
  std::vector<Tile> tiles;
  for (unsigned width : {8u, 16u, 32u})
    for (int swizzle : {0, 3})
      for (int x : {0, 4, 28, 252}) tiles.push_back({width, swizzle, x});
  for (unsigned width : {64u, 128u})
    for (int x : {0, 4, 28}) tiles.push_back({width, 0, x});
  for (unsigned behind : {16u, 32u, 80u, 112u})
    for (unsigned first : {0u, 16u, 32u, 112u}) {
      std::printf("in+%u %u 512 1\n", behind, first);
      row_in<<<1, 1, 16384>>>(memory + first, 512, behind);
    }
  tiles.push_back({8, 0, 250});
  for (const Tile& t : tiles) {
    CUtensorMap map;
    cuuint64_t extent[] = {pitch / 4, rows}, stride[] = {pitch};
    cuuint32_t box[] = {t.width, 32}, step[] = {1, 1};
    if (encode == nullptr || encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, extent, stride, box, step,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(t.swizzle),
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
      return std::printf("no tensor map\n"), 1;
    std::printf("tile%d %d %u 32\n", t.swizzle, t.x * 4, t.width * 4);
    tile_in<<<1, 1, 16384>>>(map, t.x, 3, t.width * 32 * 4);
    if (cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
      return std::printf("%s\n", cudaGetErrorString(error)), 1;
  }
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
