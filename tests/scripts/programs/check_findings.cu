// What `check` says of code, and what it leaves unsaid (check_findings_test.sh): a comment behind an access has the severity and
// words of a finding or of a note below it, or `none`.
#include <cstddef>
struct alignas(4) Pair {
  short a, b;
};
struct Quad {
  float a, b, c, d;
};

// ---- what no launch survives
__global__ void odd_pair(const short* a, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = reinterpret_cast<const Pair*>(a + 2 * i + 1)->b; // warning: stride 4 bytes
}
__global__ void odd_int(const short* a, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = *reinterpret_cast<const int*>(a + 2 * i + 1); // error: misaligned by 2 bytes in every lane
}
__global__ void every_float(const float* a, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(a + threadIdx.x); // error: misaligned by 4 bytes in 24 lanes
}
__global__ void behind(int* out) {
  __shared__ int s[64];
  s[threadIdx.x & 31] = 1;
  __syncthreads();
  out[threadIdx.x] = s[(threadIdx.x & 31) + 64]; // error: lies outside of its 256 bytes in every lane
}
__constant__ float few[8];
__global__ void before(float* out) { out[threadIdx.x] = few[int(blockIdx.x & 1) - 4]; } // error: lies outside of its 32 bytes in every lane
__global__ void asks_first(const float* a, float4* out) {
  const float* from = a + threadIdx.x;
  if (reinterpret_cast<size_t>(from) % 16 == 0) out[threadIdx.x] = *reinterpret_cast<const float4*>(from); // warning: 8 of 32 lanes
}
__global__ void demands(const float* x, float4* y, int off) {
  y[threadIdx.x] = *reinterpret_cast<const float4*>(x + off + 4 * threadIdx.x); // none
}

// ---- indices that are too large for 32 bits
__global__ void square(float* a, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) a[row * n + col] = 1; // note: from n = 46,341 on
}
__global__ void two_sizes(float* a, int n, int m) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < m) a[row * m + col] = 1; // note: where n*m reaches 2,147,483,648
}
__global__ void fours(char* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * 4] = 1; // note: from n = 536,870,913 on
}
__global__ void two_on_a_line(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[n + i] += p[4 * n + i]; // note: from n = 429,496,730 on
}
__global__ void the_larger_first(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[4 * n + i] += p[n + i]; // note: from n = 429,496,730 on
}
__global__ void unsigned_threes(char* a, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * 3] = 1; // note: from n = 1,431,655,767 on
}
__global__ void compared_late(char* a, int n, int first) {
  int i = (first + blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i < n) a[i] = 1; // note: reaches 2,147,483,648
}
__global__ void quotients(const char* q, const float* scale, float* y, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  int r = i / cols, c = i % cols; // each less than its own size
  y[c * rows + r] = q[i] * scale[r]; // note: where rows*cols reaches 2,147,483,648
}
__global__ void of_the_rows(const float* scale, float* y, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) y[i] /= scale[i / cols]; // none
}
__global__ void quarters(char* a, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w / 2 && blockIdx.y < h) a[blockIdx.y * w / 2 + i] = 1; // note: where w*h
}
__global__ void loaded(float* out, const int* id, const float* table, int n) {
  int row = id[blockIdx.x];
  if (threadIdx.x < n) out[threadIdx.x] = table[row * n + threadIdx.x]; // note: the value loaded
}
__global__ void first_thread(float* a) { a[threadIdx.x - 1] = 1; } // warning: below zero in the first thread
__global__ void not_the_first(float* a) {
  if (threadIdx.x > 0) a[threadIdx.x - 1] = 1; // note: misaligned by 28 bytes
}
__global__ void plain(float* a, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + first] = 1; // none
}
__global__ void __launch_bounds__(1024) masked(int* a) {
  a[__umul24(blockIdx.x, 1024) + threadIdx.x] = 1; // none
}
__global__ void masked_width(int* a) {
  a[__umul24(blockIdx.x, blockDim.x) + threadIdx.x] = 1; // none
}
__global__ void of_a_hash(int* a, const unsigned* keys) {
  unsigned i = keys[0] & 0xffff;
  a[i * 100000 + threadIdx.x] = 1; // none
}
__global__ void wide(float* a, size_t n, int m) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) a[i * m] = 1; // warning: stride
}
__global__ void bounded(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 100000) a[i * 2 + i / 7] = 1; // none
}
__global__ void bytes_loaded(const unsigned char* in, float* a) {
  a[in[threadIdx.x] * 65536 + threadIdx.x] = 1; // note: may go anywhere
}
__global__ void masked(float* a, unsigned seed) { a[(threadIdx.x * 1664525u + seed) & 1023] = 1; } // none
struct Big {
  float x[24];
};
__global__ void too_big_anyway(Big* a, int n) { // 2^31 of them are 206 GB
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * 2].x[0] = 1; // warning: stride
}

