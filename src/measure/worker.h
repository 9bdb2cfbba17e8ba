// The sink of one worker of an emulated launch, with cells of its own, one per (site, space) that it met:
// nothing is shared until the launch has ended, so there are no locks and no atomics.
#pragma once
#include "measure/cells.h"
#include <deque>

namespace warplens::measure {

class Worker final : public access::Sink {
public:
  // `site_index`: by SiteId the number of the site among `sites`; `sites` itself where it is not listed.
  Worker(Architectures architectures, std::span<const u32> site_index, u32 sites)
      : architectures_(architectures), site_index_(site_index), sites_(sites) {}

  void lanes(const access::LaneBatch&) override;
  void affine(const access::AffineAccess&) override;

  // Calls f(cell), which is settled, for each space that this worker met at a site; `site` == sites: unlisted
  // ones.
  template <class F> void visit(u32 site, F&& f) {
    if (site >= head_.size()) return;
    for (Cell* cell = head_[site]; cell != nullptr; cell = cell->next) {
      cell->settle(architectures_);
      f(*cell);
    }
  }

private:
  Cell& cell_of(const access::AccessHeader&);
  Cell& add_cell(u32 site, const access::AccessHeader&);

  Architectures architectures_;
  std::span<const u32> site_index_;
  u32 sites_;
  std::vector<Cell*> head_; // per site, the last one for sites that were not listed: the first cell, or none
  std::deque<Cell> cells_;
};

} // namespace warplens::measure
