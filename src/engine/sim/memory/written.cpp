#include "sim/memory/written.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::sim {

WrittenBytes::WrittenBytes(u64 begin, u64 end)
    : begin_(begin), end_(end), pages_(new std::atomic<Word*>[ceil_div(end - begin, page_bytes)]()) {}

WrittenBytes::~WrittenBytes() {
  for (u64 i = 0; i < ceil_div(end_ - begin_, page_bytes); ++i) delete[] pages_[i].load();
}

WrittenBytes::Word* WrittenBytes::page(u64 offset) {
  std::atomic<Word*>& place = pages_[offset / page_bytes];
  if (Word* known = place.load(std::memory_order_acquire)) return known;
  auto fresh = std::make_unique<Word[]>(page_words);
  Word* none = nullptr;
  return place.compare_exchange_strong(none, fresh.get()) ? fresh.release() : none;
}

bool WrittenBytes::is_written(u64 offset) const {
  const Word* words = pages_[offset / page_bytes].load(std::memory_order_acquire);
  return words != nullptr &&
         (words[offset % page_bytes / bits].load(std::memory_order_relaxed) >> offset % bits & 1) != 0;
}

// Calls f(offset of the first byte, bytes, mask of them in their word) for each word that [offset, offset + bytes) lies in.
template <class F> static void each_word(u64 offset, u64 bytes, F&& f) {
  for (u64 end = offset + bytes; offset < end;) {
    u64 first = offset % 64, count = std::min(64 - first, end - offset);
    f(offset, count, (count == 64 ? ~u64{0} : (u64{1} << count) - 1) << first);
    offset += count;
  }
}

void WrittenBytes::mark(u64 address, u64 bytes) {
  if (!is_known(address)) return;
  each_word(address - begin_, std::min(bytes, end_ - address), [&](u64 offset, u64, u64 mask) {
    Word& word = page(offset)[offset % page_bytes / bits];
    if ((word.load(std::memory_order_relaxed) & mask) != mask) word.fetch_or(mask, std::memory_order_relaxed);
  });
}

void WrittenBytes::clear(u64 address, u64 bytes) {
  if (!is_known(address)) return;
  each_word(address - begin_, std::min(bytes, end_ - address), [&](u64 offset, u64, u64 mask) {
    Word* words = pages_[offset / page_bytes].load(std::memory_order_acquire);
    if (words != nullptr) words[offset % page_bytes / bits].fetch_and(~mask, std::memory_order_relaxed);
  });
}

void WrittenBytes::copy(u64 to, u64 from, u64 bytes) {
  if (!is_known(from)) return mark(to, bytes);
  for (u64 done = 0; done < bytes;) {
    std::optional<u64> gap = first_unwritten(from + done, bytes - done);
    u64 good = gap ? *gap - from : bytes;
    mark(to + done, good - done);
    u64 end = good;
    while (end < bytes && !is_written(from + end - begin_)) ++end;
    clear(to + good, end - good);
    done = end;
  }
}

std::optional<u64> WrittenBytes::first_unwritten(u64 address, u64 bytes) const {
  if (!is_known(address)) return {};
  std::optional<u64> found;
  each_word(address - begin_, std::min(bytes, end_ - address), [&](u64 offset, u64 count, u64 mask) {
    if (found) return;
    const Word* words = pages_[offset / page_bytes].load(std::memory_order_acquire);
    u64 word = words == nullptr ? 0 : words[offset % page_bytes / bits].load(std::memory_order_relaxed);
    if ((word & mask) == mask) return;
    for (u64 i = 0; i < count && !found; ++i)
      if ((word >> (offset + i) % bits & 1) == 0) found = begin_ + offset + i;
  });
  return found;
}

} // namespace warplens::sim
