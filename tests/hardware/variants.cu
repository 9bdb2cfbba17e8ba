// Pairs of kernels that do the same work: as one first writes them, and after the change that the advice names. On a GPU
// variants.sh measures how long each takes and what it moves; under WarpLens the same program shows what each costs.
//   variants [REPEATS]      launches every kernel so often (default 20), one pair after the other, and prints a line
//                           per kernel: pair, variant, nanoseconds (the least, the first launch apart)
#include "variants.h"

constexpr int n = 1024;             // rows and columns of matrices
constexpr int m = 1 << 20;          // elements of vectors
constexpr int tile = 32;

// --- uncoalesced: the index that varies fastest -----------------------------------------------------------------
__global__ void column_sum_strided(const float* a, float* b) { // a thread walks its row
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i];
  b[row] = sum;
}
__global__ void column_sum_straight(const float* a, float* b) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i * n + column];
  b[column] = sum;
}

// --- uncoalesced: a store that goes down a column, through a tile -----------------------------------------------
__global__ void transpose_naive(const float* a, float* b) {
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  b[x * n + y] = a[y * n + x];
}
__global__ void transpose_tiled(const float* a, float* b) {
  __shared__ float t[tile][tile];
  t[threadIdx.y][threadIdx.x] = a[(blockIdx.y * tile + threadIdx.y) * n + blockIdx.x * tile + threadIdx.x];
  __syncthreads();
  b[(blockIdx.x * tile + threadIdx.y) * n + blockIdx.y * tile + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
// --- bank-conflict: the same tile with a padded row ----------------------------------------------------------------
__global__ void transpose_padded(const float* a, float* b) {
  __shared__ float t[tile][tile + 1];
  t[threadIdx.y][threadIdx.x] = a[(blockIdx.y * tile + threadIdx.y) * n + blockIdx.x * tile + threadIdx.x];
  __syncthreads();
  b[(blockIdx.x * tile + threadIdx.y) * n + blockIdx.y * tile + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

// --- uncoalesced: structures ------------------------------------------------------------------------------------
struct Particle { float x, y, z, vx, vy, vz, mass, age; };
__global__ void move_aos(Particle* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += p[i].vx;
}
__global__ void move_soa(float* x, const float* vx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += vx[i];
}

// --- misaligned-access ---------------------------------------------------------------------------------------------
__global__ void copy_shifted(const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i + 1];
}
__global__ void copy_aligned(const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}

// --- row per thread: give a row to a warp --------------------------------------------------------------------------
__global__ void rows_by_thread(const int* start, const float* value, float* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = start[row]; j < start[row + 1]; ++j) sum += value[j];
  out[row] = sum;
}
__global__ void rows_by_warp(const int* start, const float* value, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int j = start[row] + lane; j < start[row + 1]; j += 32) sum += value[j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) out[row] = sum;
}

// --- divergence and interleaving: reductions in a block ------------------------------------------------------------
__global__ void reduce_modulo(const float* a, float* out) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  part[t] = a[blockIdx.x * 256 + t];
  for (unsigned s = 1; s < 256; s *= 2) {
    __syncthreads();
    if (t % (2 * s) == 0) part[t] += part[t + s];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void reduce_interleaved(const float* a, float* out) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  part[t] = a[blockIdx.x * 256 + t];
  for (unsigned s = 1; s < 256; s *= 2) {
    __syncthreads();
    unsigned i = 2 * s * t;
    if (i < 256) part[i] += part[i + s];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void reduce_sequential(const float* a, float* out) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  part[t] = a[blockIdx.x * 256 + t];
  for (unsigned s = 128; s > 0; s /= 2) {
    __syncthreads();
    if (t < s) part[t] += part[t + s];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// --- scattered atomics: a histogram per block ----------------------------------------------------------------------
__global__ void histogram_global(const int* data, unsigned* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[data[i] & 255], 1u);
}
__global__ void histogram_private(const int* data, unsigned* bins) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// --- same-address atomics: floats are not combined by the assembler --------------------------------------------------
__global__ void sum_atomic(const float* a, float* out) {
  atomicAdd(out, a[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void sum_warp_first(const float* a, float* out) {
  float v = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// --- constant-serialised -------------------------------------------------------------------------------------------
__constant__ float constant_table[256];
__global__ void lookup_constant(const int* key, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += constant_table[(key[i] + 37 * k) & 255];
  out[i] = sum;
}
__global__ void lookup_global(const int* key, const float* __restrict__ table, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += table[(key[i] + 37 * k) & 255];
  out[i] = sum;
}

// --- local-array ---------------------------------------------------------------------------------------------------
__global__ void digits_local(const int* data, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, count[16] = {};
  for (int k = 0; k < 16; ++k) ++count[(data[(i + k * 977) % m] >> 2) & 15];
  int best = 0;
  for (int k = 0; k < 16; ++k) best = max(best, count[(data[i] + k) & 15]);
  out[i] = best;
}
__global__ void digits_shared(const int* data, int* out) {
  __shared__ int count[16][256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 16; ++k) count[k][threadIdx.x] = 0;
  for (int k = 0; k < 16; ++k) ++count[(data[(i + k * 977) % m] >> 2) & 15][threadIdx.x];
  int best = 0;
  for (int k = 0; k < 16; ++k) best = max(best, count[(data[i] + k) & 15][threadIdx.x]);
  out[i] = best;
}

// --- scattered-access: the same gather with sorted indices ---------------------------------------------------------
__global__ void gather(const int* index, const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[index[i]];
}

// --- narrow-access -------------------------------------------------------------------------------------------------
__global__ void copy_bytes(const unsigned char* a, unsigned char* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i] ^ 0x55;
}
__global__ void copy_words(const uint4* a, uint4* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = a[i];
  v.x ^= 0x55555555u, v.y ^= 0x55555555u, v.z ^= 0x55555555u, v.w ^= 0x55555555u;
  b[i] = v;
}

// --- strided shared accesses: rows of 8 words per thread, and of 9 --------------------------------------------------
__global__ void shared_stride8(const float* a, float* b) {
  __shared__ float t[256 * 8];
  for (int k = 0; k < 8; ++k) t[threadIdx.x * 8 + k] = a[(blockIdx.x * 8 + k) * 256 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += t[threadIdx.x * 8 + (k ^ 1)];
  b[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void shared_stride9(const float* a, float* b) {
  __shared__ float t[256 * 9];
  for (int k = 0; k < 8; ++k) t[threadIdx.x * 9 + k] = a[(blockIdx.x * 8 + k) * 256 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += t[threadIdx.x * 9 + (k ^ 1)];
  b[blockIdx.x * 256 + threadIdx.x] = sum;
}

// --- matrix multiplication: which index follows threadIdx.x --------------------------------------------------------
__global__ void matmul_rows_on_x(const float* a, const float* b, float* c) {
  int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 256; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
__global__ void matmul_columns_on_x(const float* a, const float* b, float* c) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 256; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// --- repeated-load: every warp of a block reads the same rows and columns; a tile of each in shared memory -----------
__global__ void matmul_tiled(const float* a, const float* b, float* c) {
  __shared__ float as[32][32], bs[32][32];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < 256; k0 += 32) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void matmul_square(const float* a, const float* b, float* c) { // the same block without the tile
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 256; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
__global__ void bodies_global(const float4* p, float* out) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 me = p[i];
  float sum = 0;
  for (int j = 0; j < 4096; ++j) {
    float4 o = p[j];
    float x = o.x - me.x, y = o.y - me.y, z = o.z - me.z;
    sum += o.w * rsqrtf(x * x + y * y + z * z + 1e-3f);
  }
  out[i] = sum;
}
__global__ void bodies_tiled(const float4* p, float* out) {
  __shared__ float4 t[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 me = p[i];
  float sum = 0;
  for (int j0 = 0; j0 < 4096; j0 += 256) {
    t[threadIdx.x] = p[j0 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      float4 o = t[j];
      float x = o.x - me.x, y = o.y - me.y, z = o.z - me.z;
      sum += o.w * rsqrtf(x * x + y * y + z * z + 1e-3f);
    }
    __syncthreads();
  }
  out[i] = sum;
}

// --- uncoalesced with short rows: a part of a warp for each ------------------------------------------------------
__global__ void short_rows_by_thread(const int* start, const int* col, const float* value, const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = start[row]; j < start[row + 1]; ++j) sum += value[j] * x[col[j]];
  y[row] = sum;
}
__global__ void short_rows_by_16(const int* start, const int* col, const float* value, const float* x, float* y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  float sum = 0;
  for (int j = start[row] + lane; j < start[row + 1]; j += 16) sum += value[j] * x[col[j]];
  for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 16);
  if (lane == 0) y[row] = sum;
}

// --- same-address atomics of other kinds -----------------------------------------------------------------------------
__global__ void sum_block_first(const float* a, float* out) { // one lane of the block updates
  __shared__ float part[8];
  float v = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) v += part[w];
  atomicAdd(out, v);
}
__global__ void sum_double(const float* a, double* out) {
  atomicAdd(out, double(a[blockIdx.x * blockDim.x + threadIdx.x]));
}
__global__ void sum_double_warp(const float* a, double* out) {
  double v = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
__global__ void tickets(const int* key, int* counter, int* out) { // the result is used
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = atomicAdd(counter, key[i] & 3);
}
__global__ void tickets_warp(const int* key, int* counter, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, mine = key[i] & 3, upto = mine, first = 0;
  for (int d = 1; d < 32; d *= 2) {
    int left = __shfl_up_sync(0xffffffffu, upto, d);
    if (lane >= d) upto += left;
  }
  if (lane == 31) first = atomicAdd(counter, upto);
  out[i] = __shfl_sync(0xffffffffu, first, 31) + upto - mine;
}
__global__ void count_int(const int* key, int* counter) { // nobody uses the result: the assembler combines
  atomicAdd(counter, key[blockIdx.x * blockDim.x + threadIdx.x] & 3);
}
__global__ void count_int_warp(const int* key, int* counter) {
  int v = __reduce_add_sync(0xffffffffu, key[blockIdx.x * blockDim.x + threadIdx.x] & 3);
  if (threadIdx.x % 32 == 0) atomicAdd(counter, v);
}
__global__ void block_sums_shared(const float* a, float* out) { // floats in shared memory: a loop
  __shared__ float part[4];
  if (threadIdx.x < 4) part[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&part[threadIdx.x / 64], a[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = part[threadIdx.x];
}
__global__ void block_sums_warp(const float* a, float* out) {
  __shared__ float part[4];
  if (threadIdx.x < 4) part[threadIdx.x] = 0;
  __syncthreads();
  float v = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&part[threadIdx.x / 64], v);
  __syncthreads();
  if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = part[threadIdx.x];
}

// --- scatter by key: a block's elements in the order of their places -------------------------------------------------
__global__ void scatter_by_key(const int* place, const float* a, float* b) {
  int i = blockIdx.x * 256 + threadIdx.x;
  b[blockIdx.x * 256 + place[i]] = a[i];
}
__global__ void scatter_through_shared(const int* place, const float* a, float* b) {
  __shared__ float t[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  t[place[i]] = a[i];
  __syncthreads();
  b[i] = t[threadIdx.x];
}

int main(int argc, char** argv) {
  if (argc > 1) repeats = std::max(1, std::atoi(argv[1]));
  std::vector<float> values(std::size_t(m) * 8);
  std::vector<int> keys(m), sorted(m), shuffled(m), start(4097);
  unsigned state = 12345;
  auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i % 97);
  for (int i = 0; i < m; ++i) keys[i] = int(next() % 65536), sorted[i] = shuffled[i] = i;
  for (int i = m - 1; i > 0; --i) std::swap(shuffled[i], shuffled[next() % unsigned(i + 1)]);
  for (int r = 0; r < 4096; ++r) start[r + 1] = start[r] + 128 + int(next() % 128);
  float *a = device(values), *b = nullptr;
  int *key = device(keys), *in_order = device(sorted), *at_random = device(shuffled), *rows = device(start);
  unsigned* bins = nullptr;
  CHECK(cudaMalloc(&b, sizeof(float) * m * 8));
  CHECK(cudaMalloc(&bins, 256 * sizeof(unsigned)));
  CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
  CHECK(cudaMemcpyToSymbol(constant_table, values.data(), sizeof(constant_table)));
  dim3 square(tile, tile), tiles(n / tile, n / tile);
  int blocks = m / 256;

  measure("index order", "before", [&] { column_sum_strided<<<n / 128, 128>>>(a, b); });
  measure("index order", "after", [&] { column_sum_straight<<<n / 128, 128>>>(a, b); });
  measure("tile", "before", [&] { transpose_naive<<<tiles, square>>>(a, b); });
  measure("tile", "after", [&] { transpose_tiled<<<tiles, square>>>(a, b); });
  measure("padding", "before", [&] { transpose_tiled<<<tiles, square>>>(a, b); });
  measure("padding", "after", [&] { transpose_padded<<<tiles, square>>>(a, b); });
  measure("structures", "before", [&] { move_aos<<<blocks, 256>>>(reinterpret_cast<Particle*>(b)); });
  measure("structures", "after", [&] { move_soa<<<blocks, 256>>>(b, a); });
  measure("alignment", "before", [&] { copy_shifted<<<blocks, 256>>>(a, b); });
  measure("alignment", "after", [&] { copy_aligned<<<blocks, 256>>>(a, b); });
  measure("row per thread", "before", [&] { rows_by_thread<<<4096 / 128, 128>>>(rows, a, b); });
  measure("row per thread", "after", [&] { rows_by_warp<<<4096 / 4, 128>>>(rows, a, b); });
  measure("divergence", "before", [&] { reduce_modulo<<<blocks, 256>>>(a, b); });
  measure("divergence", "after", [&] { reduce_sequential<<<blocks, 256>>>(a, b); });
  measure("interleaving", "before", [&] { reduce_interleaved<<<blocks, 256>>>(a, b); });
  measure("interleaving", "after", [&] { reduce_sequential<<<blocks, 256>>>(a, b); });
  measure("histogram", "before", [&] { histogram_global<<<blocks, 256>>>(key, bins); });
  measure("histogram", "after", [&] { histogram_private<<<264, 256>>>(key, bins); });
  measure("one address", "before", [&] { sum_atomic<<<blocks, 256>>>(a, b); });
  measure("one address", "after", [&] { sum_warp_first<<<blocks, 256>>>(a, b); });
  measure("constant table", "before", [&] { lookup_constant<<<blocks, 256>>>(key, b); });
  measure("constant table", "after", [&] { lookup_global<<<blocks, 256>>>(key, a, b); });
  measure("local array", "before", [&] { digits_local<<<blocks, 256>>>(key, reinterpret_cast<int*>(b)); });
  measure("local array", "after", [&] { digits_shared<<<blocks, 256>>>(key, reinterpret_cast<int*>(b)); });
  measure("gather", "before", [&] { gather<<<blocks, 256>>>(at_random, a, b); });
  measure("gather", "after", [&] { gather<<<blocks, 256>>>(in_order, a, b); });
  auto* bytes = reinterpret_cast<unsigned char*>(b);
  measure("narrow", "before", [&] { copy_bytes<<<m * 8 / 256, 256>>>(reinterpret_cast<unsigned char*>(a), bytes); });
  measure("narrow", "after",
          [&] { copy_words<<<m / 2 / 256, 256>>>(reinterpret_cast<uint4*>(a), reinterpret_cast<uint4*>(b)); });
  measure("shared stride", "before", [&] { shared_stride8<<<m / 2048, 256>>>(a, b); });
  measure("shared stride", "after", [&] { shared_stride9<<<m / 2048, 256>>>(a, b); });
  measure("matmul", "before", [&] { matmul_rows_on_x<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, a, b); });
  measure("matmul", "after", [&] { matmul_columns_on_x<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, a, b); });

  std::vector<int> begins(m / 16 + 1), columns(m), places(m);
  for (int r = 0; r < m / 16; ++r) begins[r + 1] = begins[r] + std::min(8 + int(next() % 16), m - begins[r]);
  for (int i = 0; i < m; ++i) columns[i] = int(next() % 4096), places[i] = i % 256;
  for (int i = 0; i < m; i += 256)
    for (int k = 255; k > 0; --k) std::swap(places[i + k], places[i + int(next() % unsigned(k + 1))]);
  int *begin = device(begins), *column = device(columns), *place = device(places);
  auto* count = reinterpret_cast<int*>(bins);
  auto* wide = reinterpret_cast<double*>(bins);
  auto* ints = reinterpret_cast<int*>(b);
  auto* bodies = reinterpret_cast<const float4*>(a);
  measure("matmul tile", "before", [&] { matmul_square<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, a, b); });
  measure("matmul tile", "after", [&] { matmul_tiled<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, a, b); });
  measure("bodies", "before", [&] { bodies_global<<<512, 256>>>(bodies, b); });
  measure("bodies", "after", [&] { bodies_tiled<<<512, 256>>>(bodies, b); });
  measure("short rows", "before",
          [&] { short_rows_by_thread<<<m / 16 / 256, 256>>>(begin, column, a, a, b); });
  measure("short rows", "after", [&] { short_rows_by_16<<<m / 256, 256>>>(begin, column, a, a, b); });
  measure("block first", "before", [&] { sum_warp_first<<<blocks, 256>>>(a, b); });
  measure("block first", "after", [&] { sum_block_first<<<blocks, 256>>>(a, b); });
  measure("one double", "before", [&] { sum_double<<<blocks, 256>>>(a, wide); });
  measure("one double", "after", [&] { sum_double_warp<<<blocks, 256>>>(a, wide); });
  measure("tickets", "before", [&] { tickets<<<blocks, 256>>>(key, count, ints); });
  measure("tickets", "after", [&] { tickets_warp<<<blocks, 256>>>(key, count, ints); });
  measure("counter", "before", [&] { count_int<<<blocks, 256>>>(key, count); });
  measure("counter", "after", [&] { count_int_warp<<<blocks, 256>>>(key, count); });
  measure("shared floats", "before", [&] { block_sums_shared<<<blocks, 256>>>(a, b); });
  measure("shared floats", "after", [&] { block_sums_warp<<<blocks, 256>>>(a, b); });
  measure("scatter", "before", [&] { scatter_by_key<<<blocks, 256>>>(place, a, b); });
  measure("scatter", "after", [&] { scatter_through_shared<<<blocks, 256>>>(place, a, b); });
  return 0;
}
