// Pairs in the shapes of what people asked about in public threads and pull requests (named above each), before and after the change
// that WarpLens advises, at sizes that fill a GPU. See variants.sh; `python3 order.py` holds what WarpLens says of them against the
// times.
#include "variants.h"
#include <cstdint>
#include <cuda_fp16.h>

namespace {

constexpr int block_size = 256;
constexpr std::size_t room = std::size_t{256} << 20; // bytes of each array

// --- rows of a byte image in 16x16 blocks: forums.developer.nvidia.com/t/266390
__global__ void bytes_2d(const unsigned char* in, unsigned char* out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = 255 - in[y * width + x];
}

// --- a stencil of seven points in 8x8x8 blocks
__global__ void stencil(const float* u, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  int c = (z * n + y) * n + x;
  out[c] = u[c - 1] + u[c + 1] + u[c - n] + u[c + n] + u[c - n * n] + u[c + n * n] - 6 * u[c];
}

// --- a table of neighbours, cell by cell: github.com/MeteoSwiss-APN/dawn/pull/1154
__global__ void cell_by_cell(const int* table, const float* x, float* out, int cells) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int e = 0; e < 6; ++e) sum += x[table[c * 6 + e]];
  out[c] = sum;
}
__global__ void edge_by_edge(const int* table, const float* x, float* out, int cells) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int e = 0; e < 6; ++e) sum += x[table[e * cells + c]];
  out[c] = sum;
}

// --- layer norm with a row for each thread: llm.c, layernorm_forward
constexpr int channels = 768;
__global__ void row_each_thread(const float* x, float* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < channels; ++j) sum += x[row * channels + j];
  out[row] = sum;
}
__global__ void row_each_warp(const float* x, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  for (int j = threadIdx.x % 32; j < channels; j += 32) sum += x[row * channels + j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

// --- rows of an embedding, two bytes a thread: github.com/pegainfer-project/pegainfer/issues/484
__global__ void halves(const __half* table, const int* id, __half* out, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[id[i / width] * width + i % width];
}
__global__ void eight_halves(const uint4* table, const int* id, uint4* out, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[id[i / width] * width + i % width];
}

// --- statistics of NHWC with lanes along pixels: github.com/pytorch/pytorch/pull/140440
constexpr int depth = 64;
__global__ void along_pixels(const float* x, float* out, int pixels) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < depth; ++c) sum += x[p * depth + c];
  out[p] = sum;
}
__global__ void along_channels(const float* x, float* out, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, c = i % depth, first = i / depth * depth;
  float sum = 0;
  for (int p = first; p < first + depth; ++p) sum += x[p * depth + c];
  out[i] = sum;
}

// --- a tile of a matrix that is stored transposed, as SGEMM_CUDA issue 8 has it
template <int Row> __global__ void transposed_store(const float4* a, float* out) {
  __shared__ float tile[8 * Row];
  int r = threadIdx.x / 2, c = threadIdx.x % 2 * 4;
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    float4 v = a[threadIdx.x + k % 4 * block_size];
    tile[(c + 0) * Row + r] = v.x, tile[(c + 1) * Row + r] = v.y;
    tile[(c + 2) * Row + r] = v.z, tile[(c + 3) * Row + r] = v.w;
    __syncthreads();
    sum += tile[threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// --- rows of 64 halves for ldmatrix: github.com/bitsandbytes-foundation/bitsandbytes/commit/b64bb913
template <int Row> __global__ void matrices(unsigned* out) {
  __shared__ __half rows[16 * Row];
  for (int i = threadIdx.x; i < 16 * Row; i += 32) rows[i] = __half(0);
  __syncwarp();
  unsigned sum = 0;
  for (int k = 0; k < 256; ++k) {
    const __half* at = rows + threadIdx.x % 16 * Row + threadIdx.x / 16 * 8 + k % 2 * 16;
    unsigned a, b, c, d, from = static_cast<unsigned>(__cvta_generic_to_shared(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(from));
    sum += a ^ b ^ c ^ d;
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// --- a double tile, transposed on its way: forums.developer.nvidia.com/t/217015
template <int Row> __global__ void double_tile(const double* in, double* out, int n) {
  __shared__ double tile[32][Row];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.x][threadIdx.y + j] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.y + j][threadIdx.x];
}

// --- complex numbers as two floats, without and with their alignment: github.com/NVIDIA/thrust/issues/892
struct Complex {
  float x, y;
};
struct alignas(8) Aligned {
  float x, y;
};
template <class C> __global__ void multiply(const C* a, const C* b, C* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  C l = a[i], r = b[i];
  c[i] = {l.x * r.x - l.y * r.y, l.x * r.y + l.y * r.x};
}

// --- items of a thread side by side (BLOCK_LOAD_DIRECT), and dealt to neighbours: github.com/state-spaces/mamba/issues/336
__global__ void blocked_items(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = 2 * in[i * 8 + k];
}
__global__ void striped_items(const float* in, float* out) {
  int first = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  for (int k = 0; k < 8; ++k) out[first + k * block_size] = 2 * in[first + k * block_size];
}

// --- structures of 32 bytes, and the same as planes: forums.developer.nvidia.com/t/200413
struct alignas(16) Two {
  float4 a, b;
};
__global__ void pairs_of_vectors(const Two* in, Two* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i].a = in[i].a, out[i].b = in[i].b;
}
__global__ void planes_of_vectors(const float4* in, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i], out[i + n] = in[i + n];
}

// --- structures of 12 bytes, of which a kernel reads all: seed 004
struct Three {
  float x, y, z;
};
__global__ void lengths(const Three* p, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
}
__global__ void lengths_apart(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] * x[i] + x[i + n] * x[i + n] + x[i + 2 * n] * x[i + 2 * n];
}

