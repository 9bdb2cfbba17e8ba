// Two levels of inlining: four loads of one line, each with its own callers.
__device__ float ld(const float* p, int i) { return p[i]; }
__device__ float pair(const float* p, int i) { return ld(p, i) + ld(p, i + 7); }
extern "C" __global__ void k(const float* p, float* q, int n) {
  int i = threadIdx.x;
  if (i < n) q[i] = pair(p, i) * pair(p, i + 100);
}
