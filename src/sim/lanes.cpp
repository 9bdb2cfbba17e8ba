#include "sim/lanes.h"

#define WARPLENS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))

namespace warplens::sim::lanes {
namespace {

template <class T>
[[gnu::always_inline]] inline void affine(T* __restrict out, u32 lanes, u64 base, const i64* stride, Coordinates at) {
  T sx = static_cast<T>(stride[0]), sy = static_cast<T>(stride[1]), sz = static_cast<T>(stride[2]), b = static_cast<T>(base);
  for (u32 i = 0; i < lanes; ++i)
    out[i] = static_cast<T>(b + sx * static_cast<T>(at.x[i]) + sy * static_cast<T>(at.y[i]) + sz * static_cast<T>(at.z[i]));
}

template <class T> [[gnu::always_inline]] inline void ramp(T* __restrict out, u32 lanes, u64 base, i64 stride) {
  T s = static_cast<T>(stride), b = static_cast<T>(base);
  for (u32 i = 0; i < lanes; ++i) out[i] = static_cast<T>(b + s * static_cast<T>(i));
}

template <class T> [[gnu::always_inline]] inline void fill(T* __restrict out, u32 lanes, T value) {
  for (u32 i = 0; i < lanes; ++i) out[i] = value;
}

template <class T>
[[gnu::always_inline]] inline void merge(T* __restrict into, const T* __restrict from, const u32* __restrict masks, u32 lanes) {
  for (u32 w = 0; w < lanes / 32; ++w) {
    u32 mask = masks[w];
    if (mask == 0) continue;
    T* o = into + w * 32;
    const T* f = from + w * 32;
    if (mask == ~u32{0})
      for (u32 i = 0; i < 32; ++i) o[i] = f[i];
    else
      for (u32 i = 0; i < 32; ++i) o[i] = (mask >> i & 1) ? f[i] : o[i];
  }
}

template <class Out, class In> [[gnu::always_inline]] inline void convert(void* out, const void* in, u32 lanes) {
  Out* __restrict o = static_cast<Out*>(out);
  const In* __restrict f = static_cast<const In*>(in);
  for (u32 i = 0; i < lanes; ++i) o[i] = static_cast<Out>(f[i]);
}

} // namespace

WARPLENS_CLONES void affine16(u16* out, u32 lanes, u64 base, const i64* stride, Coordinates at) { affine(out, lanes, base, stride, at); }
WARPLENS_CLONES void affine32(u32* out, u32 lanes, u64 base, const i64* stride, Coordinates at) { affine(out, lanes, base, stride, at); }
WARPLENS_CLONES void affine64(u64* out, u32 lanes, u64 base, const i64* stride, Coordinates at) { affine(out, lanes, base, stride, at); }
WARPLENS_CLONES void ramp32(u32* out, u32 lanes, u64 base, i64 stride) { ramp(out, lanes, base, stride); }
WARPLENS_CLONES void ramp64(u64* out, u32 lanes, u64 base, i64 stride) { ramp(out, lanes, base, stride); }
WARPLENS_CLONES void fill16(u16* out, u32 lanes, u16 value) { fill(out, lanes, value); }
WARPLENS_CLONES void fill32(u32* out, u32 lanes, u32 value) { fill(out, lanes, value); }
WARPLENS_CLONES void fill64(u64* out, u32 lanes, u64 value) { fill(out, lanes, value); }
WARPLENS_CLONES void merge16(u16* into, const u16* from, const u32* masks, u32 lanes) { merge(into, from, masks, lanes); }
WARPLENS_CLONES void merge32(u32* into, const u32* from, const u32* masks, u32 lanes) { merge(into, from, masks, lanes); }
WARPLENS_CLONES void merge64(u64* into, const u64* from, const u32* masks, u32 lanes) { merge(into, from, masks, lanes); }

WARPLENS_CLONES void resize(void* out, u32 out_bits, const void* in, u32 in_bits, bool sign, u32 lanes) {
  if (out_bits == 16) return in_bits == 32 ? convert<u16, u32>(out, in, lanes) : in_bits == 64 ? convert<u16, u64>(out, in, lanes) : convert<u16, u16>(out, in, lanes);
  if (out_bits == 32) {
    if (in_bits == 16) return sign ? convert<i32, i16>(out, in, lanes) : convert<u32, u16>(out, in, lanes);
    return in_bits == 64 ? convert<u32, u64>(out, in, lanes) : convert<u32, u32>(out, in, lanes);
  }
  if (in_bits == 16) return sign ? convert<i64, i16>(out, in, lanes) : convert<u64, u16>(out, in, lanes);
  if (in_bits == 32) return sign ? convert<i64, i32>(out, in, lanes) : convert<u64, u32>(out, in, lanes);
  convert<u64, u64>(out, in, lanes);
}

WARPLENS_CLONES void addresses(u64* out, const void* in, u32 in_bits, i64 offset, u32 lanes) {
  u64* __restrict o = out;
  if (in_bits == 32) {
    const u32* __restrict f = static_cast<const u32*>(in);
    for (u32 i = 0; i < lanes; ++i) o[i] = static_cast<u64>(f[i]) + static_cast<u64>(offset);
  } else {
    const u64* __restrict f = static_cast<const u64*>(in);
    for (u32 i = 0; i < lanes; ++i) o[i] = f[i] + static_cast<u64>(offset);
  }
}

WARPLENS_CLONES Extremes extremes(const u64* address, const u32* masks, u32 lanes) {
  u64 lowest = ~u64{0}, highest = 0, bits = 0;
  for (u32 w = 0; w < lanes / 32; ++w) {
    u32 mask = masks[w];
    if (mask == 0) continue;
    const u64* a = address + w * 32;
    if (mask == ~u32{0}) {
      for (u32 i = 0; i < 32; ++i) {
        lowest = a[i] < lowest ? a[i] : lowest;
        highest = a[i] > highest ? a[i] : highest;
        bits |= a[i];
      }
    } else {
      for (u32 i = 0; i < 32; ++i) {
        u64 on = -static_cast<u64>(mask >> i & 1);
        u64 low = a[i] | ~on, high = a[i] & on;
        lowest = low < lowest ? low : lowest;
        highest = high > highest ? high : highest;
        bits |= high;
      }
    }
  }
  return {lowest, highest, bits};
}

} // namespace warplens::sim::lanes
