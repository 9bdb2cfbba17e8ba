#include "measure/worker.h"

namespace warplens::measure {

void Worker::lanes(const access::LaneBatch& batch) {
  Cell& cell = cell_of(batch.site, batch.space);
  for (std::size_t a = 0; a < architectures_.size(); ++a) cell.batches[a].add(*architectures_[a], batch);
  if (!architectures_.empty()) cell.sample.add(*architectures_[0], batch);
}

void Worker::affine(const access::AffineAccess& access) {
  Cell& cell = cell_of(access.site, access.space);
  cell.affine.add(access, architectures_, cell.sums);
  if (!architectures_.empty()) cell.sample.add(*architectures_[0], access);
}

Cell& Worker::cell_of(access::SiteId id, access::Space space) {
  u32 site = id.value < site_index_.size() ? site_index_[id.value] : sites_;
  if (site < head_.size())
    for (Cell* cell = head_[site]; cell != nullptr; cell = cell->next)
      if (cell->space == space) return *cell;
  return add_cell(site, space);
}

Cell& Worker::add_cell(u32 site, access::Space space) {
  if (head_.empty()) head_.resize(std::size_t{sites_} + 1);
  Cell& cell = cells_.emplace_back();
  cell.space = space;
  cell.next = head_[site];
  cell.sums.resize(architectures_.size());
  cell.batches.resize(architectures_.size());
  return *(head_[site] = &cell);
}

} // namespace warplens::measure
