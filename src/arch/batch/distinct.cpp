// Two ways to the same counts, chosen once by what the processor has.
//
// AVX-512: the lanes' words as 32-bit numbers relative to the first active lane's line, in two registers.
// Lanes mostly ascend already, which one comparison shows; otherwise a bitonic network of 15 steps sorts
// them. In sorted order equal words, sectors and lines are neighbours, so that three comparisons count all
// three.
//
// Baseline: the same numbers in a small hash table; a word seen before costs one probe, a new one asks for
// its sector, a new sector for its line.
//
// Inactive lanes repeat the first active one, which changes no count of different things.
#include "arch/batch/distinct.h"
#include <atomic>
#include <bit>
// GCC 12's own intrinsics read a deliberately undefined register (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace warplens::arch {
namespace {

struct Words {
  Distinct distinct;
  u32 most_in_a_bank = 0;
};

// Counts `lanes` words of 2^shift bytes; false when they are misaligned or too far apart. `banks` 0: banks
// not wanted.
using Counter = bool(const u64* address, u32 lanes, u32 shift, u32 alignment_shift, u32 banks, Words& out);

// --- baseline
// ------------------------------------------------------------------------------------------------------

class SmallSet {
public:
  bool add(i32 key) { // true when it is new
    for (u32 at = static_cast<u32>(key) * 0x9E3779B1u >> 24;; at = (at + 1) & 255) {
      if (slot_[at] == 0) {
        key_[count_] = key;
        slot_[at] = static_cast<u8>(++count_);
        return true;
      }
      if (key_[slot_[at] - 1] == key) return false;
    }
  }
  u32 size() const { return count_; }

private:
  u8 slot_[256] = {};
  i32 key_[warp_size];
  u32 count_ = 0;
};

bool count_baseline(const u64* address, u32 lanes, u32 shift, u32 alignment_shift, u32 banks, Words& out) {
  u64 base = align_down(address[std::countr_zero(lanes)], 128), off = 0;
  std::array<u8, 32> used{};
  SmallSet words, sectors, lines;
  bool near = true;
  i32 last = 0;
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    u64 at = address[std::countr_zero(rest)];
    off |= at & ((u64{1} << alignment_shift) - 1);
    i64 relative = static_cast<i64>(at - base) >> shift;
    near &= relative == static_cast<i32>(relative);
    i32 key = static_cast<i32>(relative);
    if (rest != lanes && key == last) continue;
    last = key;
    if (!words.add(key)) continue;
    if (banks != 0)
      out.most_in_a_bank = std::max<u32>(out.most_in_a_bank, ++used[static_cast<u32>(key) & (banks - 1)]);
    else if (sectors.add(key >> (5 - shift)))
      lines.add(key >> (7 - shift));
  }
  out.distinct = {words.size(), sectors.size(), lines.size(), 0};
  return near && off == 0;
}

// --- AVX-512
// -------------------------------------------------------------------------------------------------------

#define WARPLENS_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"), always_inline)) inline

// One step of the bitonic network: element i meets i ^ distance and keeps the smaller where bit `block` of
// its number (from `first` on) and bit `distance` agree.
template <int distance, int block, int first> WARPLENS_AVX512 __m512i exchange(__m512i v) {
  constexpr auto partners = [] {
    std::array<i32, 16> index{};
    for (int i = 0; i < 16; ++i) index[i] = i ^ distance;
    return index;
  }();
  constexpr __mmask16 larger = [] {
    u32 mask = 0;
    for (int i = 0; i < 16; ++i)
      if (((i + first) & block ? 1 : 0) != ((i & distance) ? 1 : 0)) mask |= u32{1} << i;
    return static_cast<__mmask16>(mask);
  }();
  __m512i other = _mm512_permutexvar_epi32(_mm512_loadu_si512(partners.data()), v);
  return _mm512_mask_max_epi32(_mm512_min_epi32(v, other), larger, v, other);
}

template <int block, int first> WARPLENS_AVX512 __m512i merge(__m512i v) {
  if constexpr (block >= 16) v = exchange<8, block, first>(v);
  if constexpr (block >= 8) v = exchange<4, block, first>(v);
  if constexpr (block >= 4) v = exchange<2, block, first>(v);
  return exchange<1, block, first>(v);
}

WARPLENS_AVX512 void sort_32(__m512i& low, __m512i& high) {
  low = merge<2, 0>(low), high = merge<2, 16>(high);
  low = merge<4, 0>(low), high = merge<4, 16>(high);
  low = merge<8, 0>(low), high = merge<8, 16>(high);
  low = merge<16, 0>(low), high = merge<16, 16>(high);
  __m512i smaller = _mm512_min_epi32(low, high), larger = _mm512_max_epi32(low, high);
  low = merge<32, 0>(smaller), high = merge<32, 0>(larger);
}

// Eight lanes as numbers of 32 bits; `bad` collects what does not fit.
WARPLENS_AVX512 __m256i relative_8(const u64* address, __mmask8 active, __m512i base, __m512i first,
                                   __m512i low_bits, __m128i shift, __mmask8& bad) {
  __m512i at = _mm512_mask_loadu_epi64(first, active, address);
  bad = static_cast<__mmask8>(bad | _mm512_test_epi64_mask(at, low_bits));
  __m512i word = _mm512_sra_epi64(_mm512_sub_epi64(at, base), shift);
  __m256i narrow = _mm512_cvtepi64_epi32(word);
  bad = static_cast<__mmask8>(bad | _mm512_cmpneq_epi64_mask(word, _mm512_cvtepi32_epi64(narrow)));
  return narrow;
}

