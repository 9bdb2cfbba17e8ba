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
