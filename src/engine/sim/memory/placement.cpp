// The driver's rules of placement.h over three layers of gaps: addresses that no chunk has, what each chunk has left, and what is left
// of the pages that small allocations of a kind share.
#include "sim/memory/placement.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::sim {

void Gaps::insert(u64 address, u64 size) {
  by_address_.emplace(address, size);
  by_size_.emplace(size, address);
}

void Gaps::erase(u64 address) {
  auto it = by_address_.find(address);
  by_size_.erase({it->second, address});
  by_address_.erase(it);
}

void Gaps::take(u64 address, u64 size) {
  auto gap = std::prev(by_address_.upper_bound(address));
  const u64 begin = gap->first, end = begin + gap->second;
  erase(begin);
  if (address > begin) insert(begin, address - begin);
  if (address + size < end) insert(address + size, end - address - size);
}

std::optional<u64> Gaps::take_smallest(u64 size, u64 alignment) {
  for (auto it = by_size_.lower_bound({size, 0}); it != by_size_.end(); ++it) {
    const u64 address = align_up(it->second, alignment);
    if (address + size > it->second + it->first) continue;
    take(address, size);
    return address;
  }
  return std::nullopt;
}

std::optional<u64> Gaps::take_highest(u64 size, u64 alignment) {
  for (auto it = by_address_.rbegin(); it != by_address_.rend(); ++it) {
    if (it->second < size) continue;
    const u64 address = align_down(it->first + it->second - size, alignment);
    if (address < it->first) continue;
    take(address, size);
    return address;
  }
  return std::nullopt;
}

Gaps::Gap Gaps::add(u64 address, u64 size) {
  auto parts = [this](u64 border) { return border_ != 0 && border % border_ == 0; };
  auto next = by_address_.lower_bound(address);
  if (next != by_address_.begin() && !parts(address))
    if (auto previous = std::prev(next); previous->first + previous->second == address) {
      address = previous->first, size += previous->second;
      erase(previous->first);
    }
  if (next != by_address_.end() && next->first == address + size && !parts(next->first)) {
    size += next->second;
    erase(next->first);
  }
  insert(address, size);
  return {address, size};
}

DriverPlacement::DriverPlacement(u64 begin, u64 end) {
  const u64 first = end - region, below = first - region;
  unused_.add(begin, below - begin);
  chunks_[first].size = chunks_[below].size = region;
  chunks_[first].gaps.add(first + before_first, region - before_first);
  chunks_[below].gaps.add(first - page, page);
}

bool DriverPlacement::has_own_pages(u64 size) { return align_up(size, u64{512}) >= page; }

u64 DriverPlacement::padded(u64 size) {
  return align_up(std::max<u64>(size, 1), has_own_pages(size) ? page : 512);
}

std::optional<u64> DriverPlacement::take_pages(u64 size, u64 alignment, Chunks& chunks) {
  alignment = std::max(alignment, page);
  for (auto& [begin, chunk] : chunks)
    if (chunk.gaps.largest() >= size)
      if (std::optional<u64> address = chunk.gaps.take_smallest(size, alignment)) return address;
  u64 whole = align_up(size, region);
  std::optional<u64> begin = unused_.take_highest(whole, std::max(alignment, region));
  if (!begin) {
    begin = used_.take_highest(whole, std::max(alignment, region));
    for (Gaps* gaps : {&unused_, &used_}) // no addresses to spare
      if (!begin) begin = gaps->take_highest(whole = size, alignment);
  }
  if (!begin) return std::nullopt;
  Chunk& chunk = chunks[*begin];
  chunk.size = whole;
  if (whole > size) chunk.gaps.add(*begin + size, whole - size);
  return begin;
}

void DriverPlacement::give_back_pages(u64 address, u64 size, Chunks& chunks) {
  auto chunk = std::prev(chunks.upper_bound(address));
  if (chunk->second.gaps.add(address, size).size < chunk->second.size) return;
  used_.add(chunk->first, chunk->second.size);
  chunks.erase(chunk);
}

std::optional<u64> DriverPlacement::take(u64 size, u64 alignment, AllocationKind kind) {
  const u64 bytes = padded(size);
  if (has_own_pages(size)) return take_pages(bytes, alignment, chunks_of(kind));
  alignment = std::max<u64>(alignment, 512);
  Gaps& gaps = shared_.try_emplace(kind, page).first->second;
  if (std::optional<u64> address = gaps.take_smallest(bytes, alignment)) return address;
  std::optional<u64> begin = take_pages(page, alignment, chunks_of(kind));
  if (!begin) return std::nullopt;
  gaps.add(*begin, page);
  gaps.take(*begin, bytes);
  return begin;
}

void DriverPlacement::give_back(u64 address, u64 size, AllocationKind kind) {
  const u64 bytes = padded(size);
  if (has_own_pages(size)) return give_back_pages(address, bytes, chunks_of(kind));
  Gaps& gaps = shared_.at(kind);
  const Gaps::Gap gap = gaps.add(address, bytes);
  if (gap.size < page) return;
  gaps.take(gap.address, gap.size);
  give_back_pages(gap.address, gap.size, chunks_of(kind));
}

} // namespace warplens::sim