// Bit i: element i differs from the one before it (bit 0: always) after dropping `drop` low bits.
WARPLENS_AVX512 u32 changes(__m512i low_difference, __m512i high_difference, u32 drop) {
  __m512i keep = _mm512_set1_epi32(static_cast<i32>(~u32{0} << drop));
  u32 low = _mm512_test_epi32_mask(low_difference, keep),
      high = _mm512_test_epi32_mask(high_difference, keep);
  return low | high << 16 | 1;
}

WARPLENS_AVX512 u32 most_in_a_bank(__m512i low, __m512i high, u32 unique, u32 banks) {
  __m512i mask = _mm512_set1_epi32(static_cast<i32>(banks - 1)), one = _mm512_set1_epi32(1);
  __m512i low_bank = _mm512_and_si512(low, mask), high_bank = _mm512_and_si512(high, mask);
  __m512i bits = _mm512_maskz_sllv_epi32(static_cast<__mmask16>(unique), one, low_bank);
  bits = _mm512_or_si512(bits, _mm512_maskz_sllv_epi32(static_cast<__mmask16>(unique >> 16), one, high_bank));
  u32 used = static_cast<u32>(_mm512_reduce_or_epi32(bits));
  if (std::popcount(used) == std::popcount(unique)) return 1;
  alignas(64) i32 bank[warp_size];
  _mm512_store_si512(bank, low_bank);
  _mm512_store_si512(bank + 16, high_bank);
  u8 count[32] = {};
  u32 most = 0;
  for (; unique != 0; unique &= unique - 1)
    most = std::max<u32>(most, ++count[bank[std::countr_zero(unique)]]);
  return most;
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) bool
count_avx512(const u64* address, u32 lanes, u32 shift, u32 alignment_shift, u32 banks, Words& out) {
  u64 leader = address[std::countr_zero(lanes)];
  __m512i base = _mm512_set1_epi64(static_cast<i64>(align_down(leader, 128))),
          first = _mm512_set1_epi64(static_cast<i64>(leader));
  __m512i low_bits = _mm512_set1_epi64(static_cast<i64>((u64{1} << alignment_shift) - 1));
  __m128i by = _mm_cvtsi32_si128(static_cast<i32>(shift));
  __mmask8 bad = 0;
  __m256i quarter[4];
  for (u32 i = 0; i < 4; ++i)
    quarter[i] =
        relative_8(address + 8 * i, static_cast<__mmask8>(lanes >> (8 * i)), base, first, low_bits, by, bad);
  if (bad) return false;
  __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(quarter[0]), quarter[1], 1);
  __m512i high = _mm512_inserti64x4(_mm512_castsi256_si512(quarter[2]), quarter[3], 1);
  __m512i before_low = _mm512_mask_alignr_epi32(low, 0xfffe, low, low, 15),
          before_high = _mm512_alignr_epi32(high, low, 15);
  if (_mm512_cmplt_epi32_mask(low, before_low) | _mm512_cmplt_epi32_mask(high, before_high)) {
    sort_32(low, high);
    before_low = _mm512_mask_alignr_epi32(low, 0xfffe, low, low, 15),
    before_high = _mm512_alignr_epi32(high, low, 15);
  }
  __m512i low_difference = _mm512_xor_si512(low, before_low),
          high_difference = _mm512_xor_si512(high, before_high);
  u32 unique = changes(low_difference, high_difference, 0);
  out.distinct.words = static_cast<u32>(std::popcount(unique));
  if (banks != 0) {
    out.most_in_a_bank = most_in_a_bank(low, high, unique, banks);
  } else {
    out.distinct.sectors =
        static_cast<u32>(std::popcount(changes(low_difference, high_difference, 5 - shift)));
    out.distinct.lines = static_cast<u32>(std::popcount(changes(low_difference, high_difference, 7 - shift)));
  }
  return true;
}

#undef WARPLENS_AVX512

// --- choice
// --------------------------------------------------------------------------------------------------------

Counter* counter_of(Target target) { return target == Target::avx512 ? count_avx512 : count_baseline; }

std::atomic<Target>& in_use() {
  static std::atomic<Target> target{best_target()};
  return target;
}

Counter* counter() { return counter_of(target_in_use()); }

} // namespace

Target best_target() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd"))
    return Target::avx512;
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt");
  return avx2 ? Target::avx2 : Target::baseline;
}

Target target_in_use() { return in_use().load(std::memory_order_relaxed); }

void use_target(Target target) { in_use().store(target, std::memory_order_relaxed); }

std::string_view name(Target target) {
  return target == Target::avx512 ? "avx512" : target == Target::avx2 ? "avx2" : "baseline";
}

Distinct distinct(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes) {
  Words words;
  u32 shift = static_cast<u32>(std::countr_zero(bytes));
  if (counter()(address.data(), lanes, shift, shift, 0, words)) {
    words.distinct.bytes = u64{words.distinct.words} * bytes;
    return words.distinct;
  }
  BlockSet words_at;
  for_each_lane(lanes, [&](u32 lane) { words_at.add(address[lane]); });
  return {words_at.size(), count_touched(address, lanes, bytes, 5), count_touched(address, lanes, bytes, 7),
          distinct_bytes(address, lanes, bytes)};
}

u32 passes(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 bank_bytes) {
  // An aligned word wider than a bank fills whole banks, so that banks of its own width conflict in the same
  // way.
  Words words;
  u32 width = std::max<u32>(bytes, bank_bytes), shift = static_cast<u32>(std::countr_zero(width));
  u32 alignment = static_cast<u32>(std::countr_zero(bytes));
  if (counter()(address.data(), lanes, shift, alignment, 32 * bank_bytes / width, words))
    return words.most_in_a_bank;
  return most_words_in_a_bank(touched(address, lanes, bytes, static_cast<u32>(std::countr_zero(bank_bytes))),
                              32);
}

} // namespace warplens::arch
