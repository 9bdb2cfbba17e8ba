// The loops of lane_memory.h. AVX-512 has masks in the instructions; elsewhere lanes are taken one by one
// where a mask has holes.
#include "sim/kernels/target/lanes.h"
#include <limits>

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

constexpr u32 full = 0xffffffffu, width = 32;

#ifdef __AVX512F__

struct Sums {
  __m512i low = _mm512_set1_epi64(-1), high = _mm512_setzero_si512(), bits = _mm512_setzero_si512();
  [[gnu::always_inline]] void add(__m512i address, __mmask8 mask) {
    low = _mm512_mask_min_epu64(low, mask, low, address);
    high = _mm512_mask_max_epu64(high, mask, high, address);
    bits = _mm512_mask_or_epi64(bits, mask, bits, address);
  }
  [[gnu::always_inline]] Extremes total() const {
    return {_mm512_reduce_min_epu64(low), _mm512_reduce_max_epu64(high),
            static_cast<u64>(_mm512_reduce_or_epi64(bits))};
  }
};

[[gnu::always_inline]] inline __mmask8 part(u32 mask, u32 lane) {
  return static_cast<__mmask8>(mask >> lane);
}

Extremes addresses32(u64* address, const u32* registers, u32 offset, const u32* masks, u32 warps) {
  Sums sums;
  __m256i by = _mm256_set1_epi32(static_cast<int>(offset));
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = w * width; i < (w + 1) * width; i += 8) {
      __m256i narrow =
          _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(registers + i)), by);
      __m512i wide = _mm512_cvtepu32_epi64(narrow);
      _mm512_storeu_si512(address + i, wide);
      sums.add(wide, part(masks[w], i % width));
    }
  }
  return sums.total();
}

Extremes addresses64(u64* address, const u64* registers, u64 offset, const u32* masks, u32 warps) {
  Sums sums;
  __m512i by = _mm512_set1_epi64(static_cast<i64>(offset));
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = w * width; i < (w + 1) * width; i += 8) {
      __m512i sum = _mm512_add_epi64(_mm512_loadu_si512(registers + i), by);
      _mm512_storeu_si512(address + i, sum);
      sums.add(sum, part(masks[w], i % width));
    }
  }
  return sums.total();
}

Extremes extremes(const u64* address, const u32* masks, u32 warps) {
  Sums sums;
  for (u32 w = 0; w < warps; ++w)
    if (masks[w] != 0)
      for (u32 i = 0; i < width; i += 8)
        sums.add(_mm512_loadu_si512(address + w * width + i), part(masks[w], i));
  return sums.total();
}

void gather32(u32* out, u64 base, const u64* address, const u32* masks, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = w * width; i < (w + 1) * width; i += 8) {
      __mmask8 mask = part(masks[w], i % width);
      if (mask == 0) continue;
      __m256i* to = reinterpret_cast<__m256i*>(out + i);
      _mm256_storeu_si256(to, _mm512_mask_i64gather_epi32(_mm256_loadu_si256(to), mask,
                                                          _mm512_loadu_si512(address + i),
                                                          reinterpret_cast<const void*>(base), 1));
    }
  }
}

void gather64(u64* out, u64 base, const u64* address, const u32* masks, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = w * width; i < (w + 1) * width; i += 8) {
      __mmask8 mask = part(masks[w], i % width);
      if (mask == 0) continue;
      _mm512_storeu_si512(out + i, _mm512_mask_i64gather_epi64(_mm512_loadu_si512(out + i), mask,
                                                               _mm512_loadu_si512(address + i),
                                                               reinterpret_cast<const void*>(base), 1));
    }
  }
}

u32 list(u16* out, const u32* masks, u32 first, u32 end) {
  __m512i down = _mm512_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16),
          bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), down);
  u32 count = 0;
  // Sixteen lanes from the last one down, in the mask's upper half.
  auto half = [&](u32 mask, u32 last) __attribute__((always_inline)) {
    __mmask16 on = _mm512_test_epi32_mask(_mm512_set1_epi32(static_cast<int>(mask)), bit);
    __m512i lanes = _mm512_add_epi32(down, _mm512_set1_epi32(static_cast<int>(last) - 31));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + count),
                        _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(on, lanes)));
    count += static_cast<u32>(__builtin_popcount(on));
  };
  for (u32 w = first; w < end; ++w) {
    half(masks[w], w * width + 31);
    half(masks[w] << 16, w * width + 15);
  }
  return count;
}

#else

u32 list(u16* out, const u32* masks, u32 first, u32 end) {
  u32 count = 0;
  for (u32 w = first; w < end; ++w)
    for (u32 rest = masks[w]; rest != 0;) {
      u32 lane = 31 - static_cast<u32>(__builtin_clz(rest));
      rest ^= 1u << lane;
      out[count++] = static_cast<u16>(w * width + lane);
    }
  return count;
}

#ifdef __AVX2__

