// The operations of sim/value/lanes.h, one loop each, written as templates.
//
// Most of it moves rows of lanes (rows.h) between registers and memory. How a row is walked depends on its
// stride: neighbours are copied, the closest rows of memory first; one value is spread over the row; where
// the next axis lies together in memory, whole lines of that are moved while they are at hand; else lane by
// lane.
#include "sim/value/rows.h"
#include "sim/kernels/lane_operations.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using lanes::Coordinates;
using lanes::MaskSummary;

// A number that the compiler knows. Not the standard's, whose functions are inline and of no target (request.h).
template <class T, T number> struct Constant {
  [[gnu::always_inline]] constexpr operator T() const { return number; }
};

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

// A number in memory that need not be aligned for the host, of whatever type.
template <class T> struct UnalignedNumber;
template <> struct UnalignedNumber<u32> { using type [[gnu::aligned(1), gnu::may_alias]] = u32; };
template <> struct UnalignedNumber<u64> { using type [[gnu::aligned(1), gnu::may_alias]] = u64; };
template <class T> using Unaligned = typename UnalignedNumber<T>::type;

// Host addresses are numbers until bytes are moved: those of lanes that do not take part may be anything.
[[gnu::always_inline]] inline std::byte* pointer(u64 address) {
  return reinterpret_cast<std::byte*>(address);
}

template <class T> [[gnu::always_inline]] inline T load(u64 at) {
  T value;
  __builtin_memcpy(&value, pointer(at), sizeof value);
  return value;
}

// What is done with a row. Lengths are types: for the widths that blocks usually have they are constants, and
// a loop of 16 known steps is one instruction, one of 16 unknown steps is twenty.
template <class T> struct FromMemory { // neighbours lie together
  T* out;
  u64 base;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    __builtin_memcpy(out + lane, pointer(base + static_cast<u64>(offset)), length * sizeof(T));
  }
};
template <class T> struct OneForAll {
  T* out;
  u64 base;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    T value = load<T>(base + static_cast<u64>(offset));
    T* __restrict to = out + lane;
    for (u64 i = 0; i < length; ++i) to[i] = value;
  }
};
template <class T> struct ToMemory {
  const T* in;
  u64 base;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    __builtin_memcpy(pointer(base + static_cast<u64>(offset)), in + lane, length * sizeof(T));
  }
};
template <class T> struct FromSteps {
  T* out;
  u64 base;
  i64 step;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    u64 from = base + static_cast<u64>(offset);
    if (step == 2 * sizeof(T)) return members(length, from, Constant<u64, 2>(), lane);
    if (step == 4 * sizeof(T)) return members(length, from, Constant<u64, 4>(), lane);
    for (u64 i = 0; i < length; ++i) out[lane + i] = load<T>(from + static_cast<u64>(step) * i);
  }
  // Of structures of so many T: of a known step the compiler makes whole loads and shuffles.
  template <class N, class Apart>
  [[gnu::always_inline]] void members(N length, u64 from, Apart apart, u64 lane) const {
    const auto* __restrict in = reinterpret_cast<const Unaligned<T>*>(pointer(from));
    T* __restrict to = out + lane;
    for (u64 i = 0; i < length; ++i) to[i] = in[i * apart];
  }
};
template <class T> struct ToSteps {
  const T* in;
  u64 base;
  i64 step;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    u64 to = base + static_cast<u64>(offset);
    for (u64 i = 0; i < length; ++i)
      __builtin_memcpy(pointer(to + static_cast<u64>(step) * i), in + lane + i, sizeof(T));
  }
};
template <class T> struct ToClosed { // base + step·lane
  T* out;
  T base, step;
  template <class N> [[gnu::always_inline]] void row(N length, i64 offset, u64 lane) const {
    T first = static_cast<T>(base + static_cast<T>(offset));
    T* __restrict to = out + lane;
    for (u64 i = 0; i < length; ++i) to[i] = static_cast<T>(first + step * static_cast<T>(i));
  }
};
template <class N, class Action>
[[gnu::always_inline]] inline void rows(const Rows& r, N length, Action action) {
  each_row(
      r, [=](i64 offset, u64 lane) __attribute__((always_inline)) { action.row(length, offset, lane); });
}
template <class Action> [[gnu::always_inline]] inline void rows(const Rows& r, Action action) {
  switch (r.length[0]) {
  case 8: return rows(r, Constant<u64, 8>(), action);
  case 16: return rows(r, Constant<u64, 16>(), action);
  case 32: return rows(r, Constant<u64, 32>(), action);
  default: return rows(r, u64{r.length[0]}, action);
  }
}

