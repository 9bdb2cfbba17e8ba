// What batch_blocks.h asks of an instruction set, for those to which the compiler's choice is good enough.

// The words of two warps' lanes, two numbers of 32 bits per lane.
template <bool all_lanes>
WARPLENS_SIMD bool pack_two(const u32* active, const u64* const* address, u32 shift,
                            u64 (&packed)[warp_size]) {
  u64 allowed = u64{0x7fffffff} << shift, any = 0;
  u64 from_a = first_key(address[0], active[0], shift), from_b = first_key(address[1], active[1], shift);
  for (u64 lane = 0; lane < warp_size; ++lane) {
    u64 a = address[0][lane] - from_a, b = address[1][lane] - from_b;
    if (!all_lanes) { // no branch to mispredict
      u64 in_a = -(u64{active[0]} >> lane & 1), in_b = -(u64{active[1]} >> lane & 1);
      any |= (a & in_a) | (b & in_b);
      a |= ~in_a, b |= ~in_b;
    } else {
      any |= a | b;
    }
    packed[lane] = (a >> shift & 0xffffffff) | b >> shift << 32;
  }
  return (any & ~allowed) == 0;
}

WARPLENS_SIMD bool put_keys(const FourWarps& four, u32 shift, i32* key) {
  for (u32 k = 0; k < 4; k += 2) {
    u64 packed[warp_size];
    bool everywhere = (four.active[k] & four.active[k + 1]) == full_mask;
    if (!(everywhere ? pack_two<true>(four.active + k, four.address + k, shift, packed)
                     : pack_two<false>(four.active + k, four.address + k, shift, packed)))
      return false;
    for (u32 lane = 0; lane < warp_size; ++lane)
      std::memcpy(key + lane * block_columns + k, &packed[lane], sizeof packed[lane]);
  }
  return true;
}

WARPLENS_SIMD void count_different(const Columns (&sorted)[warp_size], u32 shift, u32 first, Different& out) {
  i32 in_sector = 31 >> shift, in_line = 127 >> shift;
  Columns words = Columns{} + 1, sectors = words, lines = words;
  for (u32 lane = 1; lane < warp_size; ++lane) {
    Columns differ = sorted[lane] ^ sorted[lane - 1]; // negative from those that take no part to the others
    words -= differ > 0;
    sectors -= differ > in_sector;
    lines -= differ > in_line;
  }
  std::memcpy(out.words + first, &words, sizeof words);
  std::memcpy(out.sectors + first, &sectors, sizeof sectors);
  std::memcpy(out.lines + first, &lines, sizeof lines);
}
