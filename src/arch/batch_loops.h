// What the loops over warps share, and the one that counts local memory, the same for every instruction set.
// An instruction set's file includes this once, inside its own namespace and after defining
//   WARPLENS_SIMD, WARPLENS_SIMD_LOOP   the attributes of inlined functions and of loops
//   find_words  the 4-byte words that every eight lanes use, as bits of a window of 64 words from `from` on;
//               false when a lane lies outside or its distance has bits set that are not `allowed`

WARPLENS_SIMD u32 ones(u32 mask) { return static_cast<u32>(std::popcount(mask)); }

WARPLENS_SIMD u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

// The first warp from `warp` on with an active lane, or the count.
WARPLENS_SIMD u32 next_warp(const Warps& warps, u32 warp) {
  while (warp < warps.count && warps.active[warp] == 0) ++warp;
  return warp;
}

struct FourWarps {
  u32 count = 0; // the others repeat the first
  u32 active[4];
  const u64* address[4];
};

// The next four with an active lane from `warp` on, or fewer at the end. Returns the first one not looked at.
WARPLENS_SIMD u32 take_four(const Warps& warps, u32 warp, FourWarps& four) {
  for (; four.count < 4 && warp < warps.count; ++warp) {
    if (warps.active[warp] == 0) continue;
    four.active[four.count] = warps.active[warp];
    four.address[four.count++] = warps.address + std::size_t{warp} * warp_size;
  }
  for (u32 k = four.count; k < 4; ++k) four.active[k] = four.active[0], four.address[k] = four.address[0];
  return warp;
}

// Where the keys of a warp begin: see batch_blocks.h.
WARPLENS_SIMD u64 first_key(const u64* address, u32 lanes, u32 shift) {
  return align_down(address[std::countr_zero(lanes)], 128) - (u64{1} << 30 << shift);
}

// Lanes' words or parts of words at offsets in their own local memory: word w of lane l is the l-th of the
// 128-byte line w, so that lanes use different bytes, and lines and sectors are shared where w is the same.
WARPLENS_SIMD_LOOP u32 count_local(const Warps& warps, Counts& out) {
  u64 instructions = 0, threads = 0, tags = 0, sectors = 0, ideal = 0;
  u32 warp = 0, shift = warps.shift;
  u64 allowed = u64{255} << shift & 255; // aligned, and within 64 words
  for (; warp < warps.count; ++warp) {
    u32 lanes = warps.active[warp];
    if (lanes == 0) continue;
    const u64* address = warps.address + std::size_t{warp} * warp_size;
    u64 from = align_down(address[std::countr_zero(lanes)], 4) - 128, words[4];
    if (!find_words(address, lanes, from, allowed, words)) break;
    u32 touched = 0;
    for (u64 of_eight : words) touched += static_cast<u32>(std::popcount(of_eight));
    instructions += 1;
    threads += ones(lanes);
    sectors += touched;
    ideal += smaller(touched, ((ones(lanes) << shift) + 31) >> 5);
    tags += static_cast<u32>(std::popcount(words[0] | words[1] | words[2] | words[3]));
  }
  out.instructions += instructions;
  out.threads += threads;
  out.requests += instructions;
  out.tags += tags;
  out.sectors += sectors;
  out.ideal_sectors += ideal;
  out.bytes_used += threads << shift;
  return warp;
}