// ---- blocks that the code is for
__global__ void eight_by_four(int* out) {
  __shared__ int s[32];
  int x = threadIdx.x, y = threadIdx.y;
  s[x + 8 * y] = x;
  __syncthreads();
  out[x + 8 * y] = s[x * 4 + y]; // none
}
constexpr int T = 16;
__global__ void turn16(const float* in, float* out, int n) {
  __shared__ float buf[T * T];
  int r = threadIdx.y, c = threadIdx.x;
  buf[r * T + c] = in[(blockIdx.y * T + r) * n + blockIdx.x * T + c]; // note: where 16*n*gridDim.y reaches 4,294,967,296
  __syncthreads();
  out[(blockIdx.x * T + r) * n + blockIdx.y * T + c] = buf[c * T + r]; // warning: 8-way bank conflict
}
__global__ void sixteen_lanes(float* out) {
  __shared__ float s[16 * 2];
  if (threadIdx.x >= 16) return;
  s[2 * threadIdx.x] = 1; // none
  out[threadIdx.x] = s[2 * threadIdx.x + 1];
}
__global__ void __launch_bounds__(8) eight_threads(float* out) {
  __shared__ float s[8 * 4];
  s[4 * threadIdx.x] = 1; // none
  __syncthreads();
  out[threadIdx.x] = s[4 * threadIdx.x];
}

// Nothing is said of blocks by an array that is for some of their threads.
__global__ void sums_of_warps(const float* in, float* out) {
  __shared__ float sums[8];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < blockDim.x / 32) out[threadIdx.x] = sums[threadIdx.x]; // none
  out[2 * threadIdx.x] = 1; // warning: in any block with blockDim.x % 32 == 0
}
__global__ void halo28(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = in[blockIdx.x * 28 + threadIdx.x]; // warning: in any block with
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x];
}
__global__ void padded16(const float* in, float* out) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[blockIdx.x * 16 + threadIdx.x]; // warning: in blocks of 16x16 threads
  __syncthreads();
  out[blockIdx.x * 16 + threadIdx.y] = tile[threadIdx.x][threadIdx.y]; // warning: 2-way bank conflict
}

// ---- what need not be bad
__global__ void two_lanes_a_row(const float* a, float4* out, int k) {
  size_t row = threadIdx.x / 2, half = threadIdx.x % 2;
  out[threadIdx.x] = *reinterpret_cast<const float4*>(a + row * k + 4 * half); // none
}
__global__ void columns(const float* a, float* out, int n) { out[threadIdx.x] = a[size_t(threadIdx.x) * n]; } // warning: stride
__global__ void odd_stride(float* out, int n) {
  __shared__ float s[4096];
  s[threadIdx.x * n] = 1; // note: stride 4*n bytes
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

// ---- one statement, one change
struct Complex {
  float re, im;
};
__global__ void times(const Complex* a, const Complex* b, Complex* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Complex x = a[i], y = b[i]; // warning: __align__(8)
  c[i] = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; // warning: __align__(8)
}
__global__ void odd_rows(const float* fine, float* coarse, int n) { // begin inside 8 bytes
  const float* p = fine + (2 * blockIdx.y + 1) * (2 * n + 1) + 2 * threadIdx.x;
  coarse[blockIdx.y * 64 + threadIdx.x] = p[0] + p[1]; // warning: fine[k*count + i] instead of fine[2*i + k]
}
__global__ void rows_of_n(const float* fine, float* coarse, int n) { // some may
  const float* p = fine + blockIdx.y * n + 2 * threadIdx.x;
  coarse[blockIdx.y * 64 + threadIdx.x] = p[0] + p[1]; // warning: fine[k*count + i] instead of fine[2*i + k]
}
__global__ void even_rows(const float* fine, float* coarse, int n) {
  const float* p = fine + blockIdx.y * 2 * n + 2 * threadIdx.x;
  coarse[blockIdx.y * 64 + threadIdx.x] = p[0] + p[1]; // warning: vector
}
struct Particle {
  float x, y, z;
};
__global__ void length(const Particle* p, float* out) {
  Particle v = p[threadIdx.x]; // warning: one array per member
  out[threadIdx.x] = v.x * v.x + v.y * v.y + v.z * v.z;
}
__global__ void shift(Particle* p, float d) {
  p[threadIdx.x].x += d; // warning: one array per member
  p[threadIdx.x].y += d; // warning: one array per member
  p[threadIdx.x].z += d; // warning: one array per member
}

// ---- promises that compilers do not believe of members
struct Field {
  float* data;
  int n;
};
__global__ void of_members(Field from, Field to) {
  for (int k = 0; k < to.n; ++k) to.data[k * 256 + threadIdx.x] = from.data[threadIdx.x]; // none
}

// ---- strides that are not known
__global__ void by_two_sizes(float* a, int n, int m) {
  int t = threadIdx.x;
  a[t * n + t / 2 * m] = 1; // warning: swap the indices
}

// ---- where loaded values lead
__global__ void search(const float* a, int n, const float* keys, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = n;
  const float key = keys[i];
  while (low < high) {
    int middle = (low + high) / 2;
    bool below = a[middle] < key; // note: sort what the threads look for
    low = below ? middle + 1 : low, high = below ? high : middle;
  }
  out[i] = low; // none
}
__global__ void halves(const int* a, int n, const int* keys, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i], from = 0;
  for (int left = n; left > 1; left -= left / 2)
    if (a[from + left / 2 - 1] < key) from += left / 2; // note: sort what the threads look for
  out[i] = from; // none
}
__global__ void through_an_index(const float* a, const int* rows, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[rows[i]]; // note: sort or renumber the indices
}

