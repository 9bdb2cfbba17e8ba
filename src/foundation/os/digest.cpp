// xxHash, compiled into this file alone: nothing of it shows in a program that the runtime is preloaded into.
#include "os/digest.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warplens::cache {

std::string Digest::text() const {
  std::string out;
  for (u64 word : words)
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 15];
  return out;
}

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }

Hasher::~Hasher() = default;

Hasher& Hasher::add(std::span<const std::byte> part) {
  u64 size = part.size();
  XXH3_128bits_update(&state_->xxh, &size, sizeof size);
  XXH3_128bits_update(&state_->xxh, part.data(), part.size());
  return *this;
}

Digest Hasher::digest() const {
  XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {{hash.high64, hash.low64}};
}

} // namespace warplens::cache
