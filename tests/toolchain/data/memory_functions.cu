// Cache hints, address spaces, bit functions, texture and surface objects, printf, assert, the device heap.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hints(float* f, float4* f4, const double* d, unsigned char* c, int2* i2) {
  int t = threadIdx.x;
  f[t] = __ldg(f + 1) + __ldcg(f + 2) + __ldca(f + 3) + __ldcs(f + 4) + __ldcv(f + 5) + __ldlu(f + 6);
  float4 v = __ldg(f4 + t);
  __stcs(f4 + t + 1, v);
  __stwt(f + t, (float)__ldcg(d + t));
  __stcg(c + t, __ldcs(c + t + 1));
  __stwb(i2 + t, __ldcg(i2 + t + 1));
}

__global__ void bits(unsigned* u, int* i, unsigned long long* l) {
  u[0] = __brev(u[0]) + __popc(u[1]) + __byte_perm(u[2], u[3], 0x5410) + __funnelshift_l(u[4], u[5], 3) +
         __umulhi(u[6], u[7]) + __vadd4(u[8], u[9]) + __usad(u[1], u[2], u[3]) + __umul24(u[4], u[5]);
  i[0] = __clz(i[0]) + __ffs(i[1]) + __dp4a(i[2], i[3], i[4]) + __mul24(i[5], i[6]) + __float_as_int(1.0f) + __mulhi(i[7], i[8]);
  l[0] = __brevll(l[0]) + __clzll((long long)l[1]) + __popcll(l[2]) + __umul64hi(l[3], l[4]);
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = i[9];
  u[1] = __isShared(dynamic) + __isGlobal(u) + (unsigned)__cvta_generic_to_shared(dynamic);
}

__global__ void objects(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float4* out) {
  out[0] = tex2D<float4>(texture, 0.5f, 0.5f);
  out[1].x = tex1Dfetch<float>(texture, 3) + tex3D<float>(texture, 1, 2, 3) + tex2DLod<float>(texture, 1, 2, 0);
  float value;
  surf2Dread(&value, surface, 4, 1);
  surf2Dwrite(value, surface, 8, 1);
  surf2Dwrite(out[0], surface, 16, 1);
}

__global__ void geometries(cudaTextureObject_t t, cudaSurfaceObject_t s, float* out, float x, float y, int l) {
  float2 dx = make_float2(x, x);
  float4 d4 = make_float4(x, x, y, y);
  out[0] = tex1DGrad<float>(t, x, y, y) + tex2DGrad<float>(t, x, y, dx, dx) + tex3DGrad<float>(t, x, y, y, d4, d4);
  out[1] = tex2DLayeredGrad<float>(t, x, y, l, dx, dx) + tex2DLayeredLod<float>(t, x, y, l, x) + texCubemapLod<float>(t, x, y, x, y);
  out[2] = tex1DLayeredLod<float>(t, x, l, y) + texCubemapLayered<float>(t, x, y, x, l) + tex2Dgather<float4>(t, x, y, 2).w;
  out[3] = surf1Dread<float>(s, 4) + surf3Dread<float>(s, 4, 1, 2) + surf2DLayeredread<float>(s, 4, 1, l, cudaBoundaryModeZero);
  surf1DLayeredwrite((short)l, s, 2, l);
  surf2Dwrite((unsigned char)l, s, 3, l, cudaBoundaryModeClamp);
  surf2Dwrite(d4, s, 16, l);
  surfCubemapwrite(make_uchar4(1, 2, 3, 4), s, 4, 1, 5);
}

struct Node {
  int value;
};
__global__ void heap(int* out) {
  Node* node = new Node{3};
  int* p = (int*)malloc(16);
  assert(p != nullptr);
  p[0] = node->value;
  printf("%d %f %s\n", p[0], 1.5, "text");
  *out = p[0];
  free(p);
  delete node;
}

__global__ void __launch_bounds__(256) one(int* a) { *a = 1; }
__global__ void __launch_bounds__(256, 2) two(int* a) { *a = min(*a, (int)blockDim.x) + max(3u, blockDim.y); }

int main() { return 0; }
