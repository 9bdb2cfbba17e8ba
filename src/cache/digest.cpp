#include "cache/digest.h"

namespace warplens::cache {
namespace {

u64 load(const std::byte* at, std::size_t size = sizeof(u64)) {
  u64 word = 0;
  std::memcpy(&word, at, size);
  return word;
}

// Every bit of the state reaches every bit of the result (the finaliser of MurmurHash3).
u64 finish(u64 h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

} // namespace

std::string Digest::text() const {
  std::string out;
  for (u64 word : words)
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 15];
  return out;
}

Hasher& Hasher::add(std::span<const std::byte> part) {
  stripes_[0].mix(part.size());
  const std::byte* at = part.data();
  std::size_t left = part.size();
  for (; left >= 32; at += 32, left -= 32)
    for (u32 s = 0; s < 4; ++s) stripes_[s].mix(load(at + 8 * s));
  for (u32 s = 0; left != 0; ++s) {
    std::size_t size = std::min<std::size_t>(left, 8);
    stripes_[s].mix(load(at, size));
    at += size;
    left -= size;
  }
  return *this;
}

Digest Hasher::digest() const {
  Stripe all{19, 23};
  for (const Stripe& s : stripes_) {
    all.mix(s.a);
    all.mix(s.b);
  }
  return {{finish(all.a), finish(all.b)}};
}

} // namespace warplens::cache
