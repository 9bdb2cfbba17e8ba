// The sink of one worker of an emulated launch, with cells of its own, one per (site, space) that it met:
// nothing is shared until the launch has ended, so there are no locks and no atomics.
#pragma once
#include "measure/cells.h"
#include "measure/first_block.h"
#include <deque>

namespace warplens::measure {

class Worker final : public access::Sink {
public:
  // `site_index`: by SiteId the number of the site among `sites`; `sites` itself where it is not listed.
  // `places`: by site the place that it is followed with (first_block.h).
  Worker(Architectures architectures, std::span<const u32> site_index, std::span<const u32> places, u32 sites)
      : architectures_(architectures), site_index_(site_index), places_(places), sites_(sites) {}

  void lanes(const access::LaneBatch&) override;
  void affine(const access::AffineAccess&) override;
  void bulk(const access::BulkAccess&) override;
  void predicated_off(access::SiteId, u64 warps) override;

  // Calls f(cell), which is settled, for each space that this worker met at a site; `site` == sites: unlisted
  // ones.
  template <class F> void visit(u32 site, F&& f) {
    if (site >= head_.size()) return;
    for (Cell* cell = head_[site]; cell != nullptr; cell = cell->next) {
      cell->settle(architectures_);
      f(*cell);
    }
  }

  u64 predicated_off_at(u32 site) const { return site < off_.size() ? off_[site] : 0; } // warps

  // Of the first block, if this worker met it at that place.
  BlockFollower* follower(u32 place) { return place < followers_.size() ? followers_[place].get() : nullptr; }

private:
  void count(const access::LaneBatch&);
  BlockFollower& follower_of(const access::AccessHeader&);
  Cell& cell_of(const access::AccessHeader&);
  Cell& add_cell(u32 site, const access::AccessHeader&);
  void add_without_pattern(const access::LaneBatch&, Cell&);

  Architectures architectures_;
  std::span<const u32> site_index_, places_;
  u32 sites_;
  std::vector<Cell*> head_; // per site, the last one for sites that were not listed: the first cell, or none
  std::deque<Cell> cells_;
  std::vector<u64> off_; // per site, as head_: warps in which no lane performed it
  std::vector<std::unique_ptr<BlockFollower>> followers_; // by place
};

} // namespace warplens::measure
