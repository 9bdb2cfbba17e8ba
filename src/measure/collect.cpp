// The counting path of an emulated launch. Each worker owns a sink with its own cells, one per (site, space)
// that it met; nothing is shared until finish(), so there are no locks and no atomics.
//
// Affine accesses are what most sites of most kernels do, again and again with the same strides: their counts
// depend on the bases of the CTAs only modulo 256 bytes (the largest unit that any rule of docs/MODEL.md
// speaks of: two 128-byte segments, a row of 3.x banks), so a cell remembers the counts per (strides, bases
// mod 256, block) and a repeated pattern costs one lookup and one addition, for any number of architectures.
//
// Patterns are named from a sample that depends on the CTA's index and on how often the CTA executed the
// site, never on the worker: CTAs 0…15 and every 61st (a prime, to meet all columns of a grid) up to 80 in
// all; of each the executions 1 to 4 and then each power of two; of each at most 4 warps.
#include "measure/collect.h"
#include "base/bits.h"
#include "measure/pattern.h"
#include "measure/totals.h"
#include <algorithm>
#include <deque>

namespace warplens::measure {
namespace {

constexpr u64 base_period = 256;
constexpr u32 no_index = 0xffffffffu;
constexpr u32 first_ctas = 16, cta_spacing = 61, sampled_ctas = 80, sampled_warps = 4, sampled_first = 4;
constexpr std::size_t most_seen = 16;
constexpr u64 last_sampled_cta = u64{cta_spacing} * (sampled_ctas - first_ctas - 1);

using Architectures = std::span<const arch::Architecture* const>;

// The sample slot of a CTA, or none.
std::optional<u32> sample_slot(u64 cta) {
  if (cta < first_ctas) return static_cast<u32>(cta);
  if (cta % cta_spacing == 0 && cta / cta_spacing < sampled_ctas - first_ctas)
    return static_cast<u32>(first_ctas + cta / cta_spacing);
  return {};
}

// What an affine access counts, apart from its site: see the top of the file.
struct AffineKey {
  std::array<i64, 3> stride{};
  u64 base = 0, cta_stride = 0; // modulo base_period
  u64 count = 1;
  Dim3 block;
  u8 bytes = 0;
  // One warp of a CTA of which not all threads perform the access: its lanes and, where warps differ in more
  // than their base, its number. Otherwise 0.
  u32 active = 0, warp = 0;
  bool operator==(const AffineKey& o) const { // written out: the default calls memcmp for the strides
    return base == o.base && cta_stride == o.cta_stride && count == o.count && stride[0] == o.stride[0] &&
           stride[1] == o.stride[1] && stride[2] == o.stride[2] && block == o.block && bytes == o.bytes &&
           active == o.active && warp == o.warp;
  }
  u64 hash() const {
    u64 h = (base << 8 ^ cta_stride ^ count << 16) * 0x9e3779b97f4a7c15u + static_cast<u64>(stride[0]);
    h = h * 0x9e3779b97f4a7c15u + static_cast<u64>(stride[1]);
    h = h * 0x9e3779b97f4a7c15u + static_cast<u64>(stride[2]);
    h = h * 0x9e3779b97f4a7c15u + (u64{block.x} << 32 ^ u64{block.y} << 16 ^ block.z);
    h = h * 0x9e3779b97f4a7c15u + (u64{warp} << 32 ^ active);
    return h ^ h >> 29;
  }
};

// Counts of affine accesses by key: open addressing, folded into the cell's sums when it would grow past its
// bound.
class AffineCache {
public:
  struct Entry {
    AffineKey key;
    u64 times = 0; // 0: free
    std::vector<arch::Counts> counts;
  };

  // The entry of `key`, with times == 0 when it is new; nullptr when the cache is full.
  Entry* find(const AffineKey& key) {
    if (last_ != nullptr && last_->key == key) return last_;
    if (entries_.empty()) entries_.resize(8);
    if (used_ * 2 >= entries_.size() && !grow()) return nullptr;
    last_ = &slot(key);
    if (last_->times == 0) last_->key = key, ++used_;
    return last_;
  }

