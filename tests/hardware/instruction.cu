// instruction.cubin: nvcc 13.0 -arch=sm_90 -cubin. Its code is replaced (instructions.py); the parameters, the size and the number of registers matter.
extern "C" __global__ void __launch_bounds__(128) instruction(const uint4* in, uint4* out, const unsigned* uniform) {
  unsigned x = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 240; ++i) asm volatile("prmt.b32.rc8 %0, %0, %1, 3;" : "+r"(x) : "r"(i));
  out[x].x = in[x].x + uniform[x];
}
