// The mbarrier object: 64 bits of shared memory that count arrivals and bytes of asynchronous copies. PTX leaves open what
// they look like, but machine code reads and writes them. As an H200 has them (driver 580.159.04, 29 November 2026), but for
// the bits 0 and 42, which are 0 there:
//
//   bit  0       the second bit of the phase's number
//   bits  1…20   2^20 less the arrivals of each phase
//   bits 21…41   less than nothing: the bytes that asynchronous copies still have to bring. A copy may end before it is announced
//   bit  42      set where no arrivals are expected any more: what is 0 is no object
//   bits 43…62   2^20 less the arrivals that the phase still lacks
//   bit  63      the parity: the lowest bit of the phase's number
//
// Machine code for 8.x knows another object (ptxas 13.0: it writes the object itself, adds to its counts, and tests its parity):
//
//   bits  0…29   2^30 less the arrivals of each phase
//   bits 32…62   2^31 less the arrivals that the phase still lacks
//   bit  63      the parity
//
// A phase is complete when nothing is pending and no bytes are missing; then the next one begins. What arrive returns, the
// "state", is the object as it was found.
//
// Source: PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: mbarrier".
#pragma once
#include "base/types.h"

namespace warplens::sim {

struct PhaseBarrier {
  static constexpr u32 most_arrivals = (1u << 20) - 1;

  u32 pending = 0, expected = 0;
  i32 bytes = 0; // that are still to come
  u32 phase = 0; // modulo 4
  bool valid = false;

  static PhaseBarrier of_8x(u64 word) {
    const u32 expected = (0u - static_cast<u32>(word)) & 0x3fff'ffff;
    const u32 pending = (0u - static_cast<u32>(word >> 32)) & 0x7fff'ffff;
    return {pending, expected, 0, static_cast<u32>(word >> 63), static_cast<u32>(word) != 0};
  }
  u64 word_8x() const {
    return (0x4000'0000 - expected) | u64{(0u - pending) & 0x7fff'ffff} << 32 | u64{phase & 1} << 63;
  }
  static PhaseBarrier of(u64 word) {
    const u32 expected = (0u - static_cast<u32>(word >> 1)) & most_arrivals;
    return {(0u - static_cast<u32>(word >> 43)) & most_arrivals, expected,
            -static_cast<i32>(static_cast<i64>(word << 22) >> 43),
            static_cast<u32>(word >> 63 | (word & 1) << 1), expected != 0 || (word >> 42 & 1) != 0};
  }
  u64 word() const {
    return (phase >> 1 & 1) | u64{(0u - expected) & most_arrivals} << 1 |
           (static_cast<u64>(static_cast<u32>(-bytes)) & 0x1fffff) << 21 | u64{valid && expected == 0} << 42 |
           u64{(0u - pending) & most_arrivals} << 43 | u64{phase & 1} << 63;
  }

  // What follows may end the phase.
  void arrive(u32 count) {
    pending -= count;
    advance();
  }
  void add_bytes(i64 more) {
    bytes = static_cast<i32>(bytes + more);
    advance();
  }
  void advance() {
    if (pending != 0 || bytes != 0) return;
    phase = (phase + 1) & 3;
    pending = expected;
  }
};

} // namespace warplens::sim
