// The counting path of an emulated launch: each worker has a sink of its own (worker.h); here they are added up.
#include "measure/collect.h"
#include "measure/worker.h"
#include <algorithm>
#include <map>
#include <optional>

namespace warplens::measure {
namespace {

// One CTA that stands for others: whichever it is, it is looked at like one of the sample.
class Representative final : public access::Sink {
public:
  explicit Representative(access::Sink& to) : to_(to) {}
  void lanes(const access::LaneBatch& batch) override {
    access::LaneBatch first = batch;
    first.cta = 0;
    to_.lanes(first);
  }
  void affine(const access::AffineAccess& access) override {
    access::AffineAccess first = access;
    first.cta = 0;
    to_.affine(first);
  }

private:
  access::Sink& to_;
};

// A worker's cells, and how often they count: in the sums, and in the sample that patterns are named from.
struct Share {
  Worker worker;
  u64 times = 1, samples = 1;
};

} // namespace

struct Collector::Impl {
  std::vector<const arch::Architecture*> architectures;
  std::span<const access::Site> sites;
  std::vector<u32> site_index; // by SiteId
  std::deque<Share> shares;    // of workers, or of classes of CTAs
  std::optional<Representative> representative;

  Share& add_share() {
    return shares.emplace_back(
        Share{Worker(architectures, site_index, static_cast<u32>(sites.size())), 1, 1});
  }

  SiteRecord empty_record(const access::Site& site, access::Space space) const {
    return {site, space, std::vector<arch::Counts>(architectures.size())};
  }

  // The records of one site over all workers, one per space, in the order of the spaces.
  std::vector<SiteRecord> records(u32 index, const access::Site& site) {
    std::map<access::Space, std::pair<SiteRecord, PatternTally>> spaces;
    for (Share& share : shares)
      share.worker.visit(index, [&](const Cell& cell) {
        auto [found, fresh] = spaces.try_emplace(cell.space);
        auto& [record, tally] = found->second;
        if (fresh) record = empty_record(site, cell.space);
        for (std::size_t a = 0; a < cell.sums.size(); ++a) record.counters[a] += cell.sums[a] * share.times;
        tally.add(cell.sample.patterns(), share.samples);
      });
    std::vector<SiteRecord> out;
    for (auto& [space, entry] : spaces) {
      entry.first.pattern = entry.second.most_frequent();
      out.push_back(std::move(entry.first));
    }
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
  for (u32 i = 0; i < workers; ++i) impl_->add_share();
}

Collector::~Collector() = default;

std::vector<access::Sink*> Collector::sinks() {
  std::vector<access::Sink*> out;
  for (Share& share : impl_->shares) out.push_back(&share.worker);
  return out;
}

access::Sink* Collector::begin_class() {
  if (!impl_->shares.empty() && impl_->shares.back().times == 0) impl_->shares.pop_back();
  Share& share = impl_->add_share();
  share.times = share.samples = 0;
  return &impl_->representative.emplace(share.worker);
}

void Collector::end_class(u64 members, u64 sampled) {
  impl_->shares.back().times = members;
  impl_->shares.back().samples = sampled;
}

std::vector<u64> Collector::sampled(u64 ctas) {
  std::vector<u64> out;
  for (u64 cta = 0; cta < std::min(ctas, last_sampled_cta + 1); ++cta)
    if (sample_slot(cta)) out.push_back(cta);
  return out;
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
  return out;
}

} // namespace warplens::measure
