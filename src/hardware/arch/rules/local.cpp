// Local memory: each thread's array is interleaved so that the 4-byte words of consecutive lanes are adjacent
// in device memory: word w of lane l lies at (32·w + l)·4. Lanes that use the same relative address are
// coalesced.
//
// An element wider than 4 bytes is as many requests as it has 4-byte words, each for one word of every lane;
// narrower elements lie inside their word. Each request is then counted like one to global memory.
//
// Sources: CUDA C Programming Guide 4.2, 5.3.2.2, and 12, 8.3.2 for the interleaving; requests and sectors
// measured on 9.0 (tests/arch/data).
#include "arch/rules/blocks.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

// One 4-byte word of every lane, or the narrower element itself, at its place in device memory.
access::WarpAccess word_request(const access::WarpAccess& access, u32 part) {
  access::WarpAccess out = access;
  out.bytes = static_cast<u8>(std::min<u32>(access.bytes, 4));
  for_each_lane(access.active, [&](u32 lane) {
    u64 offset = access.address[lane] + 4 * part;
    out.address[lane] = (((offset >> 2) * warp_size + lane) << 2) + (offset & 3);
  });
  return out;
}

void count_local_interleaved(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  u32 parts = access.bytes <= 4 ? 1 : access.bytes / 4;
  for (u32 part = 0; part < parts; ++part) arch.global.rule->count(arch, word_request(access, part), counts);
}

} // namespace

extern constexpr Rule local_interleaved{"local_interleaved", count_local_interleaved,
                                        BatchKernel::interleaved, 32};

} // namespace warplens::arch::rules