// Four lanes side by side; numbers without a sign are compared with their highest bit turned over.
struct Sums {
  using Four [[gnu::vector_size(32)]] = i64;
  static constexpr i64 sign = std::numeric_limits<i64>::min();
  Four low = Four{} + ~sign, high = Four{} + sign, bits = {};
  [[gnu::always_inline]] void add(Four address) {
    const Four x = address ^ sign;
    low = x < low ? x : low;
    high = x > high ? x : high;
    bits |= address;
  }
  [[gnu::always_inline]] void add(Four address, u32 mask) {
    constexpr Four bit{1, 2, 4, 8};
    const Four on = ((Four{} + static_cast<i64>(mask)) & bit) == bit, x = address ^ sign;
    const Four lower = on ? x : low, higher = on ? x : high;
    low = lower < low ? lower : low;
    high = higher > high ? higher : high;
    bits |= address & on;
  }
  [[gnu::always_inline]] Extremes total() const {
    Extremes out;
    for (u32 i = 0; i < 4; ++i) {
      const u64 least = static_cast<u64>(low[i] ^ sign), most = static_cast<u64>(high[i] ^ sign);
      out.lowest = least < out.lowest ? least : out.lowest;
      out.highest = most > out.highest ? most : out.highest;
      out.bits |= static_cast<u64>(bits[i]);
    }
    return out;
  }
};

// `next(i)`: the addresses of lanes i to i + 3, of warps with an active one.
template <class Next> [[gnu::always_inline]] inline Extremes sum_up(const u32* masks, u32 warps, Next next) {
  Sums sums;
  for (u32 w = 0; w < warps; ++w) {
    const u32 mask = masks[w];
    if (mask == full)
      for (u32 i = 0; i < width; i += 4) sums.add(next(w * width + i));
    else if (mask != 0)
      for (u32 i = 0; i < width; i += 4) sums.add(next(w * width + i), mask >> i);
  }
  return sums.total();
}

[[gnu::always_inline]] inline Sums::Four four_at(const u64* address) {
  Sums::Four out;
  __builtin_memcpy(&out, address, sizeof out);
  return out;
}

Extremes extremes(const u64* address, const u32* masks, u32 warps) {
  return sum_up(masks, warps, [&](u32 i) { return four_at(address + i); });
}

Extremes addresses32(u64* address, const u32* registers, u32 offset, const u32* masks, u32 warps) {
  return sum_up(
      masks, warps, [&](u32 i) __attribute__((always_inline)) {
        Sums::Four out;
        for (u32 lane = 0; lane < 4; ++lane) out[lane] = static_cast<i64>(u64{registers[i + lane] + offset});
        __builtin_memcpy(address + i, &out, sizeof out);
        return out;
      });
}

Extremes addresses64(u64* address, const u64* registers, u64 offset, const u32* masks, u32 warps) {
  return sum_up(
      masks, warps, [&](u32 i) __attribute__((always_inline)) {
        const Sums::Four out = four_at(registers + i) + static_cast<i64>(offset);
        __builtin_memcpy(address + i, &out, sizeof out);
        return out;
      });
}

#else

[[gnu::always_inline]] inline void include(Extremes& sums, u64 address, u32 active) {
  u64 on = -static_cast<u64>(active & 1), low = address | ~on, high = address & on;
  sums.lowest = low < sums.lowest ? low : sums.lowest;
  sums.highest = high > sums.highest ? high : sums.highest;
  sums.bits |= high;
}

Extremes extremes(const u64* address, const u32* masks, u32 warps) {
  Extremes sums;
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = 0; i < width; ++i) include(sums, address[w * width + i], masks[w] >> i);
  }
  return sums;
}

Extremes addresses32(u64* address, const u32* registers, u32 offset, const u32* masks, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = w * width; i < (w + 1) * width; ++i) address[i] = registers[i] + offset;
  }
  return extremes(address, masks, warps);
}

Extremes addresses64(u64* address, const u64* registers, u64 offset, const u32* masks, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    if (masks[w] == 0) continue;
    for (u32 i = w * width; i < (w + 1) * width; ++i) address[i] = registers[i] + offset;
  }
  return extremes(address, masks, warps);
}

#endif

template <class T>
[[gnu::always_inline]] inline void gather(T* out, u64 base, const u64* address, const u32* masks, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    const u64* a = address + w * width;
    T* to = out + w * width;
    if (masks[w] == full)
      for (u32 i = 0; i < width; ++i)
        __builtin_memcpy(to + i, reinterpret_cast<const void*>(base + a[i]), sizeof(T));
    else
      for (u32 rest = masks[w]; rest != 0; rest &= rest - 1) {
        u32 i = static_cast<u32>(__builtin_ctz(rest));
        __builtin_memcpy(to + i, reinterpret_cast<const void*>(base + a[i]), sizeof(T));
      }
  }
}

void gather32(u32* out, u64 base, const u64* address, const u32* masks, u32 warps) {
  gather(out, base, address, masks, warps);
}

void gather64(u64* out, u64 base, const u64* address, const u32* masks, u32 warps) {
  gather(out, base, address, masks, warps);
}

#endif

constexpr LaneMemory functions{addresses32, addresses64, extremes, gather32, gather64, list};

} // namespace

const LaneMemory& lane_memory() { return functions; }

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
