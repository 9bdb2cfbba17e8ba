// What teaching material says of accesses, and what `check` must say: "VERDICT COUNT", of sectors, or of wavefronts in shared
// memory; "N to M" where the launch decides, and what follows "if" is what it costs under the printed condition.
// Every line has one access, or several that are alike. Blocks are any whose rows are whole warps.

// A[(something without threadIdx.x) + threadIdx.x], as people write it
__global__ void forms(const float* a, const float* b, const float* c, const float* d, float* out, int n, unsigned m, long pitch) {
  const int x = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  sum += a[i];                                         // coalesced 4
  sum += *(b + i);                                     // coalesced 4
  sum += c[threadIdx.x + blockDim.x * blockIdx.x];     // coalesced 4
  const float* row = d + y * pitch;
  sum += row[x];                                       // coalesced 4 to 5 if 4
  sum += (&a[y * n])[x];                               // coalesced 4 to 5 if 4
  sum += a[y * n + i];                                 // coalesced 4 to 5 if 4
  sum += b[(unsigned long)m * y + x];                  // coalesced 4 to 5 if 4
  sum += c[i + 32];                                    // coalesced 4
  sum += c[i + 1];                                     // misaligned 5
  sum += d[n + (x ^ 1)];                               // coalesced 4 to 5 if 4
  sum += d[256 + (31 - (x & 31))];                     // coalesced 4
  sum += d[n / 32 * 32 + x];                           // coalesced 4
  sum += b[blockIdx.x * 256 + x % 32];                 // coalesced 4
  sum += b[n];                                         // broadcast 1
  for (int k = i; k < n; k += blockDim.x * gridDim.x)
    sum += a[k] * 2;                                   // coalesced 1 to 4
#pragma unroll 1
  for (int k = 0; k < 7; ++k)
    sum += c[k * blockDim.x + x];                      // coalesced 4
  out[i] = sum;                                        // coalesced 4
}

// C = A * B, a thread for each element
__global__ void by_columns(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k]                              // broadcast 1
           * b[k * n + column];                        // coalesced 4 to 5 if 4
  c[row * n + column] = sum;                           // coalesced 4 to 5 if 4
}
__global__ void by_rows(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k]                              // uncoalesced 1 to 32
           * b[k * n + column];                        // broadcast 1
  c[row * n + column] = sum;                           // uncoalesced 1 to 32
}

// Transposes
__global__ void naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * 4096 + y] =                                  // uncoalesced 32
      in[y * 4096 + x];                                // coalesced 4
}
template <int columns> __device__ void by_tiles(const float* in, float* out) {
  __shared__ float tile[32][columns];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] =                     // conflict-free 1
      in[y * 4096 + x];                                // coalesced 4
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  if (columns == 32)
    out[y * 4096 + x] =                                // coalesced 4
        tile[threadIdx.x][threadIdx.y];                // bank-conflict 32
  else
    out[y * 4096 + x] =                                // coalesced 4
        tile[threadIdx.x][threadIdx.y];                // conflict-free 1
}
__global__ void unpadded(const float* in, float* out) { by_tiles<32>(in, out); }
__global__ void padded(const float* in, float* out) { by_tiles<33>(in, out); }

// An array of structures, and a structure of arrays
struct Particle {
  float x, y, z;
};
__global__ void structures(const Particle* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] =                                             // coalesced 4
      in[i].x +                                        // uncoalesced 12
      in[i].z;                                         // uncoalesced 12
}
__global__ void arrays(const float* x, const float* z, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] =                                             // coalesced 4
      x[i] +                                           // coalesced 4
      z[i];                                            // coalesced 4
}

// Reductions in shared memory: a stride between the threads that work, or none
__global__ void interleaved(const float* in, float* out) {
  __shared__ float data[512];
  const unsigned thread = threadIdx.x;
  data[thread] =                                       // conflict-free 1
      in[blockIdx.x * 512 + thread];                   // coalesced 4
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 1; step < 512; step *= 2) {
    const unsigned at = 2 * step * thread;
    if (at < 512)
      data[at] += data[at + step];                     // bank-conflict 1 to 32
    __syncthreads();
  }
  if (thread == 0)
    out[blockIdx.x] =                                  // broadcast 1
        data[0];                                       // conflict-free 1
}
__global__ void sequential(const float* in, float* out) {
  __shared__ float data[512];
  const unsigned thread = threadIdx.x;
  data[thread] =                                       // conflict-free 1
      in[blockIdx.x * 512 + thread];                   // coalesced 4
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 256; step > 0; step /= 2) {
    if (thread < step)
      data[thread] += data[thread + step];             // conflict-free 1
    __syncthreads();
  }
  if (thread == 0)
    out[blockIdx.x] =                                  // broadcast 1
        data[0];                                       // conflict-free 1
}
