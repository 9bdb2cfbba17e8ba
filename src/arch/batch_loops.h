// The loops over warps that count global and local memory, the same for every vector instruction set. An
// instruction set's file includes this once, inside its own namespace and after defining
//   WARPLENS_SIMD, WARPLENS_SIMD_LOOP   the attributes of inlined functions and of loops
//   Keys                                32 lanes' addresses as unsigned 32-bit distances from a line
//   load        false when a lane is misaligned or too far from the first active one
//   find_words  the 4-byte words that every eight lanes use, as bits of a window of 64 words from `from` on;
//               false when a lane lies outside or its distance has bits set that are not `allowed`
//   ascending   no key is smaller than the one before it
//   sort_two                            two warps' keys, all ascending
//   Differences, differences, changes   bit i: key i differs from the one before it, low bits dropped
//
// Inactive lanes repeat the active one before them, which changes no count of different things and leaves
// ascending addresses ascending; those before the first active one repeat that.

WARPLENS_SIMD u32 ones(u32 mask) { return static_cast<u32>(std::popcount(mask)); }

WARPLENS_SIMD u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

// The first warp from `warp` on with an active lane, or the count.
WARPLENS_SIMD u32 next_warp(const Warps& warps, u32 warp) {
  while (warp < warps.count && warps.active[warp] == 0) ++warp;
  return warp;
}

// A warp that is out of order is sorted along with the next one.
WARPLENS_SIMD_LOOP u32 count_blocks(const Warps& warps, Counts& out) {
  u64 instructions = 0, threads = 0, tags = 0, sectors = 0, ideal = 0, words = 0;
  u32 shift = warps.shift;
  auto load_warp = [&](u32 warp, Keys& keys) WARPLENS_SIMD_LOOP {
    return load(warps.address + std::size_t{warp} * warp_size, warps.active[warp], shift, keys);
  };
  auto add = [&](u32 warp, const Keys& keys) WARPLENS_SIMD_LOOP {
    Differences d = differences(keys);
    u32 lanes = ones(warps.active[warp]), touched = ones(changes(d, 5));
    instructions += 1;
    threads += lanes;
    sectors += touched;
    ideal += smaller(touched, ((lanes << shift) + 31) >> 5);
    tags += ones(changes(d, 7));
    words += ones(changes(d, 0));
  };
  u32 warp = next_warp(warps, 0);
  for (u32 next; warp < warps.count; warp = next) {
    Keys keys;
    if (!load_warp(warp, keys)) break;
    next = next_warp(warps, warp + 1);
    if (!ascending(keys)) {
      Keys other = keys;
      bool two = next < warps.count && load_warp(next, other);
      sort_two(keys, other);
      if (two) {
        add(next, other);
        next = next_warp(warps, next + 1);
      }
    }
    add(warp, keys);
  }
  out.instructions += instructions;
  out.threads += threads;
  out.requests += instructions;
  out.tags += tags;
  out.sectors += sectors;
  out.ideal_sectors += ideal;
  out.bytes_used += words << shift;
  return warp;
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
