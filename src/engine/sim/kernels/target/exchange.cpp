// The loops of lane_exchange.h between the lanes of a warp.
#include "sim/kernels/lane_exchange.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

constexpr u32 width = 32;

template <ShuffleMode mode>
void sources(u32* from, u32* inside, const u32* by, const u32* bounds, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    const u32 *b = by + w * width, *c = bounds + w * width;
    alignas(64) u32 out[width];
    alignas(32) u8 flags[width];
    for (u32 i = 0; i < width; ++i) {
      i32 lane = static_cast<i32>(i), step = static_cast<i32>(b[i] & 31), clamp = static_cast<i32>(c[i] & 31),
          segment = static_cast<i32>(c[i] >> 8 & 31);
      i32 lowest = lane & segment, highest = lowest | (clamp & ~segment);
      i32 wanted = mode == ShuffleMode::up          ? lane - step
                   : mode == ShuffleMode::down      ? lane + step
                   : mode == ShuffleMode::butterfly ? (lane ^ step)
                                                    : (lowest | (step & ~segment));
      bool has = mode == ShuffleMode::up ? wanted >= highest : wanted <= highest;
      out[i] = static_cast<u32>(has ? wanted : lane);
      flags[i] = has ? 0xff : 0;
    }
    __builtin_memcpy(from + w * width, out, sizeof out);
    inside[w] = gather_bits(flags);
  }
}

#if defined(__AVX512F__)

void permute(u32* out, const u32* in, const u32* from, u32 step, u32 warps) {
  for (u32 w = 0; w < warps; ++w, out += width, in += width, from += step) {
    __m512i low = _mm512_loadu_si512(in), high = _mm512_loadu_si512(in + 16);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from), high));
    _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + 16), high));
  }
}

#elif defined(__AVX2__)

// One of 32 lanes by the low five bits of its number: three pick within a quarter, two pick the quarter.
void permute(u32* out, const u32* in, const u32* from, u32 step, u32 warps) {
  auto load = [](const u32* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); };
  auto choose = [](__m256i if_clear, __m256i if_set, __m256i by_sign) {
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(if_clear), _mm256_castsi256_ps(if_set),
                                                _mm256_castsi256_ps(by_sign)));
  };
  for (u32 w = 0; w < warps; ++w, out += width, in += width, from += step) {
    __m256i q0 = load(in), q1 = load(in + 8), q2 = load(in + 16), q3 = load(in + 24);
    for (u32 i = 0; i < width; i += 8) {
      __m256i n = load(from + i), bit3 = _mm256_slli_epi32(n, 28), bit4 = _mm256_slli_epi32(n, 27);
      __m256i low = choose(_mm256_permutevar8x32_epi32(q0, n), _mm256_permutevar8x32_epi32(q1, n), bit3);
      __m256i high = choose(_mm256_permutevar8x32_epi32(q2, n), _mm256_permutevar8x32_epi32(q3, n), bit3);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), choose(low, high, bit4));
    }
  }
}

#else

void permute(u32* out, const u32* in, const u32* from, u32 step, u32 warps) {
  for (u32 w = 0; w < warps; ++w, out += width, in += width, from += step) {
    u32 lanes[width];
    __builtin_memcpy(lanes, in, sizeof lanes);
    for (u32 i = 0; i < width; ++i) out[i] = lanes[from[i]];
  }
}

#endif

template <LaneReduction reduction> [[gnu::always_inline]] inline u32 identity() {
  switch (reduction) {
  case LaneReduction::and_:
  case LaneReduction::min_unsigned: return 0xffffffffu;
  case LaneReduction::min_signed: return 0x7fffffffu;
  case LaneReduction::max_signed: return 0x80000000u;
  default: return 0;
  }
}

template <LaneReduction reduction> [[gnu::always_inline]] inline u32 together(u32 a, u32 b) {
  i32 x = static_cast<i32>(a), y = static_cast<i32>(b);
  switch (reduction) {
  case LaneReduction::add: return a + b;
  case LaneReduction::and_: return a & b;
  case LaneReduction::or_: return a | b;
  case LaneReduction::xor_: return a ^ b;
  case LaneReduction::min_unsigned: return b < a ? b : a;
  case LaneReduction::max_unsigned: return b > a ? b : a;
  case LaneReduction::min_signed: return y < x ? b : a;
  default: return y > x ? b : a;
  }
}

template <LaneReduction reduction> void reduce(u32* totals, const u32* in, const u32* masks, u32 warps) {
  for (u32 w = 0; w < warps; ++w, in += width) {
    u32 mask = masks[w], total = identity<reduction>();
    for (u32 i = 0; i < width; ++i)
      total = together<reduction>(total, mask >> i & 1 ? in[i] : identity<reduction>());
    totals[w] = mask == 0 ? 0 : total;
  }
}

void spread(u32* out, const u32* values, u32 warps) {
  for (u32 w = 0; w < warps; ++w) {
    u32 value = values[w];
    for (u32 i = 0; i < width; ++i) out[w * width + i] = value;
  }
}

template <class T> u32 equal(const T* in, T value) {
  alignas(32) u8 flags[width];
  for (u32 i = 0; i < width; ++i) flags[i] = in[i] == value ? 0xff : 0;
  return gather_bits(flags);
}

void put(u32* out, u32 mask, u32 value) {
  for (u32 i = 0; i < width; ++i) out[i] = mask >> i & 1 ? value : out[i];
}

constexpr LaneExchange functions{{sources<ShuffleMode::up>, sources<ShuffleMode::down>,
                                  sources<ShuffleMode::butterfly>, sources<ShuffleMode::index>},
                                 permute,
                                 {reduce<LaneReduction::add>, reduce<LaneReduction::and_>,
                                  reduce<LaneReduction::or_>, reduce<LaneReduction::xor_>,
                                  reduce<LaneReduction::min_unsigned>, reduce<LaneReduction::max_unsigned>,
                                  reduce<LaneReduction::min_signed>, reduce<LaneReduction::max_signed>},
                                 spread,
                                 equal<u32>,
                                 equal<u64>,
                                 put};

} // namespace

const LaneExchange& lane_exchange() { return functions; }

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
