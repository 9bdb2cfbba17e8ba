// Pseudo-random masks and places of lanes for the patterns that are measured; the same in every run.
#pragma once
#include <cstdint>

struct Lanes {
  uint64_t address[32];
};

struct Random {
  uint64_t state;
  uint64_t bits() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull;
  }
  uint64_t operator()(uint64_t below) { return (bits() >> 20) % below; }
};

inline uint32_t random_mask(Random& random) {
  switch (random(10)) {
  case 0: return 0x55555555;
  case 1: return 0xffff;
  case 2: return 0xffff0000;
  case 3: return 0x00ff00ff;
  case 4: return (uint32_t)(random.bits() >> 32) | 1u << random(32);
  case 5: return (uint32_t)(random.bits() >> 32) | (uint32_t)(random.bits() >> 32);
  default: return 0xffffffff;
  }
}

// Lanes in rows, columns, groups, in a few lines, anywhere; within `limit` bytes.
inline void place(Random& random, uint64_t bytes, uint64_t limit, Lanes& lanes) {
  uint64_t words = limit / bytes, base = random(words), stride = 1 + random(1 << random(14)),
           few = 1 + random(1 << random(11)), lines = 2 + random(60), line[64], kind = random(9);
  for (auto& l : line) l = random(limit / 128);
  for (uint64_t l = 0; l < 32; ++l) {
    uint64_t w = base + l;
    if (kind == 1) w = base + l * stride;
    if (kind == 2) w = base + random(few);
    if (kind == 3) w = base + (l % 8) * stride + l / 8;
    if (kind == 4) w = base + (31 - l) * stride;
    if (kind == 5) w = base + l / 4 * stride + l % 4;
    if (kind == 6) w = (line[random(lines)] * 128 + random(128)) / bytes;
    if (kind == 7) w = (line[l % lines] * 128 + l * 4) / bytes;
    if (kind == 8) w = random(words);
    lanes.address[l] = w % words * bytes;
  }
}
