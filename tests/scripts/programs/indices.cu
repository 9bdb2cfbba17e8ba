// Indices as programs write them: of 64 bits, quotients and remainders. Addresses follow from indices alone.
__global__ void flat(const float* from, float* to, long n) {
  long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void rows(const float* from, float* to, long width) {
  long column = long(blockIdx.x) * blockDim.x + threadIdx.x, row = long(blockIdx.y) * blockDim.y + threadIdx.y;
  to[row * width + column] = from[row * width + column];
}
__global__ void halved(const float* from, float* to) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  to[i >> 1] = from[i];
}
__global__ void spread(const float* from, float* to, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i / width * 512 + i % width] = from[i];
}
__global__ void spread_by_constant(const float* from, float* to) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i / 256 * 512 + i % 256] = from[i];
}

int main() {
  constexpr int n = 64 * 256;
  float *from, *to;
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, 2 * n * sizeof(float));
  flat<<<64, 256>>>(from, to, n - 100);
  rows<<<dim3(16, 4), dim3(16, 16)>>>(from, to, 256);
  halved<<<64, 256>>>(from, to);
  spread<<<64, 256>>>(from, to, 256);
  spread_by_constant<<<64, 256>>>(from, to);
  return cudaDeviceSynchronize();
}
