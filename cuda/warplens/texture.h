// Texture and surface objects. clang carries the instruction table of texture reads (__nv_tex_surf_handler); the
// functions here name its rows by CUDA's names ("CUDA C++ Programming Guide", Texture Object API). Surfaces are
// PTX text: suld/sust with the byte coordinate in x; the boundary mode is part of the instruction.
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
WARPLENS_TEX(texCubemapLayered, "__itexCubemapLayered", (cudaTextureObject_t t, float x, float y, float z, int layer), t, x, y, z, layer)
WARPLENS_TEX(tex1DLod, "__itex1DLod", (cudaTextureObject_t t, float x, float level), t, x, level)
WARPLENS_TEX(tex2DLod, "__itex2DLod", (cudaTextureObject_t t, float x, float y, float level), t, x, y, level)
WARPLENS_TEX(tex3DLod, "__itex3DLod", (cudaTextureObject_t t, float x, float y, float z, float level), t, x, y, z, level)
WARPLENS_TEX(tex1DLayeredLod, "__itex1DLayeredLod", (cudaTextureObject_t t, float x, int layer, float level), t, x, layer, level)
WARPLENS_TEX(tex2DLayeredLod, "__itex2DLayeredLod", (cudaTextureObject_t t, float x, float y, int layer, float level), t, x, y, layer, level)
WARPLENS_TEX(texCubemapLod, "__itexCubemapLod", (cudaTextureObject_t t, float x, float y, float z, float level), t, x, y, z, level)
WARPLENS_TEX(tex1DGrad, "__itex1DGrad", (cudaTextureObject_t t, float x, float dx, float dy), t, x, dx, dy)
WARPLENS_TEX(tex2DGrad, "__itex2DGrad_v2", (cudaTextureObject_t t, float x, float y, float2 dx, float2 dy), t, x, y, &dx, &dy)
WARPLENS_TEX(tex3DGrad, "__itex3DGrad_v2", (cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy), t, x, y, z, &dx, &dy)
WARPLENS_TEX(tex2DLayeredGrad, "__itex2DLayeredGrad_v2", (cudaTextureObject_t t, float x, float y, int layer, float2 dx, float2 dy), t, x, y, layer, &dx, &dy)
WARPLENS_TEX(tex2Dgather, "__itex2Dgather", (cudaTextureObject_t t, float x, float y, int channel = 0), t, x, y, channel)
#undef WARPLENS_TEX

namespace warplens_cuda {
// A surface moves 1, 2, 4, 8 or 16 bytes, whatever their type.
template <int bytes> struct Texel {
  unsigned short r; // 1, 2
};
template <> struct Texel<4> {
  unsigned int r;
};
template <> struct Texel<8> {
  unsigned long long r;
};
template <> struct Texel<16> {
  unsigned int r[4];
};
template <cudaSurfaceBoundaryMode mode> struct Boundary {};

// Where in a surface, one type per geometry.
struct SurfacePlace {
  int x, y, z, layer;
};
struct Line : SurfacePlace {};
struct Plane : SurfacePlace {};
struct Solid : SurfacePlace {};
struct LayeredLine : SurfacePlace {};
struct LayeredPlane : SurfacePlace {};

// A geometry, a boundary mode and a width; `value` is the text of the registers, `out` and `in` are what they are bound to.
#define WARPLENS_MOVE(G, geometry, place, mode, name, bytes, ptx, value, out, in, ...)                         \
  static __device__ __forceinline__ void read(Texel<bytes>& t, cudaSurfaceObject_t s, G g, Boundary<mode>) {   \
    __asm__ __volatile__("suld.b." geometry ptx name " " value ", [%[s], {" place "}];"                        \
                         : WARPLENS_STRIP out                                                                  \
                         : [s] "l"(s), __VA_ARGS__                                                             \
                         : "memory");                                                                          \
  }                                                                                                            \
  static __device__ __forceinline__ void write(const Texel<bytes>& t, cudaSurfaceObject_t s, G g,              \
                                               Boundary<mode>) {                                               \
    __asm__ __volatile__("sust.b." geometry ptx name " [%[s], {" place "}], " value ";" ::WARPLENS_STRIP in,    \
                         [s] "l"(s), __VA_ARGS__                                                               \
                         : "memory");                                                                          \
  }
#define WARPLENS_WIDTHS(G, geometry, place, mode, name, ...)                                                   \
  WARPLENS_MOVE(G, geometry, place, mode, name, 1, ".b8", "%[v]", ([v] "=h"(t.r)), ([v] "h"(t.r)), __VA_ARGS__) \
  WARPLENS_MOVE(G, geometry, place, mode, name, 2, ".b16", "%[v]", ([v] "=h"(t.r)), ([v] "h"(t.r)), __VA_ARGS__) \
  WARPLENS_MOVE(G, geometry, place, mode, name, 4, ".b32", "%[v]", ([v] "=r"(t.r)), ([v] "r"(t.r)), __VA_ARGS__) \
  WARPLENS_MOVE(G, geometry, place, mode, name, 8, ".b64", "%[v]", ([v] "=l"(t.r)), ([v] "l"(t.r)), __VA_ARGS__) \
  WARPLENS_MOVE(G, geometry, place, mode, name, 16, ".v4.b32", "{%[a], %[b], %[c], %[d]}",                     \
                ([a] "=r"(t.r[0]), [b] "=r"(t.r[1]), [c] "=r"(t.r[2]), [d] "=r"(t.r[3])),                      \
                ([a] "r"(t.r[0]), [b] "r"(t.r[1]), [c] "r"(t.r[2]), [d] "r"(t.r[3])), __VA_ARGS__)
#define WARPLENS_GEOMETRY(G, geometry, place, ...)                                                             \
  WARPLENS_WIDTHS(G, geometry, place, cudaBoundaryModeZero, ".zero", __VA_ARGS__)                              \
  WARPLENS_WIDTHS(G, geometry, place, cudaBoundaryModeClamp, ".clamp", __VA_ARGS__)                            \
  WARPLENS_WIDTHS(G, geometry, place, cudaBoundaryModeTrap, ".trap", __VA_ARGS__)
WARPLENS_GEOMETRY(Line, "1d", "%[x]", [x] "r"(g.x))
WARPLENS_GEOMETRY(Plane, "2d", "%[x], %[y]", [x] "r"(g.x), [y] "r"(g.y))
WARPLENS_GEOMETRY(Solid, "3d", "%[x], %[y], %[z], %[z]", [x] "r"(g.x), [y] "r"(g.y), [z] "r"(g.z))
WARPLENS_GEOMETRY(LayeredLine, "a1d", "%[l], %[x]", [x] "r"(g.x), [l] "r"(g.layer))
WARPLENS_GEOMETRY(LayeredPlane, "a2d", "%[l], %[x], %[y], %[y]", [x] "r"(g.x), [y] "r"(g.y), [l] "r"(g.layer))
#undef WARPLENS_GEOMETRY
#undef WARPLENS_WIDTHS
#undef WARPLENS_MOVE
} // namespace warplens_cuda

