constexpr int tile = 32;
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float block[tile][tile];
  block[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = block[threadIdx.x][threadIdx.y];
}
