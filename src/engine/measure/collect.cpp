// The counting path of an emulated launch: each worker has a sink of its own (worker.h); here they are added up.
#include "measure/collect.h"
#include "measure/spread.h"
#include "measure/worker.h"
#include <algorithm>
#include <map>
#include <optional>

namespace warplens::measure {

// An access that a sample met less often is not judged by it.
static constexpr u64 fewest_to_judge = 20;

struct Collector::Impl {
  // The warps of one site in one space over all shares.
  struct Merged {
    SiteRecord record;
    access::AccessHeader header{};
    WarpTally tally{};
    arch::Counts without_pattern{};
    std::vector<Stratum> strata{}; // of a sample
    u64 met = 0;                   // accesses, if it stands for all
    BusiestWord words{};
    bool repeats = false; // blocks stand for others
  };

  // A worker's cells, and how often they count.
  struct Share {
    Worker worker;
    u64 times = 1;
    std::optional<u64> cta{}; // of those that they stand for: the first
    bool is_sampled = false;
    bool is_stratum() const { return is_sampled && times > 1; }
  };

  std::vector<const arch::Architecture*> architectures;
  std::span<const access::Site> sites;
  std::vector<u32> site_index;   // by SiteId
  std::vector<u32> places;       // by site the first one of its place: see first_block.h
  std::deque<Share> shares;      // of workers, or of classes of CTAs
  std::size_t first_sampled = 0; // of the shares
  std::vector<u64>
      strata; // of a sample that stands for the grid: batches of each, where that is more than one

  Share& add_share() {
    return shares.emplace_back(
        Share{Worker(architectures, site_index, places, static_cast<u32>(sites.size()))});
  }

  SiteRecord empty_record(const access::Site& site, access::Space space) const {
    SiteRecord out{site, space, std::vector<arch::Counts>(architectures.size())};
    out.spread = strata.empty() ? 0 : 1; // what no block of a sample did, others may have done
    if (site.kind == access::Kind::async_copy && space == access::Space::shared)
      out.site.array = site.copied_to;
    return out;
  }

  void find_places() {
    std::map<InlinedPlace, u32> known;
    for (u32 i = 0; i < sites.size(); ++i)
      places.push_back(sites[i].frames.empty() ? i : known.try_emplace(place_of(sites[i]), i).first->second);
  }

  // What was followed of a place goes to each of its records. Where two workers met the block, as none does today, the one
  // that met more of it is asked.
  void add_first_blocks(std::vector<SiteRecord>& records) {
    if (architectures.empty()) return;
    std::map<u32, FirstBlock> by_place;
    for (Share& share : shares)
      for (u32 place = 0; place <= sites.size(); ++place) {
        BlockFollower* follower = share.cta.value_or(0) == 0 ? share.worker.follower(place) : nullptr;
        if (follower == nullptr) continue;
        FirstBlock found = follower->finish(*architectures[0]);
        FirstBlock& known = by_place[place];
        if (found.requests > known.requests) known = found;
      }
    for (SiteRecord& record : records) {
      if (record.space != access::Space::global || record.distribution.classes.empty()) continue;
      u32 site = record.site.id.valid() && record.site.id.value < site_index.size()
                     ? site_index[record.site.id.value]
                     : static_cast<u32>(sites.size());
      auto found = by_place.find(site < places.size() ? places[site] : static_cast<u32>(places.size()));
      if (found == by_place.end()) continue;
      record.distribution.first_block = found->second;
    }
  }

