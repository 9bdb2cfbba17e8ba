// One loop per operation, written as a template and compiled per instruction set by target_clones.
#include "sim/lanes.h"
#include <type_traits>

#define WARPLENS_CLONES                                                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))

namespace warplens::sim::lanes {
namespace {

template <class T>
[[gnu::always_inline]] inline void affine(T* __restrict out, u32 lanes, u64 base, const i64* stride,
                                          Coordinates at) {
  T sx = static_cast<T>(stride[0]), sy = static_cast<T>(stride[1]), sz = static_cast<T>(stride[2]),
    sc = static_cast<T>(stride[3]), b = static_cast<T>(base);
  for (u32 i = 0; i < lanes; ++i)
    out[i] = static_cast<T>(b + sx * static_cast<T>(at.x[i]) + sy * static_cast<T>(at.y[i]) +
                            sz * static_cast<T>(at.z[i]) + sc * static_cast<T>(at.cta[i]));
}

template <class T>
[[gnu::always_inline]] inline void ramp(T* __restrict out, u32 lanes, u64 base, i64 stride) {
  T s = static_cast<T>(stride), b = static_cast<T>(base);
  for (u32 i = 0; i < lanes; ++i) out[i] = static_cast<T>(b + s * static_cast<T>(i));
}

template <class T> [[gnu::always_inline]] inline void fill(T* __restrict out, u32 lanes, T value) {
  for (u32 i = 0; i < lanes; ++i) out[i] = value;
}

template <class T>
[[gnu::always_inline]] inline void merge(T* __restrict into, const T* __restrict from,
                                         const u32* __restrict masks, u32 lanes) {
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

template <class Out, class In>
[[gnu::always_inline]] inline void convert(void* out, const void* in, u32 lanes) {
  Out* __restrict o = static_cast<Out*>(out);
  const In* __restrict f = static_cast<const In*>(in);
  for (u32 i = 0; i < lanes; ++i) o[i] = static_cast<Out>(f[i]);
}

// The axes of an access, merged where one goes on as the one before it did: rows that follow each other in
// memory are one long row.
struct Rows {
  u32 length[4];
  i64 stride[4];
};
[[gnu::always_inline]] inline Rows rows_of(const u32* extent, const i64* stride) {
  Rows r{{extent[0], 1, 1, 1}, {stride[0], 0, 0, 0}};
  u32 last = 0;
  for (u32 d = 1; d < 4; ++d) {
    if (extent[d] == 1) continue;
    if (r.length[last] == 1) {
      r.length[last] = extent[d];
      r.stride[last] = stride[d];
    } else if (stride[d] == r.stride[last] * static_cast<i64>(r.length[last])) {
      r.length[last] *= extent[d];
    } else {
      r.length[++last] = extent[d];
      r.stride[last] = stride[d];
    }
  }
  return r;
}

template <class T> [[gnu::always_inline]] inline T load(const std::byte* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

// What is done with a row. Lengths are types: for the widths that blocks usually have they are constants, and
// a loop of 16 known steps is one instruction, one of 16 unknown steps is twenty.
template <class T> struct FromMemory { // neighbours lie together
  T* out;
  const std::byte* base;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    const std::byte* __restrict from = base + offset;
    T* __restrict to = out + lane;
    for (u64 i = 0; i < length; ++i) to[i] = load<T>(from + i * sizeof(T));
  }
};
template <class T> struct OneForAll {
  T* out;
  const std::byte* base;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    T value = load<T>(base + offset);
    T* __restrict to = out + lane;
    for (u64 i = 0; i < length; ++i) to[i] = value;
  }
};
template <class T> struct ToMemory {
  const T* in;
  std::byte* base;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    std::byte* __restrict to = base + offset;
    const T* __restrict from = in + lane;
    for (u64 i = 0; i < length; ++i) __builtin_memcpy(to + i * sizeof(T), from + i, sizeof(T));
  }
};
template <class T> struct FromSteps {
  T* out;
  const std::byte* base;
  i64 step;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    const std::byte* from = base + offset;
    for (u64 i = 0; i < length; ++i) out[lane + i] = load<T>(from + step * static_cast<i64>(i));
  }
};
template <class T> struct ToSteps {
  const T* in;
  std::byte* base;
  i64 step;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    std::byte* to = base + offset;
    for (u64 i = 0; i < length; ++i)
      __builtin_memcpy(to + step * static_cast<i64>(i), in + lane + i, sizeof(T));
  }
};
template <class N, class Action>
[[gnu::always_inline]] inline void rows(const Rows& r, N length, Action action) {
  u64 lane = 0;
  for (u32 c = 0; c < r.length[3]; ++c)
    for (u32 z = 0; z < r.length[2]; ++z)
      for (u32 y = 0; y < r.length[1]; ++y, lane += length)
        action.row(length, r.stride[3] * c + r.stride[2] * z + r.stride[1] * y, lane);
}
template <class Action> [[gnu::always_inline]] inline void rows(const Rows& r, Action action) {
  switch (r.length[0]) {
  case 8: return rows(r, std::integral_constant<u64, 8>(), action);
  case 16: return rows(r, std::integral_constant<u64, 16>(), action);
  case 32: return rows(r, std::integral_constant<u64, 32>(), action);
  default: return rows(r, u64{r.length[0]}, action);
  }
}

// Columns: neighbours along the second axis lie together, so whole lines are moved while they are at hand.
// Calls f(address offset, lane) for each column's beginning.
[[gnu::always_inline]] inline bool by_columns(const Rows& r, u64 element) {
  return r.stride[1] == static_cast<i64>(element) && r.length[0] <= 64;
}
template <class F> [[gnu::always_inline]] inline void each_column(const Rows& r, F f) {
  u64 lane = 0;
  for (u32 c = 0; c < r.length[3]; ++c)
    for (u32 z = 0; z < r.length[2]; ++z, lane += u64{r.length[0]} * r.length[1])
      for (u32 x = 0; x < r.length[0]; ++x) f(r.stride[3] * c + r.stride[2] * z + r.stride[0] * x, lane + x);
}

