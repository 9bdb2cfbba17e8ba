// The loops over warps, the same for every vector instruction set. An instruction set's file includes this
// once, inside its own namespace and after defining
//   WARPLENS_SIMD, WARPLENS_SIMD_LOOP   the attributes of inlined functions and of loops
//   Keys                                32 lanes' addresses as unsigned 32-bit distances from a line
//   load        false when a lane is misaligned or too far from the first active one
//   find_words  the 4-byte words that every eight lanes use, as bits of a window of 64 words from `from` on;
//               false when a lane lies outside or its distance has bits set that are not `allowed`
//   ascending   no key is smaller than the one before it
//   sort_halves, merge_halves           each half-warp in an order; then all ascending
//   sort_two                            two warps' keys, all ascending
//   Differences, differences, changes   bit i: key i differs from the one before it, low bits dropped
//   equal_to_neighbour(keys, lanes, 1 or 2)
//   passes      the most marked keys in one bank: of the warp, or the sum over both half-warps
//
// Inactive lanes repeat the active one before them, which changes no count of different things and leaves
// ascending addresses ascending; those before the first active one repeat that. With `halves`, each half-warp
// that has an active lane does so on its own.

WARPLENS_SIMD void add_warp(u32 lanes, Counts& out) {
  out.instructions += 1;
  out.threads += static_cast<u32>(std::popcount(lanes));
}

WARPLENS_SIMD u32 ones(u32 mask) { return static_cast<u32>(std::popcount(mask)); }

WARPLENS_SIMD bool load_in_order(const u64* address, u32 lanes, u32 shift, Keys& keys) {
  if (!load(address, lanes, false, shift, keys)) return false;
  if (!ascending(keys)) sort_halves(keys), merge_halves(keys);
  return true;
}

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
    return load(warps.address + std::size_t{warp} * warp_size, warps.active[warp], false, shift, keys);
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

WARPLENS_SIMD_LOOP u32 count_words(const Warps& warps, Counts& out) {
  Counts sum;
  u32 warp = 0;
  for (; warp < warps.count; ++warp) {
    u32 lanes = warps.active[warp];
    if (lanes == 0) continue;
    Keys keys;
    if (!load_in_order(warps.address + std::size_t{warp} * warp_size, lanes, warps.shift, keys)) break;
    add_warp(lanes, sum);
    sum.requests += ones(changes(differences(keys), 0));
  }
  sum.bytes_used = sum.requests << warps.shift;
  out += sum;
  return warp;
}

// Words of up to 4 bytes: the whole warp conflicts.
WARPLENS_SIMD void add_narrow(const Keys& lanes_order, u32 lanes, u32 shift, Sharing sharing, Counts& sum) {
  Keys keys = lanes_order;
  if (!ascending(keys)) sort_halves(keys), merge_halves(keys);
  Differences d = differences(keys);
  sum.bytes_used += u64{ones(changes(d, 0))} << shift;
  u32 cost =
      sharing == Sharing::each_lane ? passes<1>(lanes_order, lanes, 2) : passes<1>(keys, changes(d, 2), 2);
  u32 needed = ((ones(lanes) << shift) + 127) >> 7;
  sum.wavefronts += cost;
  sum.data_wavefronts += cost;
  sum.ideal_wavefronts += cost < needed ? cost : needed;
}

// Words of 8 bytes: half-warps one after the other, and at once where they hold the same words in pairs.
WARPLENS_SIMD void add_wide(const Keys& lanes_order, u32 lanes, Sharing sharing, Counts& sum) {
  Keys keys = lanes_order;
  u32 halves = (lanes & 0xffff ? 0xffffu : 0u) | (lanes >> 16 ? 0xffff0000u : 0u);
  bool in_order = ascending(keys);
  if (!in_order) sort_halves(keys);
  u32 apart = passes<2>(keys, (changes(differences(keys), 0) | 0x10001) & halves, 3);
  if (!in_order) merge_halves(keys);
  u32 unique = changes(differences(keys), 0);
  sum.bytes_used += u64{ones(unique)} * 8;
  u32 cost = apart, data = apart;
  if (sharing == Sharing::shared_in_pairs &&
      (equal_to_neighbour(lanes_order, lanes, 1) || equal_to_neighbour(lanes_order, lanes, 2))) {
    data = passes<0>(keys, unique, 3);
    if (data == 1) cost = 1;
  }
  u32 needed = (ones(lanes) * 8 + 127) >> 7;
  sum.wavefronts += cost;
  sum.data_wavefronts += data;
  sum.ideal_wavefronts += cost < needed ? cost : needed;
}

WARPLENS_SIMD_LOOP u32 count_banks(const Warps& warps, Sharing sharing, Counts& out) {
  Counts sum;
  u32 warp = 0, shift = warps.shift;
  for (; warp < warps.count; ++warp) {
    u32 lanes = warps.active[warp];
    if (lanes == 0) continue;
    const u64* address = warps.address + std::size_t{warp} * warp_size;
    Keys keys;
    if (!load(address, lanes, shift == 3, shift, keys)) break;
    add_warp(lanes, sum);
    if (shift == 3)
      add_wide(keys, lanes, sharing, sum);
    else
      add_narrow(keys, lanes, shift, sharing, sum);
  }
  sum.requests = sum.instructions;
  out += sum;
  return warp;
}