// ---- how many are left
struct Run {
  unsigned short length;
  unsigned char value, flags;
};
__global__ void members(const Run* runs, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int length = runs[i].length; // warning: 2 after the fix
  out[i] = length * runs[i].value; // warning: 1 after the fix
}
__global__ void numbers(const unsigned* a, unsigned* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = a[8 * i] * a[8 * i + 1]; // warning: 4 after the fix
  for (int k = 0; k < 16; ++k) r[16 * i + k] = sum + k; // warning: 4 after the fix
}
extern "C" __global__ void numbers_without_types(const unsigned* a, unsigned* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = a[8 * i] * a[8 * i + 1]; // warning: 4 after the fix
  for (int k = 0; k < 16; ++k) r[16 * i + k] = sum + k; // warning: 4 after the fix
}

// ---- where rows begin
__global__ void odd_rows(const float* a, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = a[blockIdx.y * 257 + x + 1]; // note: make rows longer, so that each begins
}
__global__ void odd_rows_of_a_loop(const float* a, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int y = 0; y < n; ++y) sum += a[y * 257 + x + 1]; // note: where the array has rows, make them longer
  out[x] = sum;
}
__global__ void one_start(const float* a, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = a[x + 1]; // note: nearly every warp is off by the same
}

// ---- where a loop takes each thread
__global__ void rows_of_csr(const int* begin, const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, end = begin[i + 1];
  float sum = 0;
#pragma unroll 1
  for (int k = begin[i]; k < end; ++k) sum += a[k]; // note: share the turns of each thread
  out[i] = sum;
}
__global__ void runs_to(const int* first, const int* value, int length, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, to = first[i];
#pragma unroll 1
  for (int k = 0; k < length; ++k) out[to + k] = value[k]; // note: share the turns of each thread
}
__global__ void index_each_turn(const int* index, const float* a, int n, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[index[k * 1024 + i]]; // note: sort or renumber the indices
  out[i] = sum;
}

// ---- words
__global__ void groups(const unsigned char* zeros, int k, int* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  out[row] = zeros[row * (k / 128)]; // warning: neighbouring lanes are all as far apart
}
__global__ void groups_of_floats(const float* scales, int k, float* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  out[row] = scales[row * (k / 128)]; // warning: neighbouring lanes are all as far apart
}
__global__ void local(const int* in, int* out, int n) {
  int counts[16] = {};
  for (int i = 0; i < n; ++i) ++counts[in[i + threadIdx.x] & 15]; // warning: 'counts'
  out[threadIdx.x] = counts[n & 15];
}
struct Sizes {
  int first[64];
};
__global__ void by_value(Sizes sizes, float* out, int n) { out[sizes.first[n & 63] + threadIdx.x] = 1; } // none
__global__ void hidden_stride(const int* n, float* out) { out[threadIdx.x * n[0]] = 1; } // warning: (a value loaded at check_findings.cu
struct Two {
  unsigned char r, g;
};
__global__ void bytes(const Two* a, Two* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i]; // warning: load of 1 byte from
}
int main() { return 0; }
