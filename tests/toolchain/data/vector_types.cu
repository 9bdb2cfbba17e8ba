// Vector types: initialisation, copies that stay whole, and passing by value to a kernel.
#include <cuda_runtime.h>

struct Pair {
  float4 first;
  int second;
};
__constant__ float4 table[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};

__global__ void partly_used(const float4* in, float* out, double4* wide, const Pair* pairs) {
  int i = threadIdx.x;
  float4 v = in[i]; // one ld.global.v4, though w is not used
  out[i] = v.x + v.y + v.z;
  double4 d = wide[i]; // two ld.global.v2
  wide[i + 1] = d;
  Pair p = pairs[i];
  out[i + 64] = p.first.x + table[i & 1].y;
}

__global__ void by_value(float4 v, Pair p, double2 d, uchar4 c, float* out) {
  float4 zero = {0}, empty{}, made = make_float4(1, 2, 3, 4);
  float2 half = {0.5f, 1};
  out[0] = v.x + p.first.y + p.second + (float)d.y + c.w + zero.x + empty.y + made.z + half.x;
}

int main() {
  dim3 grid(2), block = {32, 1, 1};
  uint3 as_uint3 = grid;
  by_value<<<grid, block>>>(make_float4(1, 2, 3, 4), Pair{}, make_double2(1, 2), make_uchar4(1, 2, 3, 4), nullptr);
  return as_uint3.x == 2 ? 0 : 1;
}