#define WARPLENS_IN_MODE(move, G, place)                                                                       \
  warplens_cuda::G g = {{WARPLENS_STRIP place}};                                                               \
  if (mode == cudaBoundaryModeZero)                                                                            \
    warplens_cuda::move(texel, s, g, warplens_cuda::Boundary<cudaBoundaryModeZero>{});                         \
  else if (mode == cudaBoundaryModeClamp)                                                                      \
    warplens_cuda::move(texel, s, g, warplens_cuda::Boundary<cudaBoundaryModeClamp>{});                        \
  else                                                                                                         \
    warplens_cuda::move(texel, s, g, warplens_cuda::Boundary<cudaBoundaryModeTrap>{});
#define WARPLENS_SURF(name, G, place, given, ...)                                                              \
  template <class T>                                                                                           \
  static __device__ __forceinline__ void name##read(T* out, cudaSurfaceObject_t s, __VA_ARGS__,                \
                                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    warplens_cuda::Texel<sizeof(T)> texel;                                                                     \
    WARPLENS_IN_MODE(read, G, place)                                                             \
    __builtin_memcpy(out, &texel, sizeof(T));                                                                  \
  }                                                                                                            \
  template <class T>                                                                                           \
  static __device__ __forceinline__ T name##read(cudaSurfaceObject_t s, __VA_ARGS__,                           \
                                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
    T result;                                                                                                  \
    name##read(&result, s, WARPLENS_STRIP given, mode);                                                        \
    return result;                                                                                             \
  }                                                                                                            \
  template <class T>                                                                                           \
  static __device__ __forceinline__ void name##write(T value, cudaSurfaceObject_t s, __VA_ARGS__,              \
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    warplens_cuda::Texel<sizeof(T)> texel = {};                                                                \
    __builtin_memcpy(&texel, &value, sizeof(T));                                                               \
    WARPLENS_IN_MODE(write, G, place)                                                            \
  }
WARPLENS_SURF(surf1D, Line, (x, 0, 0, 0), (x), int x)
WARPLENS_SURF(surf2D, Plane, (x, y, 0, 0), (x, y), int x, int y)
WARPLENS_SURF(surf3D, Solid, (x, y, z, 0), (x, y, z), int x, int y, int z)
WARPLENS_SURF(surf1DLayered, LayeredLine, (x, 0, 0, layer), (x, layer), int x, int layer)
WARPLENS_SURF(surf2DLayered, LayeredPlane, (x, y, 0, layer), (x, y, layer), int x, int y, int layer)
WARPLENS_SURF(surfCubemap, LayeredPlane, (x, y, 0, face), (x, y, face), int x, int y, int face)
WARPLENS_SURF(surfCubemapLayered, LayeredPlane, (x, y, 0, layer_and_face), (x, y, layer_and_face), int x, int y, int layer_and_face)
#undef WARPLENS_SURF
#undef WARPLENS_IN_MODE
#undef WARPLENS_STRIP
