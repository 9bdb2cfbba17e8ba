// Indices of 64 bits, which machine code multiplies by an element's size in two shifts, the second long behind the first.
// `shifts.cubin` is made of it with
//   nvcc -O3 -arch=sm_90 -cubin shifts.cu
extern "C" __global__ void copy(const float* from, float* to, long width) {
  long column = long(blockIdx.x) * blockDim.x + threadIdx.x, row = long(blockIdx.y) * blockDim.y + threadIdx.y;
  to[row * width + column] = from[row * width + column];
}
extern "C" __global__ void halves(const float* from, float* to) {
  long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  to[i >> 1] = from[i];
}