  void fold_into(std::vector<Counters>& sums) {
    for (Entry& entry : entries_) {
      for (std::size_t a = 0; entry.times != 0 && a < sums.size(); ++a)
        add(sums[a], entry.counts[a], entry.times);
      entry.times = 0;
    }
    used_ = 0;
    last_ = nullptr;
  }

private:
  static constexpr std::size_t most_entries = 4096;

  Entry& slot(const AffineKey& key) {
    std::size_t mask = entries_.size() - 1, i = key.hash() & mask;
    while (entries_[i].times != 0 && !(entries_[i].key == key)) i = (i + 1) & mask;
    return entries_[i];
  }

  bool grow() {
    if (entries_.size() >= most_entries) return false;
    std::vector<Entry> old = std::move(entries_);
    entries_ = std::vector<Entry>(old.size() * 2);
    for (Entry& entry : old)
      if (entry.times != 0) slot(entry.key) = std::move(entry);
    last_ = nullptr;
    return true;
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
  Entry* last_ = nullptr;
};

// The sampled warps of an affine access that was met before.
struct Seen {
  AffineKey key;
  std::vector<Observation> warps;
};

// One (site, space) of one worker.
struct Cell {
  access::Space space{};
  u32 next = no_index;        // the same site in another space
  std::vector<Counters> sums; // per architecture
  AffineCache affine;
  PatternTally patterns;
  std::vector<Seen> seen;                     // at most most_seen
  std::array<u32, sampled_ctas> executions{}; // of each sampled CTA
};

class Worker final : public access::Sink {
public:
  Worker(Architectures architectures, std::span<const u32> site_index, u32 sites)
      : architectures_(architectures), site_index_(site_index), sites_(sites) {}

  void lanes(const access::LaneBatch& batch) override {
    Cell& cell = cell_of(batch.site, batch.space);
    for (std::size_t a = 0; a < architectures_.size(); ++a)
      add(cell.sums[a], arch::count(*architectures_[a], batch));
    u32 warps = static_cast<u32>(batch.active.size()),
        cta_warps = batch.cta_warps == 0 ? warps : batch.cta_warps;
    u64 cta = batch.cta;
    for (u32 first = 0; first < warps && cta <= last_sampled_cta; first += cta_warps, ++cta) {
      // Of each CTA the warps from the first to the last that took part.
      u32 begin = first, end = std::min(warps, first + cta_warps);
      while (begin < end && batch.active[begin] == 0) ++begin;
      while (begin < end && batch.active[end - 1] == 0) --end;
      if (begin < end && is_sampled(cell, cta))
        sample(cell, end - begin, [&](u32 warp) { return warp_of(batch, begin + warp); });
    }
  }

  void affine(const access::AffineAccess& access) override {
    Cell& cell = cell_of(access.site, access.space);
    if (!access.active.empty()) return some_threads(cell, access);
    AffineKey key = key_of(access);
    AffineCache::Entry& entry = entry_of(cell, key);
    if (entry.times == 0) {
      entry.counts.clear();
      for (const arch::Architecture* architecture : architectures_)
        entry.counts.push_back(arch::count(*architecture, access));
    }
    ++entry.times;
    access::AffineAccess one = access;
    one.count = 1;
    for (u64 k = 0; k < access.count && one.cta <= last_sampled_cta; ++k, ++one.cta) {
      if (is_sampled(cell, one.cta)) sample_affine(cell, one);
      one.base += static_cast<u64>(access.cta_stride);
    }
  }

  // Calls f(space, sums, patterns) for each space that this worker met at a site; `site` == sites: unlisted
  // ones.
  template <class F> void visit(u32 site, F&& f) {
    if (site >= head_.size()) return;
    for (u32 i = head_[site]; i != no_index; i = cells_[i].next) {
      cells_[i].affine.fold_into(cells_[i].sums);
      f(cells_[i].space, cells_[i].sums, cells_[i].patterns);
    }
  }

private:
  Cell& cell_of(access::SiteId id, access::Space space) {
    u32 site = id.value < site_index_.size() ? site_index_[id.value] : sites_;
    if (head_.empty()) head_.resize(std::size_t{sites_} + 1, no_index);
    for (u32 i = head_[site]; i != no_index; i = cells_[i].next)
      if (cells_[i].space == space) return cells_[i];
    Cell& cell = cells_.emplace_back();
    cell.space = space;
    cell.next = head_[site];
    cell.sums.resize(architectures_.size());
    head_[site] = static_cast<u32>(cells_.size() - 1);
    return cell;
  }