template <class T>
[[gnu::always_inline]] inline void load_rows(T* out, const u32* extent, const std::byte* base,
                                             const i64* stride) {
  Rows r = rows_of(extent, stride);
  if (r.stride[0] == sizeof(T)) return rows(r, FromMemory<T>{out, base});
  if (r.stride[0] == 0) return rows(r, OneForAll<T>{out, base});
  if (!by_columns(r, sizeof(T))) return rows(r, FromSteps<T>{out, base, r.stride[0]});
  u64 length = r.length[0], columns = r.length[1];
  each_column(r, [=](i64 offset, u64 lane) {
    for (u64 y = 0; y < columns; ++y) out[lane + y * length] = load<T>(base + offset + y * sizeof(T));
  });
}

template <class T>
[[gnu::always_inline]] inline void store_rows(std::byte* base, const u32* extent, const i64* stride,
                                              const T* in) {
  Rows r = rows_of(extent, stride);
  if (r.stride[0] == sizeof(T)) return rows(r, ToMemory<T>{in, base});
  if (!by_columns(r, sizeof(T))) return rows(r, ToSteps<T>{in, base, r.stride[0]});
  u64 length = r.length[0], columns = r.length[1];
  each_column(r, [=](i64 offset, u64 lane) {
    for (u64 y = 0; y < columns; ++y)
      __builtin_memcpy(base + offset + y * sizeof(T), in + lane + y * length, sizeof(T));
  });
}

} // namespace

WARPLENS_CLONES MaskSummary summarise(const u32* mask, const u32* of, u32 warps) {
  MaskSummary out{warps, 0, 0, 0, true};
  u32 missing = 0;
  for (u32 w = 0; w < warps; ++w) {
    u32 m = mask[w];
    missing |= m ^ of[w];
    if (m == 0) continue;
    if (out.first_warp > w) out.first_warp = w;
    out.end_warp = w + 1;
    ++out.warps;
    out.lanes += static_cast<u32>(__builtin_popcount(m));
  }
  out.all = missing == 0;
  return out;
}

WARPLENS_CLONES void load_rows32(u32* out, const u32* extent, const std::byte* base, const i64* stride) {
  load_rows(out, extent, base, stride);
}
WARPLENS_CLONES void load_rows64(u64* out, const u32* extent, const std::byte* base, const i64* stride) {
  load_rows(out, extent, base, stride);
}
WARPLENS_CLONES void store_rows32(std::byte* base, const u32* extent, const i64* stride, const u32* in) {
  store_rows(base, extent, stride, in);
}
WARPLENS_CLONES void store_rows64(std::byte* base, const u32* extent, const i64* stride, const u64* in) {
  store_rows(base, extent, stride, in);
}
WARPLENS_CLONES void affine16(u16* out, u32 lanes, u64 base, const i64* stride, Coordinates at) {
  affine(out, lanes, base, stride, at);
}
WARPLENS_CLONES void affine32(u32* out, u32 lanes, u64 base, const i64* stride, Coordinates at) {
  affine(out, lanes, base, stride, at);
}
WARPLENS_CLONES void affine64(u64* out, u32 lanes, u64 base, const i64* stride, Coordinates at) {
  affine(out, lanes, base, stride, at);
}
WARPLENS_CLONES void ramp32(u32* out, u32 lanes, u64 base, i64 stride) { ramp(out, lanes, base, stride); }
WARPLENS_CLONES void ramp64(u64* out, u32 lanes, u64 base, i64 stride) { ramp(out, lanes, base, stride); }
WARPLENS_CLONES void fill16(u16* out, u32 lanes, u16 value) { fill(out, lanes, value); }
WARPLENS_CLONES void fill32(u32* out, u32 lanes, u32 value) { fill(out, lanes, value); }
WARPLENS_CLONES void fill64(u64* out, u32 lanes, u64 value) { fill(out, lanes, value); }
WARPLENS_CLONES void merge16(u16* into, const u16* from, const u32* masks, u32 lanes) {
  merge(into, from, masks, lanes);
}
WARPLENS_CLONES void merge32(u32* into, const u32* from, const u32* masks, u32 lanes) {
  merge(into, from, masks, lanes);
}
WARPLENS_CLONES void merge64(u64* into, const u64* from, const u32* masks, u32 lanes) {
  merge(into, from, masks, lanes);
}

WARPLENS_CLONES void resize(void* out, u32 out_bits, const void* in, u32 in_bits, bool sign, u32 lanes) {
  if (out_bits == 16)
    return in_bits == 32   ? convert<u16, u32>(out, in, lanes)
           : in_bits == 64 ? convert<u16, u64>(out, in, lanes)
                           : convert<u16, u16>(out, in, lanes);
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
    for (u32 i = 0; i < lanes; ++i)
      o[i] = f[i] + static_cast<u32>(offset); // addresses of 32 bits wrap at 32 bits
  } else {
    const u64* __restrict f = static_cast<const u64*>(in);
    for (u32 i = 0; i < lanes; ++i) o[i] = f[i] + static_cast<u64>(offset);
  }
}

WARPLENS_CLONES void spread(u64* out, const u64* in, u64 step, u32 first, u32 lanes) {
  for (u32 i = 0; i < lanes; ++i) out[i] = in[i] + step * (u64{first} + i);
}

} // namespace warplens::sim::lanes
