// Texture and surface objects. clang carries the instruction table of texture reads (__nv_tex_surf_handler); the
// functions here name its rows by CUDA's names ("CUDA C++ Programming Guide", Texture Object API). Surfaces are
// PTX text: suld/sust with the byte coordinate in x, and trapping on out-of-bounds, the default mode.
#pragma once
#if __clang_major__ < 19
template <class T, int dimensions, cudaTextureReadMode mode> struct texture; // its table still has texture references
#endif
#include <__clang_cuda_texture_intrinsics.h>

#define WARPLENS_TEX(name, row, parameters, ...)                                                               \
  template <class T> static __device__ __forceinline__ T name parameters {                                     \
    T result;                                                                                                  \
    __nv_tex_surf_handler(row, &result, __VA_ARGS__);                                                          \
    return result;                                                                                             \
  }                                                                                                            \
  template <class T> static __device__ __forceinline__ void name(T* result, WARPLENS_STRIP parameters) {       \
    __nv_tex_surf_handler(row, result, __VA_ARGS__);                                                           \
  }
#define WARPLENS_STRIP(...) __VA_ARGS__
WARPLENS_TEX(tex1Dfetch, "__itex1Dfetch", (cudaTextureObject_t t, int x), t, x)
WARPLENS_TEX(tex1D, "__itex1D", (cudaTextureObject_t t, float x), t, x)
WARPLENS_TEX(tex2D, "__itex2D", (cudaTextureObject_t t, float x, float y), t, x, y)
WARPLENS_TEX(tex3D, "__itex3D", (cudaTextureObject_t t, float x, float y, float z), t, x, y, z)
WARPLENS_TEX(tex1DLayered, "__itex1DLayered", (cudaTextureObject_t t, float x, int layer), t, x, layer)
WARPLENS_TEX(tex2DLayered, "__itex2DLayered", (cudaTextureObject_t t, float x, float y, int layer), t, x, y, layer)
WARPLENS_TEX(texCubemap, "__itexCubemap", (cudaTextureObject_t t, float x, float y, float z), t, x, y, z)
WARPLENS_TEX(tex1DLod, "__itex1DLod", (cudaTextureObject_t t, float x, float level), t, x, level)
WARPLENS_TEX(tex2DLod, "__itex2DLod", (cudaTextureObject_t t, float x, float y, float level), t, x, y, level)
WARPLENS_TEX(tex3DLod, "__itex3DLod", (cudaTextureObject_t t, float x, float y, float z, float level), t, x, y, z, level)
WARPLENS_TEX(tex2DGrad, "__itex2DGrad_v2", (cudaTextureObject_t t, float x, float y, float2 dx, float2 dy), t, x, y, &dx, &dy)
#undef WARPLENS_TEX
#undef WARPLENS_STRIP

namespace warplens_cuda {
// A surface moves 1, 2, 4, 8 or 16 bytes, whatever their type.
template <int bytes> struct Texel;
#define WARPLENS_SURFACE(bytes, R, ptx, c, registers)                                                     \
  template <> struct Texel<bytes> {                                                                            \
    R r;                                                                                                       \
    __device__ __forceinline__ void read(cudaSurfaceObject_t s, int x) {                                       \
      __asm__ __volatile__("suld.b.1d" ptx ".trap " registers ", [%1, {%2}];" : "=" c(r) : "l"(s), "r"(x));    \
    }                                                                                                          \
    __device__ __forceinline__ void read(cudaSurfaceObject_t s, int x, int y) {                                \
      __asm__ __volatile__("suld.b.2d" ptx ".trap " registers ", [%1, {%2, %3}];"                              \
                           : "=" c(r)                                                                          \
                           : "l"(s), "r"(x), "r"(y));                                                          \
    }                                                                                                          \
    __device__ __forceinline__ void write(cudaSurfaceObject_t s, int x) const {                                \
      __asm__ __volatile__("sust.b.1d" ptx ".trap [%0, {%1}], %2;" ::"l"(s), "r"(x), c(r) : "memory");         \
    }                                                                                                          \
    __device__ __forceinline__ void write(cudaSurfaceObject_t s, int x, int y) const {                         \
      __asm__ __volatile__("sust.b.2d" ptx ".trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), c(r)          \
                           : "memory");                                                                        \
    }                                                                                                          \
  };
WARPLENS_SURFACE(2, unsigned short, ".b16", "h", "%0")
WARPLENS_SURFACE(4, unsigned int, ".b32", "r", "%0")
WARPLENS_SURFACE(8, unsigned long long, ".b64", "l", "%0")
#undef WARPLENS_SURFACE
template <> struct Texel<1> {
  unsigned char r;
  __device__ __forceinline__ void read(cudaSurfaceObject_t s, int x, int y) {
    unsigned short v;
    __asm__ __volatile__("suld.b.2d.b8.trap %0, [%1, {%2, %3}];" : "=h"(v) : "l"(s), "r"(x), "r"(y));
    r = (unsigned char)v;
  }
  __device__ __forceinline__ void write(cudaSurfaceObject_t s, int x, int y) const {
    __asm__ __volatile__("sust.b.2d.b8.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), "h"((unsigned short)r)
                         : "memory");
  }
};
template <> struct Texel<16> {
  unsigned int r[4];
  __device__ __forceinline__ void read(cudaSurfaceObject_t s, int x, int y) {
    __asm__ __volatile__("suld.b.2d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                         : "l"(s), "r"(x), "r"(y));
  }
  __device__ __forceinline__ void write(cudaSurfaceObject_t s, int x, int y) const {
    __asm__ __volatile__("sust.b.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(x), "r"(y),
                         "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                         : "memory");
  }
};
} // namespace warplens_cuda

template <class T> static __device__ __forceinline__ void surf2Dread(T* out, cudaSurfaceObject_t s, int x, int y) {
  warplens_cuda::Texel<sizeof(T)> texel;
  texel.read(s, x, y);
  __builtin_memcpy(out, &texel, sizeof(T));
}
template <class T> static __device__ __forceinline__ T surf2Dread(cudaSurfaceObject_t s, int x, int y) {
  T result;
  surf2Dread(&result, s, x, y);
  return result;
}
template <class T>
static __device__ __forceinline__ void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y) {
  warplens_cuda::Texel<sizeof(T)> texel;
  __builtin_memcpy(&texel, &value, sizeof(T));
  texel.write(s, x, y);
}
template <class T> static __device__ __forceinline__ void surf1Dread(T* out, cudaSurfaceObject_t s, int x) {
  warplens_cuda::Texel<sizeof(T)> texel;
  texel.read(s, x);
  __builtin_memcpy(out, &texel, sizeof(T));
}
template <class T> static __device__ __forceinline__ T surf1Dread(cudaSurfaceObject_t s, int x) {
  T result;
  surf1Dread(&result, s, x);
  return result;
}
template <class T> static __device__ __forceinline__ void surf1Dwrite(T value, cudaSurfaceObject_t s, int x) {
  warplens_cuda::Texel<sizeof(T)> texel;
  __builtin_memcpy(&texel, &value, sizeof(T));
  texel.write(s, x);
}
// The boundary mode is part of the instruction: what is not the default stops the kernel.
template <class T>
static __device__ __forceinline__ void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y,
                                                   cudaSurfaceBoundaryMode mode) {
  if (mode != cudaBoundaryModeTrap) __trap();
  surf2Dwrite(value, s, x, y);
}
