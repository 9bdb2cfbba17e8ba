// The smaller headers.
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <nvToolsExt.h>
#include <vector_functions.h>
#include <vector_types.h>

__global__ void complex(cuFloatComplex* f, cuDoubleComplex* d, float* out) {
  f[0] = cuCaddf(cuCmulf(f[0], f[1]), cuCdivf(f[2], cuConjf(f[3])));
  d[0] = cuCadd(cuCmul(d[0], d[1]), cuCdiv(d[2], d[3]));
  out[0] = cuCabsf(f[4]) + (float)cuCabs(d[4]) + CUDART_PI_F + CUDART_INF_F;
}

int main() {
  nvtxRangePush("range");
  nvtxRangePop();
  CUdeviceptr pointer = 0;
  return pointer == 0 && CUDA_SUCCESS == 0 ? 0 : 1;
}
