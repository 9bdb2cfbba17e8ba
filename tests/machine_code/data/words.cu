// A loop that keeps the two words of an address in registers apart, and copies one for each access. `words.cubin` is made of it with
//   nvcc -O3 -arch=sm_90 -cubin words.cu
extern "C" __global__ void product(int n, const float* a, const float* b, float* c) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}