  static AffineKey key_of(const access::AffineAccess& access) {
    return {access.stride,
            access.base % base_period,
            static_cast<u64>(access.cta_stride) % base_period,
            access.count,
            access.block,
            access.bytes};
  }

  static AffineCache::Entry& entry_of(Cell& cell, const AffineKey& key) {
    AffineCache::Entry* entry = cell.affine.find(key);
    if (entry == nullptr) {
      cell.affine.fold_into(cell.sums);
      entry = cell.affine.find(key);
    }
    return *entry;
  }

  // An access of some threads, warp by warp. CTAs of a batch mostly do as the one before them.
  void some_threads(Cell& cell, const access::AffineAccess& access) {
    u32 warps = static_cast<u32>(ceil_div(access.block.count(), warp_size));
    bool same_base = static_cast<u64>(access.cta_stride) % base_period == 0;
    access::AffineAccess one = access;
    for (u64 k = 0, alike = 0; k < access.count; k += alike) {
      one.active = access.active.subspan(k * warps, warps);
      alike = 1;
      while (same_base && k + alike < access.count &&
             std::equal(one.active.begin(), one.active.end(), access.active.begin() + (k + alike) * warps))
        ++alike;
      count_warps(cell, one, alike);
      for (u64 c = 0; c < alike; ++c, ++one.cta, one.base += static_cast<u64>(access.cta_stride))
        if (one.cta <= last_sampled_cta) sample_some(cell, one);
    }
  }

  // The warps of one CTA, `times` times.
  void count_warps(Cell& cell, const access::AffineAccess& one, u64 times) {
    bool rows_end_within_warps = one.block.x % warp_size != 0 && (one.block.y != 1 || one.block.z != 1);
    for (u32 w = 0; w < one.active.size(); ++w) {
      u32 active = one.active[w] & access::lanes_of_warp(one.block, w);
      if (active == 0) continue;
      u64 thread = u64{w} * warp_size, plane = u64{one.block.x} * one.block.y;
      u64 base = one.base + static_cast<u64>(one.stride[0]) * (thread % one.block.x) +
                 static_cast<u64>(one.stride[1]) * (thread % plane / one.block.x) +
                 static_cast<u64>(one.stride[2]) * (thread / plane);
      AffineKey key{one.stride, base % base_period, 0,      1,
                    one.block,  one.bytes,          active, rows_end_within_warps ? w : 0};
      AffineCache::Entry& entry = entry_of(cell, key);
      if (entry.times == 0) {
        entry.counts.clear();
        access::WarpAccess access = access::expand(one, w);
        for (const arch::Architecture* architecture : architectures_)
          entry.counts.push_back(arch::count(*architecture, access));
      }
      entry.times += times;
    }
  }

  void sample_some(Cell& cell, const access::AffineAccess& one) {
    u32 begin = 0, end = static_cast<u32>(one.active.size());
    while (begin < end && one.active[begin] == 0) ++begin;
    while (begin < end && one.active[end - 1] == 0) --end;
    if (begin < end && is_sampled(cell, one.cta))
      sample(cell, end - begin, [&](u32 warp) { return access::expand(one, begin + warp); });
  }

  // What a warp looks like depends on the base modulo the period too, so one look is remembered.
  void sample_affine(Cell& cell, const access::AffineAccess& one) {
    AffineKey key = key_of(one);
    auto seen = std::find_if(cell.seen.begin(), cell.seen.end(), [&](const Seen& s) { return s.key == key; });
    if (seen == cell.seen.end()) {
      if (cell.seen.size() == most_seen) cell.seen.clear();
      seen = cell.seen.insert(cell.seen.end(), {key, {}});
      each_sampled(
          static_cast<u32>(ceil_div(one.block.count(), warp_size)),
          [&](u32 warp) { return access::expand(one, warp); },
          [&](const Observation& observation) { seen->warps.push_back(observation); });
    }
    for (const Observation& observation : seen->warps) cell.patterns.add(observation);
  }