// --- one member of a structure of 48 bytes: states of generators
struct State {
  unsigned words[12];
};
__global__ void one_member(const State* s, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = s[i].words[5] * 69069u;
}
__global__ void one_array(const unsigned* s, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = s[i] * 69069u;
}

// --- a local array at an index that only the run knows: github.com/BLAST-WarpX/warpx/pull/3210
__global__ void weights_local(const int* start, const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float w[8] = {};
  int s = start[i] & 3;
  for (int k = 0; k < 4; ++k) w[s + k] = x[i] * (k + 1);
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += w[k] * k;
  out[i] = sum;
}
__global__ void weights_registers(const int* start, const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = start[i] & 3;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    int at = k - s;
    sum += (at >= 0 && at < 4 ? x[i] * (at + 1) : 0) * k;
  }
  out[i] = sum;
}

// --- a counter that all threads add to: forums.developer.nvidia.com/t/36499
__global__ void all_count(const int* x, int* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, x[i] & 1);
}
__global__ void one_of_warp_counts(const int* x, int* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int of_warp = __reduce_add_sync(~0u, x[i] & 1);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, of_warp);
}

// --- 64 words that all warps update, and a copy for each block
__global__ void few_words(const int* x, float* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[threadIdx.x % 64], x[i]);
}
__global__ void few_words_of_block(const int* x, float* sums) {
  __shared__ float own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&own[threadIdx.x % 64], x[i]);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
}

// --- a parameter that is indexed by lane, and the same table in global memory: github.com/NVIDIA/DALI/pull/3784
struct Numbers {
  float of[256];
};
__global__ void by_parameter(const __grid_constant__ Numbers k, const unsigned char* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = k.of[x[i]];
}
__global__ void by_pointer(const float* __restrict__ k, const unsigned char* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = k[x[i]];
}

// --- rows of 1001 floats, and of 1024: forums.developer.nvidia.com/t/39738
template <int Pitch> __global__ void rows_of(const float* in, float* out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width) out[blockIdx.y * Pitch + x] = 2 * in[blockIdx.y * Pitch + x];
}

// --- 24-bit pixels by bytes, and four of them by words: forums.developer.nvidia.com/t/7303
__global__ void pixels(const unsigned char* rgb, unsigned char* gray) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  gray[i] = (rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2]) / 3;
}
__global__ void four_pixels(const unsigned* rgb, uchar4* gray) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
  auto byte = [](unsigned w, int k) { return w >> 8 * k & 255; };
  gray[i] = make_uchar4((byte(a, 0) + byte(a, 1) + byte(a, 2)) / 3, (byte(a, 3) + byte(b, 0) + byte(b, 1)) / 3,
                        (byte(b, 2) + byte(b, 3) + byte(c, 0)) / 3, (byte(c, 1) + byte(c, 2) + byte(c, 3)) / 3);
}

