// A worker's share of a launch: each access goes to the cell of its site, as it comes, lane by lane or in closed form, and to what
// follows the first block and counts the words of atomics. See worker.h.
#include "measure/worker.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::measure {

void Worker::count(const access::LaneBatch& batch) {
  Cell& cell = cell_of(batch);
  if (!batch.shows_pattern) return add_without_pattern(batch, cell);
  if (!architectures_.empty()) cell.lanes.add(*architectures_[0], batch, cell.accesses++, cell.sums.tally);
  for (std::size_t a = 1; a < architectures_.size(); ++a) cell.others[a - 1].add(*architectures_[a], batch);
}

// An asynchronous copy is two accesses: what it reads from global memory, and how it is written to shared memory.
void Worker::lanes(const access::LaneBatch& batch) {
  count(batch);
  if (batch.copied_to != nullptr) count(access::copied_half(batch));
  const u32 warps = static_cast<u32>(batch.active.size());
  if (BusiestWord::follows(batch)) {
    Cell& cell = cell_of(batch);
    for (u32 w = 0; w < warps; ++w)
      cell.words.add(batch.active[w], batch.address + std::size_t{w} * warp_size, batch.bytes);
  }
  if (batch.cta != 0 || !BlockFollower::follows(batch)) return;
  BlockFollower& follower = follower_of(batch);
  for (u32 w = 0; w < (batch.cta_warps != 0 ? std::min(warps, batch.cta_warps) : warps); ++w)
    if (batch.active[w] != 0) follower.add(w, access::warp_of(batch, w));
}

// Counted, and no more: these warps are in no class.
void Worker::add_without_pattern(const access::LaneBatch& batch, Cell& cell) {
  ++cell.accesses;
  for (std::size_t a = 0; a < architectures_.size(); ++a) {
    arch::Counts counts = arch::count(*architectures_[a], batch);
    cell.sums.counts[a] += counts;
    if (a == 0) cell.sums.without_pattern += counts;
  }
}

void Worker::affine(const access::AffineAccess& access) {
  Cell& cell = cell_of(access);
  if (cell.affine.add(access, cell.accesses, architectures_, cell.sums))
    ++cell.accesses;
  else
    count(arch::MaskedLanes(access).batch);
  if (BusiestWord::follows(access))
    for (u64 k = 0; k < access.count; ++k) {
      const access::AffineAccess one = access::cta_of(access, k);
      for (u32 w = 0; w < ceil_div(one.block.count(), warp_size); ++w)
        if (one.active.empty() || one.active[w] != 0) {
          const access::WarpAccess warp = access::expand(one, w);
          cell.words.add(warp.active, warp.address.data(), warp.bytes);
        }
    }
  if (access.cta != 0 || !BlockFollower::follows(access)) return;
  BlockFollower& follower = follower_of(access);
  u32 warps = static_cast<u32>(ceil_div(access.block.count(), warp_size));
  for (u32 w = 0; w < warps; ++w)
    if (access.active.empty() || access.active[w] != 0) follower.add(w, access::expand(access, w));
}

void Worker::bulk(const access::BulkAccess& access) {
  Cell& cell = cell_of(access);
  ++cell.accesses;
  for (std::size_t a = 0; a < architectures_.size(); ++a)
    cell.sums.counts[a] += arch::count_bulk(*architectures_[a], access);
}

void Worker::predicated_off(access::SiteId id, u64 warps) {
  if (off_.empty()) off_.resize(std::size_t{sites_} + 1);
  off_[id.value < site_index_.size() ? site_index_[id.value] : sites_] += warps;
}

BlockFollower& Worker::follower_of(const access::AccessHeader& access) {
  u32 site = access.site.value < site_index_.size() ? site_index_[access.site.value] : sites_;
  u32 place = site < places_.size() ? places_[site] : static_cast<u32>(places_.size());
  if (followers_.size() <= place) followers_.resize(places_.size() + 1);
  if (!followers_[place]) followers_[place] = std::make_unique<BlockFollower>();
  return *followers_[place];
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