  static bool is_sampled(Cell& cell, u64 cta) {
    std::optional<u32> slot = sample_slot(cta);
    if (!slot) return false;
    u32 execution = cell.executions[*slot]++;
    return execution < sampled_first || is_power_of_two(u64{execution} + 1);
  }

  template <class WarpOf> void sample(Cell& cell, u32 warps, WarpOf&& warp_of_index) {
    each_sampled(warps, warp_of_index, [&](const Observation& o) { cell.patterns.add(o); });
  }

  template <class WarpOf, class F> void each_sampled(u32 warps, WarpOf&& warp_of_index, F&& f) {
    if (architectures_.empty()) return;
    u32 step = std::max(1u, warps / sampled_warps);
    for (u32 warp = 0, taken = 0; warp < warps && taken < sampled_warps; warp += step) {
      access::WarpAccess access = warp_of_index(warp);
      if (access.active == 0) continue;
      f(observe(access, arch::count(*architectures_[0], access)));
      ++taken;
    }
  }

  static access::WarpAccess warp_of(const access::LaneBatch& batch, u32 warp) {
    access::WarpAccess out{batch.site,  batch.space,    batch.kind,         batch.cache,
                           batch.bytes, batch.matrices, batch.active[warp], {}};
    std::copy_n(batch.address + std::size_t{warp} * warp_size, warp_size, out.address.begin());
    return out;
  }

  Architectures architectures_;
  std::span<const u32> site_index_;
  u32 sites_;
  std::vector<u32> head_; // per site, the last one for sites that were not listed: the first cell, or none
  std::deque<Cell> cells_;
};

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

// The space that an instruction which never ran would have accessed, as far as its opcode says.
access::Space space_of_opcode(std::string_view opcode) {
  using enum access::Space;
  if (opcode.starts_with("tex") || opcode.starts_with("tld4")) return texture;
  if (opcode.starts_with("suld") || opcode.starts_with("sust") || opcode.starts_with("sured")) return surface;
  if (opcode.starts_with("ldmatrix") || opcode.starts_with("stmatrix")) return shared;
  for (access::Space space : {shared, local, access::Space::constant})
    if (std::size_t at = opcode.find(space == constant ? ".const" : access::name(space));
        at != opcode.npos && !opcode.starts_with("cp.async"))
      return space;
  return global;
}

} // namespace

struct Collector::Impl {
  std::vector<const arch::Architecture*> architectures;
  std::vector<access::Site> sites;
  std::vector<u32> site_index; // by SiteId
  std::deque<Share> shares;    // of workers, or of classes of CTAs
  std::optional<Representative> representative;

  Share& add_share() {
    return shares.emplace_back(
        Share{Worker(architectures, site_index, static_cast<u32>(sites.size())), 1, 1});
  }

  SiteRecord empty_record(const access::Site& site, access::Space space) const {
    return {site, space, std::vector<Counters>(architectures.size()), {}};
  }

  // The records of one site over all workers, one per space, in the order of the spaces.
  std::vector<SiteRecord> records(u32 index, const access::Site& site) {
    std::map<access::Space, std::pair<SiteRecord, PatternTally>> spaces;
    for (Share& share : shares)
      share.worker.visit(
          index, [&](access::Space space, const std::vector<Counters>& sums, const PatternTally& patterns) {
            auto& [record, tally] =
                spaces.try_emplace(space, empty_record(site, space), PatternTally{}).first->second;
            for (std::size_t a = 0; a < sums.size(); ++a) add(record.counters[a], sums[a], share.times);
            tally.add(patterns, share.samples);
          });
    std::vector<SiteRecord> out;
    for (auto& [space, entry] : spaces) {
      entry.first.pattern = entry.second.most_frequent(site);
      out.push_back(std::move(entry.first));
    }
    return out;
  }
};

Collector::Collector(Architectures architectures, std::span<const access::Site> sites, u32 workers)
    : impl_(std::make_unique<Impl>()) {
  impl_->architectures.assign(architectures.begin(), architectures.end());
  impl_->sites.assign(sites.begin(), sites.end());
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
    if (records.empty() && i < count)
      records.push_back(impl_->empty_record(site, space_of_opcode(site.opcode)));
    for (SiteRecord& record : records) out.push_back(std::move(record));
  }
  return out;
}

} // namespace warplens::measure
