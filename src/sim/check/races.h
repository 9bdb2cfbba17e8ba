// --check race: bytes of a CTA's shared memory that two warps access, one of them to write, with no barrier between.
//
// Each warp has a vector clock: which part of every other warp's work is known to lie before its own. Warps that meet at a
// barrier know all that the others had done by then. An access races with an earlier one of another warp that its clock
// does not know of; that holds for every order in which a GPU may run the warps, whichever this emulator took.
// (C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009, with barriers alone.)
//
// Atomics order nothing, and do not race with each other. Nor do stores of the value that a byte got from the other warp: the
// outcome is the same in every order, and compute-sanitizer's racecheck lets them pass, too (a store of the value that another
// warp reads is a race for both). Lanes of one warp are not compared.
#pragma once
#include "sim/value/value.h"
#include <array>
#include <optional>
#include <vector>

namespace warplens::sim {

struct Op;
struct Code;

enum class RaceAccess : u8 { read, write, atomic };

class Races {
public:
  // For the next CTA; `bytes` of shared memory, `warps` in the CTA.
  void begin(u64 bytes, u32 warps);
  // Warps come to a barrier, and warps that waited there go on: those that have a lane in the mask. Who goes on knows all
  // that those who came had done; who came to arrive only (bar.arrive) knows nothing of the others.
  void arrive(u32 barrier, const Mask&);
  void go_on(u32 barrier, const Mask&);
  void close(u32 barrier); // all that waited have gone on

  struct Earlier {
    u32 warp = 0;
    RaceAccess access = RaceAccess::read;
    const Code* code = nullptr;
    const Op* op = nullptr;
  };
  // A warp accesses [offset, offset + bytes), which lies in shared memory; a store writes these bytes. Returns an access that it
  // races with.
  std::optional<Earlier> access(u32 warp, u64 offset, u32 bytes, RaceAccess, const Code&, const Op&,
                                const std::byte* stored);

private:
  struct Epoch {
    u32 clock = 0; // of its warp; 0: none
    u16 warp = 0;
    RaceAccess access = RaceAccess::read;
    std::byte stored{}; // of a write
    const Code* code = nullptr;
    const Op* op = nullptr;
  };
  struct Byte {
    Epoch write;             // the last one, or atomic
    Epoch read;              // the last one
    std::vector<Epoch> more; // reads of other warps that are not before it
  };
  bool is_before(const Epoch& earlier, u32 warp) const {
    return earlier.clock == 0 || earlier.warp == warp ||
           earlier.clock <= clock_[warp * warps_ + earlier.warp];
  }
  void note_read(Byte&, u32 warp, const Epoch&);

  u32 warps_ = 0;
  std::vector<u32> clock_;                // [warp][of warp]
  std::array<std::vector<u32>, 16> came_; // [barrier][of warp]: what those knew who came since it was closed
  std::vector<Byte> bytes_;
};

} // namespace warplens::sim