  // The records of one site over all workers, one per space, in the order of the spaces.
  std::vector<SiteRecord> records(u32 index, const access::Site& site) {
    std::map<access::Space, Merged> spaces;
    std::size_t stratum = 0;
    u64 off = 0;
    for (Share& share : shares) {
      if (share.times == 0) continue; // forgotten
      off += share.worker.predicated_off_at(index) * share.times;
      share.worker.visit(index, [&](Cell& cell) {
        auto [found, fresh] = spaces.try_emplace(cell.header.space);
        Merged& merged = found->second;
        if (fresh)
          merged = {empty_record(site, cell.header.space),
                    cell.header,
                    WarpTally(),
                    {},
                    std::vector<Stratum>(strata.size())};
        if (share.is_stratum() && !architectures.empty()) merged.strata[stratum].counts = cell.sums.counts[0];
        if (share.is_sampled && !architectures.empty()) merged.met += cell.sums.counts[0].instructions;
        for (std::size_t a = 0; a < cell.sums.counts.size(); ++a)
          merged.record.counters[a] += cell.sums.counts[a] * share.times;
        if (share.cta) cell.sums.tally.move_to(*share.cta);
        merged.tally.add(cell.sums.tally, share.times);
        merged.without_pattern += cell.sums.without_pattern * share.times;
        merged.words.add(cell.words, share.times), merged.repeats |= share.times > 1;
      });
      if (share.is_stratum()) ++stratum;
    }
    std::vector<SiteRecord> out;
    for (auto& [space, merged] : spaces) {
      if (!strata.empty() && !architectures.empty()) {
        for (std::size_t i = 0; i < strata.size(); ++i) merged.strata[i].batches = strata[i];
        const bool at_edges = std::ranges::all_of(
            merged.strata, [](const Stratum& one) { return one.counts.instructions == 0; });
        merged.record.spread = merged.met < fewest_to_judge || at_edges
                                   ? 1
                                   : spread_of(merged.strata, merged.record.counters[0]);
      }
      if (!architectures.empty())
        merged.record.distribution = distribution_of(merged.tally, merged.header, *architectures[0]);
      // The instruction says how wide the result is; the texel's width is the object's.
      bool texels = space == access::Space::texture || space == access::Space::surface;
      if (texels) merged.record.site.bytes = merged.header.bytes;
      merged.record.distribution.busiest_word = merged.words.updates();
      merged.record.distribution.busiest_is_bound =
          merged.words.updates() != 0 && (merged.repeats || merged.words.is_bound());
      merged.record.distribution.other += merged.without_pattern;
      merged.record.distribution.other_warps += merged.without_pattern.instructions;
      merged.record.pattern = pattern_of(merged.record.distribution);
      out.push_back(std::move(merged.record));
    }
    if (off != 0 && out.empty()) out.push_back(empty_record(site, site.space));
    if (off != 0) out.front().predicated_off = off; // which space they would have accessed is not known
    return out;
  }
};

Collector::Collector(Architectures architectures, std::span<const access::Site> sites, u32 workers)
    : impl_(std::make_unique<Impl>()) {
  impl_->architectures.assign(architectures.begin(), architectures.end());
  impl_->sites = sites;
  u32 count = static_cast<u32>(sites.size());
  for (u32 i = 0; i < count; ++i) {
    if (!sites[i].id.valid()) continue;
    if (sites[i].id.value >= impl_->site_index.size()) impl_->site_index.resize(sites[i].id.value + 1, count);
    impl_->site_index[sites[i].id.value] = i;
  }
  impl_->find_places();
  for (u32 i = 0; i < workers; ++i) impl_->add_share();
}

Collector::~Collector() = default;

std::vector<access::Sink*> Collector::sinks() {
  std::vector<access::Sink*> out;
  for (Impl::Share& share : impl_->shares) out.push_back(&share.worker);
  return out;
}

access::Sink* Collector::begin_class() {
  if (!impl_->shares.empty() && impl_->shares.back().times == 0) impl_->shares.pop_back();
  Impl::Share& share = impl_->add_share();
  share.times = 0;
  return &share.worker;
}

void Collector::end_class(u64 members, u64 first_member) {
  impl_->shares.back().times = members;
  impl_->shares.back().cta = first_member;
}

std::vector<access::Sink*> Collector::begin_sample(std::size_t parts) {
  std::vector<access::Sink*> out;
  impl_->first_sampled = impl_->shares.size();
  for (std::size_t i = 0; i < parts; ++i) {
    Impl::Share& share = impl_->add_share();
    share.is_sampled = true;
    out.push_back(&share.worker);
  }
  return out;
}

void Collector::end_sample(std::span<const u64> weights) {
  for (std::size_t i = 0; i < impl_->shares.size(); ++i) {
    Impl::Share& share = impl_->shares[i];
    share.times = share.is_sampled ? weights[i - impl_->first_sampled] : 0;
    if (share.is_stratum()) impl_->strata.push_back(share.times);
  }
}

std::vector<SiteRecord> Collector::finish() {
  std::vector<SiteRecord> out;
  u32 count = static_cast<u32>(impl_->sites.size());
  for (u32 i = 0; i <= count; ++i) {
    static const access::Site unlisted{};
    const access::Site& site = i < count ? impl_->sites[i] : unlisted;
    std::vector<SiteRecord> records = impl_->records(i, site);
    if (records.empty() && i < count) records.push_back(impl_->empty_record(site, site.space));
    for (SiteRecord& record : records) out.push_back(std::move(record));
  }
  impl_->add_first_blocks(out);
  return out;
}

} // namespace warplens::measure
