// The library's own heap, so that it neither takes memory from the program's nor leaves any there. A program that reads memory from
// malloc() before it writes it (rodinia's particlefilter does) would find other bytes in it, and addresses would move.
//
// CMakeLists.txt has the linker bind each call of malloc() and its like in the library to a function here: those of operator new,
// of zstd and lz4, too. What libc allocates for a caller (realpath) is the program's: free() tells it by its address.
//
// A block has the size of its class, four to each power of two. Spans of 1 MiB hold blocks of one class, and larger blocks have a
// span each; what it holds is written at its begin. Free blocks are kept in bins, of which threads use different ones. No call waits:
// one that finds a bin in use goes on to the next. So it does not matter where a signal, fork() or siglongjmp() found another call.
//
// Where the usual addresses are not to be had (ThreadSanitizer has its own rules for them) the program's heap serves after all.
//
// Nor is anything of the library destroyed when the program ends: static objects that are gone, in an order that nobody knows, would
// be missed by CUDA calls of the program's own atexit handlers and destructors.
#include "base/bits.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

extern "C" {
void* __real_malloc(std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
void __real_free(void*);
}

namespace warplens::runtime {
namespace {

constexpr u64 span_size = u64{1} << 20, page_size = 4096;
constexpr u64 most_shared = u64{64} << 10; // bytes of a block that shares a span with others
constexpr u64 given_back =
    u64{32} << 20; // bytes of a block whose memory the system gets back while it is free
constexpr u64 heap_begin = 0x6e00'0000'0000, heap_end = 0x6f00'0000'0000; // below the device's memory

constexpr u32 class_of(u64 bytes) {
  if (bytes <= 64) return static_cast<u32>(ceil_div(std::max<u64>(bytes, 1), 16) - 1);
  const u32 exponent = static_cast<u32>(std::bit_width(bytes - 1)); // 2^(exponent - 1) < bytes <= 2^exponent
  return 4 * (exponent - 7) + static_cast<u32>((bytes - 1) >> (exponent - 3));
}
constexpr u64 size_of(u32 size_class) {
  if (size_class < 4) return 16 * (size_class + 1);
  return u64{5 + size_class % 4} << (size_class / 4 + 3);
}
constexpr u32 classes = class_of(heap_end - heap_begin) + 1;
static_assert(class_of(65) == 4 && size_of(4) == 80 && size_of(class_of(128)) == 128 &&
              size_of(class_of(129)) == 160);

struct Span {
  u32 size_class, bin;
};
struct Block {
  Block* next;
};
struct alignas(64) Bin {                    // a line of the cache each
  std::atomic_flag used = ATOMIC_FLAG_INIT; // guards what is not atomic
  Block* free = nullptr;
  std::atomic<Block*> returned = nullptr;           // by free(), which does not wait for `used`
  std::byte *fresh = nullptr, *fresh_end = nullptr; // of the last span, what was never a block
};
constexpr u32 bins_per_class = 16;
std::array<std::array<Bin, bins_per_class>, classes> bins;
std::atomic<u64> next_span = heap_begin;

bool is_ours(const void* pointer) {
  const u64 address = reinterpret_cast<u64>(pointer);
  return address >= heap_begin && address < heap_end;
}
const Span& span_of(const void* block) {
  return *reinterpret_cast<const Span*>(align_down(reinterpret_cast<u64>(block), span_size));
}
u64 usable(const void* block) { return size_of(span_of(block).size_class); }

std::atomic<bool> refused = false; // the system does not give these addresses

// Null where there is no memory. Addresses that somebody else has are passed over.
std::byte* map_span(u64 bytes) {
  for (int tries = 0; tries < 16 && !refused; ++tries) {
    const u64 begin = next_span.fetch_add(bytes);
    if (begin + bytes > heap_end) return nullptr;
    void* wanted = reinterpret_cast<void*>(begin);
    void* got =
        mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == wanted) return static_cast<std::byte*>(got);
    if (got == MAP_FAILED) return nullptr;
    munmap(got, bytes);
  }
  refused = true;
  return nullptr;
}

bool add_span(Bin& bin, Span span) {
  const u64 size = size_of(span.size_class);
  const bool shared = size <= most_shared;
  std::byte* begin = map_span(shared ? span_size : align_up(size + page_size, span_size));
  if (begin == nullptr) return false;
  *reinterpret_cast<Span*>(begin) = span;
  // Blocks of a span lie at multiples of their size, and so are as aligned as their size is.
  bin.fresh = begin + (shared ? size : page_size);
  bin.fresh_end = bin.fresh + (shared ? (span_size / size - 1) * size : size);
  return true;
}

void* take_from(Bin& bin, Span span) {
  if (bin.free == nullptr) bin.free = bin.returned.exchange(nullptr, std::memory_order_acquire);
  if (Block* block = bin.free) {
    bin.free = block->next;
    return block;
  }
  const u64 size = size_of(span.size_class);
  if (bin.fresh == bin.fresh_end && !add_span(bin, span)) return nullptr;
  return std::exchange(bin.fresh, bin.fresh + size);
}

void* take(u64 bytes) {
  if (bytes > heap_end - heap_begin - 2 * span_size) return nullptr;
  const u32 size_class = class_of(bytes);
  // Large blocks are few, and one bin wastes none.
  const u64 thread = bytes > most_shared ? 0 : (pthread_self() >> 12) * 0x9e3779b97f4a7c15 >> 60;
  for (u32 i = static_cast<u32>(thread);; ++i) {
    Bin& bin = bins[size_class][i % bins_per_class];
    if (bin.used.test_and_set(std::memory_order_acquire)) continue;
    void* block = take_from(bin, {size_class, i % bins_per_class});
    bin.used.clear(std::memory_order_release);
    return block;
  }
}

void give_back(void* pointer) {
  const auto [size_class, number] = span_of(pointer);
  if (const u64 size = size_of(size_class); size >= given_back) madvise(pointer, size, MADV_DONTNEED);
  auto* block = static_cast<Block*>(pointer);
  std::atomic<Block*>& returned = bins[size_class][number].returned;
  block->next = returned.load(std::memory_order_relaxed);
  while (!returned.compare_exchange_weak(block->next, block, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
}

// Blocks are aligned as their size is, and that to an eighth of it at least.
void* take_aligned(u64 alignment, u64 bytes) {
  if (alignment > page_size) return nullptr;
  return take(bytes >= 8 * alignment ? bytes : std::bit_ceil(std::max({alignment, bytes, u64{16}})));
}

} // namespace

extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  void* block = take(bytes);
  return block != nullptr ? block : __real_malloc(bytes);
}

void __wrap_free(void* pointer) {
  if (is_ours(pointer)) return give_back(pointer);
  __real_free(pointer);
}

void* __wrap_calloc(std::size_t count, std::size_t size) {
  if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size) return nullptr;
  void* block = __wrap_malloc(count * size);
  return block == nullptr ? nullptr : std::memset(block, 0, count * size);
}

void* __wrap_realloc(void* pointer, std::size_t bytes) {
  if (pointer != nullptr && !is_ours(pointer)) return __real_realloc(pointer, bytes);
  if (pointer != nullptr && bytes <= usable(pointer)) return pointer;
  void* grown = __wrap_malloc(bytes);
  if (pointer == nullptr || grown == nullptr) return grown;
  std::memcpy(grown, pointer, usable(pointer));
  give_back(pointer);
  return grown;
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* block = take_aligned(alignment, bytes);
  return block != nullptr ? block : __real_aligned_alloc(alignment, bytes);
}

int __wrap_posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  *out = __wrap_aligned_alloc(alignment, bytes);
  return *out == nullptr ? ENOMEM : 0;
}

int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }

} // extern "C"
} // namespace warplens::runtime
