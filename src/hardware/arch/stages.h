// Passes of the L1's tag and data stages for accesses in closed form.
//
// The rule (rules/l1_stages.h) sees every bit of an address, so that other counts' trick, to count once per place of the
// address period, does not do. But it sees them through an exclusive or: a common factor of all lines of a warp makes
// no difference. With the lowest line L of a warp and 2^k more than the distance to its highest, all that matters is
//   * where in its line the warp begins, and L mod 2^k;
//   * which set the carry leads to where the lines cross a multiple of 2^k: one of four.
// A form meets few such combinations: the passes of each are kept. A warp whose lines lie in one aligned pair, as most
// do, needs no more than the place of the address period. And a loop moves on by a few bytes: as long as no lane comes
// to another line, and all move by whole words, nothing changes, for banks only turn.
#pragma once
#include "arch/count.h"
#include <optional>
#include <vector>

namespace warplens::arch {

struct StageSums {
  u64 tag_passes = 0, data_wavefronts = 0;
  void add_to(Counts& counts) const {
    counts.tag_passes += tag_passes;
    counts.data_wavefronts += data_wavefronts;
  }
};

// The fewest and the most passes of the tag stage that this warp's access makes, with an active lane, wherever it begins at
// the same place of the address period: exact where its lines, apart from a common power of two, lie within some hundreds
// of each other; else from a quarter of them to as many.
struct PassBounds {
  u64 least = 0, most = 0;
};
PassBounds tag_pass_bounds(const access::WarpAccess&);

class AffineStages {
public:
  // Of accesses that differ from this one in their base, and in `cta_stride` by multiples of the address period.
  explicit AffineStages(const access::AffineAccess& form);
  StageSums count(const access::AffineAccess&);
  // Does it cost the same at every base that is at the same place of the address period?
  bool same_at(u64 base);

private:
  static constexpr u32 takes_no_part = ~u32{0};
  // The lanes of a warp, from the lowest address on.
  struct Shape {
    u32 lanes = 0;
    std::array<u64, warp_size> distance{};
    u64 furthest = 0;
    bool operator==(const Shape&) const = default;
  };
  struct Warp {
    u64 start = 0;             // of its lowest address, from the base
    u32 shape = takes_no_part; // the index of one
  };
  struct Known {
    u64 key = ~u64{0};
    StagePasses passes{};
  };

  void add_warp(const access::WarpAccess&);
  StagePasses passes(const Warp&, u64 base);
  StageSums count_anew(const access::AffineAccess&);
  void find_turns();
  StagePasses work_out(const Shape&, u64 first) const;
  std::span<const Warp> warps_of(u64 cta) const;

  access::AccessHeader header_;
  i64 cta_stride_ = 0;
  u64 count_ = 1;
  std::vector<Shape> shapes_;
  std::vector<Warp> warps_;       // of each CTA in turn, or of one that stands for all
  std::size_t warps_per_cta_ = 0; // 0: one stands for all
  std::vector<Known> known_;
  std::array<u8, address_period> same_{}; // 0 not known, 1 yes, 2 no
  // By the place of the base in its line: bases between two of them that differ put every lane into the same line.
  std::array<u8, 128> turns_{};
  bool turns_known_ = false;
  u64 last_line_ = 0, last_turn_ = ~u64{0}; // of the base that was counted last
  StageSums last_{};
};

} // namespace warplens::arch
