// 128 bits that stand for a content: what names an entry of the cache, and what shows that a file is whole.
//
// XXH3_128 of the xxHash library, over parts that are told apart by their lengths. It is not a cryptographic
// hash: two contents agree by chance alone, and the cache belongs to the user who fills it.
#pragma once
#include "base/types.h"
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace warplens::cache {

struct Digest {
  std::array<u64, 2> words{}; // the high one first
  bool operator==(const Digest&) const = default;
  std::string text() const; // 32 hexadecimal digits, as `xxhsum -H2` writes them
};

class Hasher {
public:
  Hasher();
  ~Hasher();
  // Parts are told apart: ("ab", "c") and ("a", "bc") differ.
  Hasher& add(std::span<const std::byte> part);
  Hasher& add(std::string_view part) { return add(std::as_bytes(std::span(part))); }
  template <class T>
  requires std::is_integral_v<T> Hasher& add(T number) {
    u64 word = static_cast<u64>(number);
    return add(std::as_bytes(std::span(&word, 1)));
  }
  Digest digest() const; // of the parts so far

private:
  struct State; // of the library, which only digest.cpp includes
  std::unique_ptr<State> state_;
};

inline Digest digest_of(std::string_view content) { return Hasher().add(content).digest(); }
inline Digest digest_of(std::span<const std::byte> content) { return Hasher().add(content).digest(); }

} // namespace warplens::cache
