// Bulk copies and tiles of a tensor: a row in and out by cuda::ptx, and a matrix transposed tile by tile with tensor maps, whose
// encoder the runtime finds in the driver. For compute capability 9.0 and up.
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>
namespace ptx = cuda::ptx;

constexpr int threads = 256, tile = 32, columns = 100, rows = 70, pitch = 112; // of floats
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void add_one(const int* in, int* out) {
  __shared__ alignas(16) int row[threads];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, threads);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(row, in + blockIdx.x * threads, cuda::aligned_size_t<16>(sizeof row), barrier); // brings a row
    token = barrier.arrive();
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  row[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * threads, row, sizeof row); // takes it away
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

// Tiles come with their pieces exchanged, so that columns have no bank conflicts.
__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(1024) float in[tile][tile], out[tile][tile];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  int x = blockIdx.x * tile, y = blockIdx.y * tile;
  if (threadIdx.x == 0) {
    const int at[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, &from, at, cuda::device::barrier_native_handle(barrier)); // a tile
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof in);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int row = threadIdx.x / tile; row < tile; row += blockDim.x / tile) {
    int column = threadIdx.x % tile;
    out[row][column] = in[column][(row / 4 ^ column % 8) * 4 + row % 4];
  }
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[] = {y, x};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, out);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

bool make_map(CUtensorMap& map, float* at, int width, int height, int row, CUtensorMapSwizzle swizzle) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result) != cudaSuccess || !found)
    return false;
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  cuuint64_t extent[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)}, stride[] = {row * sizeof(float)};
  cuuint32_t box[] = {tile, tile}, step[] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, at, extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    return false;
  stride[0] = 100; // not a multiple of 16 bytes
  CUtensorMap refused;
  return encode(&refused, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, at, extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE;
}

int main() {
  constexpr int n = 4 * threads;
  std::vector<int> a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = i * 5;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  add_one<<<n / threads, threads>>>(in, out);
  cudaError_t error = cudaMemcpy(b.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return std::printf("rows: %s\n", cudaGetErrorString(error)), 1;
  for (int i = 0; i < n; ++i)
    if (b[i] != a[i] + 1) return std::printf("element %d is %d\n", i, b[i]), 1;

  std::vector<float> matrix(rows * pitch), turned(columns * pitch, -1);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(i);
  float *from, *to;
  cudaMalloc(&from, matrix.size() * sizeof(float)), cudaMalloc(&to, turned.size() * sizeof(float));
  cudaMemcpy(from, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(to, turned.data(), turned.size() * sizeof(float), cudaMemcpyHostToDevice);
  CUtensorMap from_map, to_map;
  if (!make_map(from_map, from, columns, rows, pitch, CU_TENSOR_MAP_SWIZZLE_128B) ||
      !make_map(to_map, to, rows, columns, pitch, CU_TENSOR_MAP_SWIZZLE_NONE))
    return std::printf("no tensor map\n"), 1;
  transpose<<<dim3(4, 3), 256>>>(from_map, to_map);
  error = cudaMemcpy(turned.data(), to, turned.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return std::printf("tiles: %s\n", cudaGetErrorString(error)), 1;
  for (int y = 0; y < columns; ++y)
    for (int x = 0; x < pitch; ++x) {
      // Stores take whole pieces of 16 bytes: behind the tensor's last element are those that were loaded from outside.
      float want = x < rows ? matrix[x * pitch + y] : x < (rows + 3) / 4 * 4 ? 0 : -1;
      if (turned[y * pitch + x] != want) return std::printf("element (%d, %d) is %g, expected %g\n", x, y, turned[y * pitch + x], want), 1;
    }
  std::printf("rows and tiles are right\n");
}
