// Which bytes of device memory have been written: what --check memory judges reads by. A bit per byte, in pages that
// exist from the first write on.
//
// Threads may call all of it at once: kernels write from several workers.
#pragma once
#include "base/types.h"
#include <atomic>
#include <memory>
#include <optional>

namespace warplens::sim {

class WrittenBytes {
public:
  // Of addresses [begin, end); all others count as written.
  WrittenBytes(u64 begin, u64 end);
  ~WrittenBytes();
  WrittenBytes(const WrittenBytes&) = delete;
  WrittenBytes& operator=(const WrittenBytes&) = delete;

  void mark(u64 address, u64 bytes);
  void clear(u64 address, u64 bytes);
  // What was written of the bytes at `from` is then written of those at `to`.
  void copy(u64 to, u64 from, u64 bytes);
  std::optional<u64> first_unwritten(u64 address, u64 bytes) const;

private:
  static constexpr u64 page_bytes = u64{1} << 20, bits = 64, page_words = page_bytes / bits;
  using Word = std::atomic<u64>;
  Word* page(u64 offset);
  bool is_written(u64 offset) const;
  bool is_known(u64 address) const { return address >= begin_ && address < end_; }

  u64 begin_, end_;
  std::unique_ptr<std::atomic<Word*>[]> pages_;
};

} // namespace warplens::sim
