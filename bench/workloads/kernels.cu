// The kernels of the comparison, as CUDA users write them. kernels.cl has their OpenCL twins, in the same order;
// workloads.cpp says what they run on and what has to come out.

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void strided(int n, const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[(i * 32) % n];
}

extern "C" __global__ void gather(int n, const int* index, const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[index[i]];
}

extern "C" __global__ void matmul(int n, const float* A, const float* B, float* C) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) {
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

extern "C" __global__ void transpose(int n, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

// n: a multiple of 16
extern "C" __global__ void matmul_tiled(int n, const float* A, const float* B, float* C) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
#pragma unroll 1
  for (int t = 0; t < n / 16; t++) {
    tile_a[ty][tx] = A[row * n + t * 16 + tx];
    tile_b[ty][tx] = B[(t * 16 + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

// One sum per block of 256 threads
extern "C" __global__ void reduce(int n, const float* in, float* out) {
  __shared__ float partial[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
#pragma unroll 1
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) partial[t] += partial[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// 256 threads, 256 bins
extern "C" __global__ void histogram(int n, const unsigned char* data, unsigned int* counts) {
  __shared__ unsigned int local_counts[256];
  int t = threadIdx.x;
  local_counts[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local_counts[data[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[t], local_counts[t]);
}

// The ways to complete an n × n board whose first `given` rows are the digits, base n, of the thread's number: depth
// first, with the squares still to try of every row on a stack. n ≤ 16
extern "C" __global__ void queens(int n, int given, int threads, int* solutions) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= threads) return;
  unsigned int columns[16], left[16], right[16], open[16];
  unsigned int all = (1u << n) - 1, column = 0, l = 0, r = 0;
  int found = 0, rest = id;
  bool possible = true;
  for (int row = 0; row < given; row++) {
    unsigned int queen = 1u << (rest % n);
    rest /= n;
    possible = possible && !(queen & (column | l | r));
    column |= queen, l = (l | queen) << 1, r = (r | queen) >> 1;
  }
  int depth = 0;
  columns[0] = column, left[0] = l, right[0] = r;
  open[0] = possible ? all & ~(column | l | r) : 0;
  while (depth >= 0) {
    unsigned int squares = open[depth];
    if (squares == 0) {
      depth--;
      continue;
    }
    unsigned int queen = squares & (~squares + 1);
    open[depth] = squares ^ queen;
    if (given + depth + 1 == n) {
      found++;
      continue;
    }
    column = columns[depth] | queen, l = (left[depth] | queen) << 1, r = (right[depth] | queen) >> 1;
    depth++;
    columns[depth] = column, left[depth] = l, right[depth] = r;
    open[depth] = all & ~(column | l | r);
  }
  solutions[id] = found;
}

extern "C" __global__ void stencil(int n, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    int i = y * n + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  }
}

// Compressed sparse rows, one thread per row
extern "C" __global__ void spmv(int rows, const int* start, const int* column, const float* value, const float* x,
                                float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
    y[row] = sum;
  }
}

// The kernels of whole programs. Some are launched several times in a row.

// One step of n bodies that all attract each other: x, y, z and mass. Blocks of 256 read them in tiles. n: a multiple of 256
extern "C" __global__ void nbody(int n, float seconds, const float4* body, const float4* velocity, float4* after) {
  __shared__ float4 tile[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float4 me = body[i], v = velocity[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int first = 0; first < n; first += 256) {
    tile[t] = body[first + t];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) {
      float4 other = tile[k];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = other.w * near * near * near;
      ax += pull * dx, ay += pull * dy, az += pull * dz;
    }
    __syncthreads();
  }
  after[i] = make_float4(v.x + seconds * ax, v.y + seconds * ay, v.z + seconds * az, v.w);
}

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// One pass of a Fourier transform in several dimensions: a block transforms n points that lie `stride` apart, in steps of
// radix 4. n: a power of 4, at most 1024; n / 4 threads
extern "C" __global__ void fft(int n, int stride, int distance, const float2* in, float2* out) {
  __shared__ float2 points[1024];
  int t = threadIdx.x, quarter = n / 4, base = blockIdx.x * distance;
  for (int i = t; i < n; i += quarter) points[i] = in[base + i * stride];
  for (int done = 1; done < n; done *= 4) { // so many points have been put together
    int within = t & (done - 1), to = 4 * t - 3 * within;
    float2 turn;
    __sincosf(-1.57079633f * within / done, &turn.y, &turn.x);
    float2 twice = times(turn, turn);
    __syncthreads();
    float2 a = points[t], b = times(turn, points[t + quarter]), c = times(twice, points[t + 2 * quarter]);
    float2 d = times(times(turn, twice), points[t + 3 * quarter]);
    __syncthreads();
    points[to] = make_float2(a.x + b.x + c.x + d.x, a.y + b.y + c.y + d.y);
    points[to + done] = make_float2(a.x + b.y - c.x - d.y, a.y - b.x - c.y + d.x);
    points[to + 2 * done] = make_float2(a.x - b.x + c.x - d.x, a.y - b.y + c.y - d.y);
    points[to + 3 * done] = make_float2(a.x - b.y - c.x + d.y, a.y + b.x - c.y - d.x);
  }
  __syncthreads();
  for (int i = t; i < n; i += quarter) out[base + i * stride] = points[i];
}

// The cheapest way down a grid, `rows` rows on from the costs so far, `in`. A block of 256 computes a border of `rows`
// columns at each side for itself alone.
extern "C" __global__ void pathfinder(int columns, int row, int rows, const int* cost, const int* in, int* out) {
  __shared__ int before[256];
  int t = threadIdx.x, x = blockIdx.x * (256 - 2 * rows) - rows + t;
  bool inside = x >= 0 && x < columns;
  int best = inside ? in[x] : 1 << 30;
  for (int i = 1; i <= rows; i++) {
    before[t] = best;
    __syncthreads();
    if (inside && t >= i && t < 256 - i)
      best = min(min(before[t - 1], best), before[t + 1]) + cost[(row + i) * columns + x];
    __syncthreads();
  }
  if (inside && t >= rows && t < 256 - rows) out[x] = best;
}

extern "C" __global__ void bfs_start(int nodes, int* level) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) level[node] = node == 0 ? 0 : -1;
}

// One level of a breadth-first search: nodes that were not reached look for a neighbour that has been at `depth`.
extern "C" __global__ void bfs(int nodes, int depth, const int* start, const int* neighbour, int* level) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || level[node] >= 0) return;
  for (int k = start[node]; k < start[node + 1]; k++)
    if (level[neighbour[k]] == depth) {
      level[node] = depth + 1;
      return;
    }
}

// The bitonic sort of 512 keys by 256 threads: runs of `smallest` to `largest` keys, as far as they fit into a block
extern "C" __global__ void sort_block(int smallest, int largest, const unsigned int* in, unsigned int* out) {
  __shared__ unsigned int keys[512];
  int t = threadIdx.x, first = blockIdx.x * 512;
  keys[t] = in[first + t], keys[t + 256] = in[first + t + 256];
  for (int size = smallest; size <= largest; size *= 2)
    for (int distance = min(size, 512) / 2; distance > 0; distance /= 2) {
      __syncthreads();
      int i = 2 * t - (t & (distance - 1));
      unsigned int a = keys[i], b = keys[i + distance];
      bool ascending = ((first + i) & size) == 0;
      if ((a > b) == ascending) keys[i] = b, keys[i + distance] = a;
    }
  __syncthreads();
  out[first + t] = keys[t], out[first + t + 256] = keys[t + 256];
}

// The steps between keys that no block holds both
extern "C" __global__ void sort_step(int size, int distance, unsigned int* keys) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (distance - 1));
  unsigned int a = keys[i], b = keys[i + distance];
  bool ascending = (i & size) == 0;
  if ((a > b) == ascending) keys[i] = b, keys[i + distance] = a;
}

// One head of causal attention, 64 wide: a block of 64 threads weighs the keys up to its own query. `key` has a column
// for each of them. n: at most 1024
extern "C" __global__ void attention(int n, const float* query, const float* key, const float* value, float* out) {
  __shared__ float weight[1024], partial[64];
  int t = threadIdx.x, q = blockIdx.x;
  float most = -1e30f, sum = 0.0f, result = 0.0f;
  for (int k = t; k <= q; k += 64) {
    float score = 0.0f;
    for (int i = 0; i < 64; i++) score += query[q * 64 + i] * key[i * n + k];
    weight[k] = score * 0.125f;
    most = fmaxf(most, weight[k]);
  }
  partial[t] = most;
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) partial[t] = fmaxf(partial[t], partial[t + d]);
    __syncthreads();
  }
  most = partial[0];
  for (int k = t; k <= q; k += 64) sum += weight[k] = expf(weight[k] - most);
  __syncthreads();
  partial[t] = sum;
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) partial[t] += partial[t + d];
    __syncthreads();
  }
  for (int k = 0; k <= q; k++) result += weight[k] * value[k * 64 + t];
  out[q * 64 + t] = result / partial[0];
}