// --- a reduction whose distances grow: bank conflicts in the first steps
__global__ void interleaved(const float* in, float* out) {
  __shared__ float s[block_size];
  for (int k = 0; k < 32; ++k) {
    s[threadIdx.x] = in[threadIdx.x + k * block_size];
    __syncthreads();
    for (int d = 1; d < block_size; d *= 2) {
      int i = 2 * d * threadIdx.x;
      if (i < block_size) s[i] += s[i + d];
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
__global__ void sequential(const float* in, float* out) {
  __shared__ float s[block_size];
  for (int k = 0; k < 32; ++k) {
    s[threadIdx.x] = in[threadIdx.x + k * block_size];
    __syncthreads();
    for (int d = block_size / 2; d > 0; d /= 2) {
      if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1) repeats = std::max(1, std::atoi(argv[1]));
  // A tenth of the size is what an emulator wants; blocks beyond a wave say nothing new.
  const int scale = argc > 2 ? std::atoi(argv[2]) : 1;
  char *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, room));
  CHECK(cudaMalloc(&b, room));
  CHECK(cudaMemset(a, 0, room));
  CHECK(cudaMemset(b, 0, room));
  const int n = (16 << 20) / scale, grid = n / block_size; // threads
  auto *f = reinterpret_cast<float*>(a), *g = reinterpret_cast<float*>(b);
  auto *ints = reinterpret_cast<int*>(a), *ints_out = reinterpret_cast<int*>(b);
  auto *bytes = reinterpret_cast<unsigned char*>(a), *bytes_out = reinterpret_cast<unsigned char*>(b);
  auto* words = reinterpret_cast<unsigned*>(b);
  std::vector<int> table(6 * std::size_t(n / 8)), ids(n / 1024);
  std::vector<int> turned(table.size());
  for (int c = 0; c < n / 8; ++c)
    for (int e = 0; e < 6; ++e) {
      const int neighbour = std::clamp(c + (e < 3 ? e - 3 : e - 2), 0, n / 8 - 1);
      table[c * 6 + e] = turned[e * (n / 8) + c] = neighbour;
    }
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i * 577 % 4096);
  int *neighbours = device(table), *by_edge = device(turned), *id = device(ids);

  const int side = 4096, high = 4096 / scale;
  measure("bytes 2d", "before", [&] { bytes_2d<<<dim3(side / 16, high / 16), dim3(16, 16)>>>(bytes, bytes_out, side); });
  measure("bytes 2d", "after", [&] { bytes_2d<<<dim3(side / 32, high / 8), dim3(32, 8)>>>(bytes, bytes_out, side); });
  const int cube = scale == 1 ? 256 : 128;
  measure("stencil", "before", [&] { stencil<<<dim3(cube / 8, cube / 8, cube / 8), dim3(8, 8, 8)>>>(f, g, cube); });
  measure("stencil", "after", [&] { stencil<<<dim3(cube / 32, cube / 4, cube / 4), dim3(32, 4, 4)>>>(f, g, cube); });
  measure("neighbours", "before", [&] { cell_by_cell<<<grid / 8, block_size>>>(neighbours, f, g, n / 8); });
  measure("neighbours", "after", [&] { edge_by_edge<<<grid / 8, block_size>>>(by_edge, f, g, n / 8); });
  const int rows = 64 * 1024 / scale;
  measure("layer norm", "before", [&] { row_each_thread<<<rows / block_size, block_size>>>(f, g); });
  measure("layer norm", "after", [&] { row_each_warp<<<rows * 32 / block_size, block_size>>>(f, g); });
  measure("embedding", "before", [&] { halves<<<grid, block_size>>>(reinterpret_cast<__half*>(a), id, reinterpret_cast<__half*>(b), 1024); });
  measure("embedding", "after", [&] { eight_halves<<<grid / 8, block_size>>>(reinterpret_cast<uint4*>(a), id, reinterpret_cast<uint4*>(b), 128); });
  measure("channels", "before", [&] { along_pixels<<<grid / 32, block_size>>>(f, g, n / 32); });
  measure("channels", "after", [&] { along_channels<<<grid / 32, block_size>>>(f, g, n / 32); });
  const int many = 4096 / scale;
  measure("transposed store", "before", [&] { transposed_store<128><<<many, block_size>>>(reinterpret_cast<float4*>(a), g); });
  measure("transposed store", "after", [&] { transposed_store<132><<<many, block_size>>>(reinterpret_cast<float4*>(a), g); });
  measure("ldmatrix", "before", [&] { matrices<64><<<4 * many, 32>>>(words); });
  measure("ldmatrix", "after", [&] { matrices<72><<<4 * many, 32>>>(words); });
  const int square = scale == 1 ? 4096 : 1024;
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  measure("double tile", "before", [&] { double_tile<32><<<dim3(square / 32, square / 32), dim3(32, 8)>>>(wide, wide_out, square); });
  measure("double tile", "after", [&] { double_tile<33><<<dim3(square / 32, square / 32), dim3(32, 8)>>>(wide, wide_out, square); });
  measure("complex aligned", "before", [&] { multiply<<<grid, block_size>>>(reinterpret_cast<Complex*>(a), reinterpret_cast<Complex*>(a), reinterpret_cast<Complex*>(b)); });
  measure("complex aligned", "after", [&] { multiply<<<grid, block_size>>>(reinterpret_cast<Aligned*>(a), reinterpret_cast<Aligned*>(a), reinterpret_cast<Aligned*>(b)); });
  measure("items", "before", [&] { blocked_items<<<grid / 8, block_size>>>(f, g); });
  measure("items", "after", [&] { striped_items<<<grid / 8, block_size>>>(f, g); });
  measure("two vectors", "before", [&] { pairs_of_vectors<<<grid / 8, block_size>>>(reinterpret_cast<Two*>(a), reinterpret_cast<Two*>(b)); });
  measure("two vectors", "after", [&] { planes_of_vectors<<<grid / 8, block_size>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b), n / 8); });
  measure("lengths", "before", [&] { lengths<<<grid, block_size>>>(reinterpret_cast<Three*>(a), g); });
  measure("lengths", "after", [&] { lengths_apart<<<grid, block_size>>>(f, g, n); });
  measure("states", "before", [&] { one_member<<<grid / 4, block_size>>>(reinterpret_cast<State*>(a), words); });
  measure("states", "after", [&] { one_array<<<grid / 4, block_size>>>(reinterpret_cast<unsigned*>(a), words); });
  measure("weights", "before", [&] { weights_local<<<grid, block_size>>>(ints, f, g); });
  measure("weights", "after", [&] { weights_registers<<<grid, block_size>>>(ints, f, g); });
  measure("counter", "before", [&] { all_count<<<grid / 8, block_size>>>(ints, ints_out); });
  measure("counter", "after", [&] { one_of_warp_counts<<<grid / 8, block_size>>>(ints, ints_out); });
  measure("few words", "before", [&] { few_words<<<grid / 8, block_size>>>(ints, g); });
  measure("few words", "after", [&] { few_words_of_block<<<grid / 8, block_size>>>(ints, g); });
  std::vector<unsigned char> any(n);
  for (std::size_t i = 0; i < any.size(); ++i) any[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
  unsigned char* which = device(any);
  measure("parameter", "before", [&] { by_parameter<<<grid, block_size>>>(Numbers{}, which, g); });
  measure("parameter", "after", [&] { by_pointer<<<grid, block_size>>>(f, which, g); });
  const int high_rows = 16384 / scale;
  measure("rows of 1001", "before", [&] { rows_of<1001><<<dim3(4, high_rows), block_size>>>(f, g, 1001); });
  measure("rows of 1001", "after", [&] { rows_of<1024><<<dim3(4, high_rows), block_size>>>(f, g, 1001); });
  measure("pixels", "before", [&] { pixels<<<grid, block_size>>>(bytes, bytes_out); });
  measure("pixels", "after", [&] { four_pixels<<<grid / 4, block_size>>>(reinterpret_cast<unsigned*>(a), reinterpret_cast<uchar4*>(b)); });
  measure("interleaved", "before", [&] { interleaved<<<many, block_size>>>(f, g); });
  measure("interleaved", "after", [&] { sequential<<<many, block_size>>>(f, g); });
  return 0;
}
