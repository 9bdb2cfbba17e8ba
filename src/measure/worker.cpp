#include "measure/worker.h"

namespace warplens::measure {

void Worker::lanes(const access::LaneBatch& batch) {
  Cell& cell = cell_of(batch);
  if (!architectures_.empty()) cell.lanes.add(*architectures_[0], batch, cell.accesses++, cell.sums.tally);
  for (std::size_t a = 1; a < architectures_.size(); ++a) cell.others[a - 1].add(*architectures_[a], batch);
}

void Worker::affine(const access::AffineAccess& access) {
  Cell& cell = cell_of(access);
  cell.affine.add(access, cell.accesses++, architectures_, cell.sums);
}

Cell& Worker::cell_of(const access::AccessHeader& access) {
  u32 site = access.site.value < site_index_.size() ? site_index_[access.site.value] : sites_;
  if (site < head_.size())
    for (Cell* cell = head_[site]; cell != nullptr; cell = cell->next)
      if (cell->header.space == access.space) return *cell;
  return add_cell(site, access);
}

Cell& Worker::add_cell(u32 site, const access::AccessHeader& access) {
  if (head_.empty()) head_.resize(std::size_t{sites_} + 1);
  Cell& cell = cells_.emplace_back();
  cell.header = access;
  cell.sums.tally = WarpTally(access.space);
  cell.next = head_[site];
  cell.sums.counts.resize(architectures_.size());
  if (architectures_.size() > 1) cell.others.resize(architectures_.size() - 1);
  return *(head_[site] = &cell);
}

} // namespace warplens::measure
