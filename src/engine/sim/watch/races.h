// --check race: bytes of a CTA's shared memory that two threads access, one of them to write, with nothing between that
// orders the two. That holds for every order in which a GPU may run the threads, whichever this emulator took.
//
// What orders threads: barriers of the block (the warps that come and go on), and __syncwarp() (the lanes that it brings
// together). Nothing else does. Shuffles, votes and the place where branches meet bring lanes together, but do not order their
// memory accesses: CUDA C++ Programming Guide, "Warp Shuffle Functions" and "Synchronization Functions"; compute-sanitizer's
// racecheck says the same (tests/hardware/data/races.tsv). GPUs before compute capability 7.0 run a warp in lockstep: there each
// instruction orders the lanes, and only what they do in one instruction is compared.
//
// Each warp has a time, which passes where its lanes meet others. What a thread knows of another is a time: what that one did up
// to then lies before. (Vector clocks: C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI
// 2009.) Lanes know each other one by one. What is known of another warp is one time for all lanes of both: where only
// some lanes of a warp pass a barrier, races of the others with other warps can be missed, never made up.
//
//   lane 3:  s[3] = 1              written at time 1 of the warp
//   all:     __syncwarp()          all lanes know time 1 of each other; it is time 2
//   lane 0:  … = s[3]              knows time 1 of lane 3: no race
//
// Atomics order nothing, and do not race with each other. Nor do stores of the value that a byte got from the other thread, nor a
// thread's read of what it stored itself when others stored the same: the outcome is the same in every order. A store
// of the value that another thread reads is a race. What a thread stored and then updated itself counts as updated: its store is not
// compared with later updates of others.
#pragma once
#include "sim/value/value.h"
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warplens::sim {

struct Op;
struct Code;

enum class RaceAccess : u8 { read, write, atomic };

class Races {
public:
  // For the next CTA: `bytes` of shared memory, threads `all`.
  void begin(u64 bytes, u32 warps, const Mask& all);
  // Threads come to a barrier, and threads that waited there go on. Who goes on knows all that those who came had done; who came
  // to arrive only (bar.arrive) knows nothing of the others.
  void arrive(u32 barrier, const Mask&);
  void go_on(u32 barrier, const Mask&);
  void close(u32 barrier); // all that waited have gone on
  // Lanes of a warp are ordered among each other.
  void meet(u32 warp, u32 lanes);

  struct Earlier {
    u32 thread = 0;
    RaceAccess access = RaceAccess::read;
    const Code* code = nullptr;
    const Op* op = nullptr;
  };
  // A thread accesses [offset, offset + bytes), which lies in shared memory; a store writes these bytes. Returns an access that it
  // races with.
  std::optional<Earlier> access(u32 thread, u64 offset, u32 bytes, RaceAccess, const Code&, const Op&,
                                const std::byte* stored);

private:
  using LaneTimes = std::array<u32, warp_size>;
  struct Warp {
    u32 time = 0;
    u32 common = 0;                         // up to then each lane knows of every lane
    std::array<LaneTimes, warp_size> knows; // [lane][of lane], where it is more
    LaneTimes given{};                      // what those knew who came to barriers
  };
  struct Epoch { // lanes of a warp that made one kind of access at one time
    u32 time = 0, lanes = 0;
    u32 place = 0; // in places_
    u32 warp = 0;
  };
  struct Cell {        // a byte, or a word that was only accessed as a whole
    Epoch write, read; // the last ones
    u32 stored = 0;
    u32 others = 0;                        // in others_: those that the last ones do not know of; 0: none
    RaceAccess written = RaceAccess::read; // or atomic; how `write` was made
  };
  struct Others {
    std::vector<Epoch> writes, reads;
  };
  struct Place {
    const Code* code = nullptr;
    const Op* op = nullptr;
  };

  LaneTimes joined(const Warp&, u32 lanes) const;
  static void learn(Warp&, u32 lanes, const LaneTimes&);
  std::optional<u32> unknown(const Epoch& earlier, u32 thread) const;
  void keep(Epoch& last, std::vector<Epoch> Others::*, Cell&, const Epoch& now, u32 thread);
  bool wrote(const Cell&, u32 thread) const;
  template <class F> void each(const Cell&, const Epoch& last, std::vector<Epoch> Others::*, F&&) const;
  void access(Cell&, u32 thread, const Epoch& now, RaceAccess, u32 value, std::optional<Earlier>& found);
  void split(u64 word);
  u32 place_of(const Code&, const Op&);

  u32 warps_ = 0;
  u32 base_ = 0; // times up to it belong to earlier CTAs, whose work is known to all
  Mask all_;
  std::vector<Warp> warp_;
  std::vector<u32> known_;                // [warp][of warp]
  std::array<std::vector<u32>, 16> came_; // [barrier][of warp]: what those knew who came since it was closed
  static constexpr u64 word_bytes = 4;
  std::vector<Cell> cells_; // of each byte; that of a whole word is its first one's
  std::vector<bool> whole_; // [words]
  std::vector<Others> others_;
  std::vector<Place> places_;
  std::unordered_map<const Op*, u32> place_; // its number
  u32 last_place_ = 0;
};

} // namespace warplens::sim
