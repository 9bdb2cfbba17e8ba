// Where a load stands: in the line of the program, whatever header function made it.
__device__ float pick(const float* p, int i) {
  return __ldg(p + i); // line 3
}
__global__ void lines(const float* in, float* out, int* counter) {
  int i = threadIdx.x;
  out[i] = pick(in, i) + pick(in, 2 * i);
  atomicAdd(counter, 1); // line 8
}
