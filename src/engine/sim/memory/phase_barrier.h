// The mbarrier object: 64 bits of shared memory that count arrivals and bytes of asynchronous copies. PTX leaves open what
// they look like; programs only give them to the mbarrier instructions. Here:
//
//   bits  0…19   pending: arrivals that the phase still lacks
//   bits 20…39   expected: arrivals of each phase
//   bits 40…60   bytes that asynchronous copies still have to bring, with a sign: a copy may end before it is announced
//   bits 61…62   the phase's number, modulo 4; its lowest bit is the parity
//   bit  63      set while the object is initialised
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
  static constexpr i32 most_bytes = (1 << 20) - 1;

  u32 pending = 0, expected = 0;
  i32 bytes = 0; // that are still to come
  u32 phase = 0; // modulo 4
  bool valid = false;

  static PhaseBarrier of(u64 word) {
    return {static_cast<u32>(word) & most_arrivals, static_cast<u32>(word >> 20) & most_arrivals,
            static_cast<i32>(static_cast<i64>(word << 3) >> 43), static_cast<u32>(word >> 61) & 3,
            word >> 63 != 0};
  }
  u64 word() const {
    return (pending & most_arrivals) | u64{expected & most_arrivals} << 20 |
           (static_cast<u64>(static_cast<u32>(bytes)) & 0x1fffff) << 40 | u64{phase & 3} << 61 |
           u64{valid} << 63;
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
