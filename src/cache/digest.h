// 128 bits that stand for a content: what names an entry of the cache, and what shows that a file is whole.
//
// Two lanes of multiply, rotate, multiply over 8-byte words, in four stripes so that the processor overlaps
// them. For a given word each step permutes the state and for a given state it permutes the words, so that
// contents which differ in one word always differ in both lanes of its stripe; otherwise two contents agree
// by chance, 1 in 2^128. It is not a cryptographic hash: the cache belongs to the user who fills it.
#pragma once
#include "base/types.h"
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace warplens::cache {

struct Digest {
  std::array<u64, 2> words{};
  bool operator==(const Digest&) const = default;
  std::string text() const; // 32 hexadecimal digits
};

class Hasher {
public:
  // Parts are told apart: ("ab", "c") and ("a", "bc") differ.
  Hasher& add(std::span<const std::byte> part);
  Hasher& add(std::string_view part) { return add(std::as_bytes(std::span(part))); }
  template <class T>
  requires std::is_integral_v<T> Hasher& add(T number) {
    u64 word = static_cast<u64>(number);
    return add(std::as_bytes(std::span(&word, 1)));
  }
  Digest digest() const;

private:
  struct Stripe {
    u64 a, b;
    void mix(u64 word) {
      a = std::rotl(a ^ (word * 0x9e3779b185ebca87u), 31) * 0xc2b2ae3d27d4eb4fu;
      b = (std::rotl(b, 29) + (word ^ (word >> 32)) * 0x165667b19e3779f9u) * 0x85ebca77c2b2ae63u;
    }
  };
  std::array<Stripe, 4> stripes_{{{1, 2}, {3, 5}, {7, 11}, {13, 17}}};
};

inline Digest digest_of(std::string_view content) { return Hasher().add(content).digest(); }
inline Digest digest_of(std::span<const std::byte> content) { return Hasher().add(content).digest(); }

} // namespace warplens::cache
