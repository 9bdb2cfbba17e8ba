// Operations over the lanes of a whole CTA that the engine itself needs (the arithmetic is in kernels/):
// writing out closed forms, merging by mask, changing width, summarising addresses. `lanes` is a multiple of
// 32, `masks` has one word per 32 lanes. Compiled for plain x86-64, AVX2 and AVX-512 and chosen when the
// program is loaded.
#pragma once
#include "sim/value/rows.h"

namespace warplens::sim::lanes {

// out[i] = base + stride · coordinates of i, modulo the width; `extent` has what the coordinates count to
struct Coordinates {
  const u32 *x, *y, *z, *cta;
};
void affine16(u16* out, u32 lanes, u64 base, const i64* stride, Coordinates at, const u32* extent);
void affine32(u32* out, u32 lanes, u64 base, const i64* stride, Coordinates at, const u32* extent);
void affine64(u64* out, u32 lanes, u64 base, const i64* stride, Coordinates at, const u32* extent);
// The same where neighbours are always one stride apart: out[i] = base + stride·i
void ramp32(u32* out, u32 lanes, u64 base, i64 stride);
void ramp64(u64* out, u32 lanes, u64 base, i64 stride);
void fill16(u16* out, u32 lanes, u16 value);
void fill32(u32* out, u32 lanes, u32 value);
void fill64(u64* out, u32 lanes, u64 value);

// into[i] = from[i] where the mask has the lane
void merge16(u16* into, const u16* from, const u32* masks, u32 lanes);
void merge32(u32* into, const u32* from, const u32* masks, u32 lanes);
void merge64(u64* into, const u64* from, const u32* masks, u32 lanes);

// Between register widths (16, 32, 64), zero- or sign-extending; to or from predicates never.
void resize(void* out, u32 out_bits, const void* in, u32 in_bits, bool sign, u32 lanes);

// out[i] = in[i] + offset, from 32- or 64-bit registers; 32-bit ones wrap at 32 bits
void addresses(u64* out, const void* in, u32 in_bits, i64 offset, u32 lanes);

// A mask against the lanes that could be active: the warps and lanes it has, and whether it has them all.
struct MaskSummary {
  u32 first_warp, end_warp, warps, lanes;
  bool all;
};
MaskSummary summarise(const u32* mask, const u32* of, u32 warps);

// Memory at base + stride·(x, y, z, CTA) to and from all lanes, elements as wide as the register. `extent`
// and `stride` have four entries.
void load_rows32(u32* out, const u32* extent, const std::byte* base, const i64* stride);
void load_rows64(u64* out, const u32* extent, const std::byte* base, const i64* stride);
void store_rows32(std::byte* base, const u32* extent, const i64* stride, const u32* in);
void store_rows64(std::byte* base, const u32* extent, const i64* stride, const u64* in);

// The same for the lanes of a mask, where a row is made of whole pieces (rows.h) and neighbours lie together.
void load_some32(u32* out, const Rows&, const std::byte* base, const u32* masks);
void load_some64(u64* out, const Rows&, const std::byte* base, const u32* masks);
void store_some32(std::byte* base, const Rows&, const u32* masks, const u32* in);
void store_some64(std::byte* base, const Rows&, const u32* masks, const u64* in);

// out[i] = in[i] + step · (first + i): addresses in memory that each thread has of its own
void spread(u64* out, const u64* in, u64 step, u32 first, u32 lanes);

} // namespace warplens::sim::lanes