// Short rows one lane at a time, by their coordinates; longer ones as rows.
template <class T>
[[gnu::always_inline]] inline void affine(T* __restrict out, u32 lanes, u64 base, const i64* stride,
                                          Coordinates at, const u32* extent) {
  T b = static_cast<T>(base);
  Rows r = rows_of(extent, stride);
  if (r.length[0] >= 8) {
    rows(r, ToClosed<T>{out, b, static_cast<T>(r.stride[0])});
    for (u32 i = extent[0] * extent[1] * extent[2] * extent[3]; i < lanes; ++i) out[i] = b;
    return;
  }
  T sx = static_cast<T>(stride[0]), sy = static_cast<T>(stride[1]), sz = static_cast<T>(stride[2]),
    sc = static_cast<T>(stride[3]);
  for (u32 i = 0; i < lanes; ++i)
    out[i] = static_cast<T>(b + sx * static_cast<T>(at.x[i]) + sy * static_cast<T>(at.y[i]) +
                            sz * static_cast<T>(at.z[i]) + sc * static_cast<T>(at.cta[i]));
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
[[gnu::always_inline]] inline void load_rows(T* out, const u32* extent, u64 base, const i64* stride) {
  Rows r = rows_of(extent, stride);
  if (r.stride[0] == sizeof(T)) {
    sort_rows(r);
    return rows(r, FromMemory<T>{out, base});
  }
  if (r.stride[0] == 0) return rows(r, OneForAll<T>{out, base});
  if (!by_columns(r, sizeof(T))) return rows(r, FromSteps<T>{out, base, r.stride[0]});
  u64 length = r.length[0], columns = r.length[1];
  each_column(r, [=](i64 offset, u64 lane) {
    for (u64 y = 0; y < columns; ++y)
      out[lane + y * length] = load<T>(base + static_cast<u64>(offset) + y * sizeof(T));
  });
}

template <class T>
[[gnu::always_inline]] inline void store_rows(u64 base, const u32* extent, const i64* stride, const T* in) {
  Rows r = rows_of(extent, stride);
  if (r.stride[0] == sizeof(T)) {
    sort_rows(r);
    return rows(r, ToMemory<T>{in, base});
  }
  if (!by_columns(r, sizeof(T))) return rows(r, ToSteps<T>{in, base, r.stride[0]});
  u64 length = r.length[0], columns = r.length[1];
  each_column(r, [=](i64 offset, u64 lane) {
    for (u64 y = 0; y < columns; ++y)
      __builtin_memcpy(pointer(base + static_cast<u64>(offset) + y * sizeof(T)), in + lane + y * length,
                       sizeof(T));
  });
}

// The lanes of a mask, from and to memory. A masked vector instruction where there are such.
template <class N, class T>
[[gnu::always_inline]] inline void load_segments(const Rows& r, N lanes, T* out, u64 base, const u32* masks) {
  each_segment(
      r, lanes, masks, [=](i64 offset, u64 lane, u32 mask) __attribute__((always_inline)) {
        T* to = out + lane;
        if (mask == low_lanes(lanes))
          return void(__builtin_memcpy(to, pointer(base + static_cast<u64>(offset)), lanes * sizeof(T)));
        const Unaligned<T>* from = reinterpret_cast<const Unaligned<T>*>(base + static_cast<u64>(offset));
        for (u32 i = 0; i < lanes; ++i)
          if (mask >> i & 1) to[i] = from[i];
      });
}
template <class N, class T>
[[gnu::always_inline]] inline void store_segments(const Rows& r, N lanes, u64 base, const u32* masks,
                                                  const T* in) {
  each_segment(
      r, lanes, masks, [=](i64 offset, u64 lane, u32 mask) __attribute__((always_inline)) {
        const T* from = in + lane;
        if (mask == low_lanes(lanes))
          return void(__builtin_memcpy(pointer(base + static_cast<u64>(offset)), from, lanes * sizeof(T)));
        Unaligned<T>* to = reinterpret_cast<Unaligned<T>*>(base + static_cast<u64>(offset));
        for (u32 i = 0; i < lanes; ++i)
          if (mask >> i & 1) to[i] = from[i];
      });
}
template <class F> [[gnu::always_inline]] inline void with_segment(const Rows& r, F f) {
  switch (segment_of(r)) {
  case 32: return f(Constant<u32, 32>());
  case 16: return f(Constant<u32, 16>());
  default: return f(Constant<u32, 8>());
  }
}
template <class T>
[[gnu::always_inline]] inline void load_some(T* out, const Rows& r, u64 base, const u32* masks) {
  with_segment(
      r, [&](auto lanes) __attribute__((always_inline)) { load_segments(r, lanes, out, base, masks); });
}
template <class T>
[[gnu::always_inline]] inline void store_some(u64 base, const Rows& r, const u32* masks, const T* in) {
  with_segment(
      r, [&](auto lanes) __attribute__((always_inline)) { store_segments(r, lanes, base, masks, in); });
}

MaskSummary summarise(const u32* mask, const u32* of, u32 warps) {
  MaskSummary out{0, warps, 0, 0, true};
  u32 missing = 0, w = 0;
  for (; w + 2 <= warps; w += 2) {
    u64 two = load<u64>(reinterpret_cast<u64>(mask + w)); // counting bits is not vectorised
    out.lanes += static_cast<u32>(__builtin_popcountll(two));
  }
  if (w < warps) out.lanes += static_cast<u32>(__builtin_popcount(mask[w]));
  for (w = 0; w < warps; ++w) {
    missing |= mask[w] ^ of[w];
    out.warps += mask[w] != 0;
  }
  out.all = missing == 0;
  if (out.warps == 0) return {warps, 0, 0, 0, out.all};
  while (mask[out.first_warp] == 0) ++out.first_warp;
  while (mask[out.end_warp - 1] == 0) --out.end_warp;
  return out;
}

void load_rows32(u32* out, const u32* extent, u64 base, const i64* stride) {
  load_rows(out, extent, base, stride);
}
void load_rows64(u64* out, const u32* extent, u64 base, const i64* stride) {
  load_rows(out, extent, base, stride);
}
void store_rows32(u64 base, const u32* extent, const i64* stride, const u32* in) {
  store_rows(base, extent, stride, in);
}
void store_rows64(u64 base, const u32* extent, const i64* stride, const u64* in) {
  store_rows(base, extent, stride, in);
}
void load_some32(u32* out, const Rows& r, u64 base, const u32* masks) { load_some(out, r, base, masks); }
void load_some64(u64* out, const Rows& r, u64 base, const u32* masks) { load_some(out, r, base, masks); }
void store_some32(u64 base, const Rows& r, const u32* masks, const u32* in) {
  store_some(base, r, masks, in);
}
void store_some64(u64 base, const Rows& r, const u32* masks, const u64* in) {
  store_some(base, r, masks, in);
}
void affine16(u16* out, u32 lanes, u64 base, const i64* stride, Coordinates at, const u32* extent) {
  affine(out, lanes, base, stride, at, extent);
}
void affine32(u32* out, u32 lanes, u64 base, const i64* stride, Coordinates at, const u32* extent) {
  affine(out, lanes, base, stride, at, extent);
}
void affine64(u64* out, u32 lanes, u64 base, const i64* stride, Coordinates at, const u32* extent) {
  affine(out, lanes, base, stride, at, extent);
}
void ramp32(u32* out, u32 lanes, u64 base, i64 stride) { ramp(out, lanes, base, stride); }
void ramp64(u64* out, u32 lanes, u64 base, i64 stride) { ramp(out, lanes, base, stride); }
void fill16(u16* out, u32 lanes, u16 value) { fill(out, lanes, value); }
void fill32(u32* out, u32 lanes, u32 value) { fill(out, lanes, value); }
void fill64(u64* out, u32 lanes, u64 value) { fill(out, lanes, value); }
void merge16(u16* into, const u16* from, const u32* masks, u32 lanes) { merge(into, from, masks, lanes); }
void merge32(u32* into, const u32* from, const u32* masks, u32 lanes) { merge(into, from, masks, lanes); }
void merge64(u64* into, const u64* from, const u32* masks, u32 lanes) { merge(into, from, masks, lanes); }

void resize(void* out, u32 out_bits, const void* in, u32 in_bits, bool sign, u32 lanes) {
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

void addresses(u64* out, const void* in, u32 in_bits, i64 offset, u32 lanes) {
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

void spread(u64* out, const u64* in, u64 step, u32 first, u32 lanes) {
  for (u32 i = 0; i < lanes; ++i) out[i] = in[i] + step * (u64{first} + i);
}

constexpr lanes::Operations operations{
#define LANE_OPERATION(result, name, parameters, arguments) name,
#include "sim/value/lanes.def"
#undef LANE_OPERATION
};

} // namespace

const lanes::Operations& lane_operations() { return operations; }

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
