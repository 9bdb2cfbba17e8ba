// Where a tile's store ends that goes over the end of a tensor's row, what its load brings, and which places stop the kernel.
//
//   nvcc -gencode arch=compute_90a,code=sm_90a -o tensor_edges tensor_edges.cu
//   ./tensor_edges TYPE WIDTH X HEIGHT Y SWIZZLE LOAD [BOX]     TYPE: 0 f32, 1 u8, 2 f16, 3 f64; a process for each, as a fault ends it
//
// data/h200_tensor_edges.txt has what an H200 says.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

__device__ std::uint32_t address_of(void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void store(const __grid_constant__ CUtensorMap map, int bytes, int x, int y) {
  extern __shared__ __align__(1024) unsigned char tile[];
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) tile[i] = 1 + i % 200;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(&map),
                 "r"(x), "r"(y), "r"(address_of(tile))
                 : "memory");
}

__global__ void load(const __grid_constant__ CUtensorMap map, int bytes, int x, int y, unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ std::uint64_t barrier;
  const std::uint32_t at = address_of(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
                 "{%2, %3}], [%4];" ::"r"(address_of(tile)),
                 "l"(&map), "r"(x), "r"(y), "r"(at)
                 : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
  }
  for (int done = 0; done == 0;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = tile[i];
}

int main(int count, char** words) {
  if (count < 8) return std::printf("see the top of tensor_edges.cu\n"), 1;
  struct Element {
    CUtensorMapDataType type;
    int size;
    const char* name;
  };
  const Element elements[] = {{CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, "f32"},
                              {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, "u8"},
                              {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, "f16"},
                              {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, "f64"}};
  const auto [type, size, name] = elements[std::atoi(words[1]) & 3];
  const int width = std::atoi(words[2]), x = std::atoi(words[3]), height = std::atoi(words[4]),
            y = std::atoi(words[5]);
  const int swizzle = std::atoi(words[6]), loads = std::atoi(words[7]),
            box_width = count > 8 ? std::atoi(words[8]) : 16;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  constexpr int room = 1 << 16, pitch = 1024, in_front = 4; // rows in front of the tensor
  unsigned char *memory, *out;
  cudaMallocManaged(&memory, room), cudaMallocManaged(&out, room);
  const cuuint64_t extent[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)},
                   stride[] = {pitch};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_width), 4}, step[] = {1, 1};
  std::printf("%s width %d (%d bytes) at %d %d, height %d, box %d, swizzle %d %s: ", name, width,
              width * size, x, y, height, box_width, swizzle, loads ? "load" : "store");
  CUtensorMap map;
  if (const CUresult error = encode(&map, type, 2, memory + in_front * pitch, extent, stride, box, step,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    return std::printf("encode %d\n", error), 0;
  for (int i = 0; i < room; ++i) memory[i] = loads ? 1 + i % 250 : 0;
  const int bytes = 4 * box_width * size;
  if (loads)
    load<<<1, 32, 16384>>>(map, bytes, x, y, out);
  else
    store<<<1, 32, 16384>>>(map, bytes, x, y);
  if (const cudaError_t error = cudaDeviceSynchronize())
    return std::printf("%s\n", cudaGetErrorString(error)), 0;
  const unsigned char* seen = loads ? out : memory;
  const int row_bytes = loads ? box_width * size : pitch, rows = loads ? 4 : room / pitch;
  for (int row = 0; row < rows; ++row) {
    int first = -1, last = -1;
    for (int i = 0; i < row_bytes; ++i)
      if (seen[row * row_bytes + i] != 0) last = i, first = first < 0 ? i : first;
    if (first >= 0) std::printf("[%d: %d..%d] ", loads ? row : row - in_front, first, last);
  }
  std::printf("\n");
}
