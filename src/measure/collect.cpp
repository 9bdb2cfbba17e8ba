// The counting path of an emulated launch. Each worker owns a sink with its own cells, one per (site, space)
// that it met; nothing is shared until finish(), so there are no locks and no atomics.
//
// Affine accesses are what most sites of most kernels do, again and again with the same strides: their counts
// depend on the bases of the CTAs only modulo 256 bytes (the largest unit that any rule of docs/MODEL.md
// speaks of: two 128-byte segments, a row of 3.x banks). So a cell keeps the forms that it met (strides,
// block, masks) and, for each, how often it began at each of the 256 places; what that counts is worked out
// in the end, once per form and place, for any number of architectures.
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
#include <memory>
#include <utility>

namespace warplens::measure {
namespace {

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

// The first CTA of the sample from `cta` on, or one past the last.
u64 next_sampled(u64 cta) {
  return cta < first_ctas ? cta : (cta + cta_spacing - 1) / cta_spacing * cta_spacing;
}

// An affine access apart from the place where it begins, and how often it began at each place of the period.
class AffineForm {
public:
  explicit AffineForm(const access::AffineAccess& first)
      : access_(first), active_(first.active.begin(), first.active.end()) {
    access_.base -= access_.base % arch::address_period;
    access_.active = active_;
  }
  AffineForm(const AffineForm&) = delete;

  bool matches(const access::AffineAccess& o) const {
    const access::AffineAccess& a = access_;
    return a.stride[0] == o.stride[0] && a.stride[1] == o.stride[1] && a.stride[2] == o.stride[2] &&
           a.count == o.count && static_cast<u64>(a.cta_stride - o.cta_stride) % arch::address_period == 0 &&
           a.bytes == o.bytes && a.kind == o.kind && a.cache == o.cache && a.block == o.block &&
           a.active.size() == o.active.size() &&
           std::equal(o.active.begin(), o.active.end(), active_.begin());
  }

  void add(u64 base) { ++times_[base % arch::address_period]; }

  void fold_into(Architectures architectures, std::vector<Counters>& sums) const {
    for (u64 place = 0; place < arch::address_period; ++place) {
      if (times_[place] == 0) continue;
      access::AffineAccess one = access_;
      one.base += place;
      for (std::size_t a = 0; a < sums.size(); ++a)
        measure::add(sums[a], arch::count(*architectures[a], one), times_[place]);
    }
  }

private:
  access::AffineAccess access_;
  std::vector<u32> active_;
  std::array<u64, arch::address_period> times_{};
};

// The forms of one cell's affine accesses, at most so many: then the one that was met longest ago is folded
// into the cell's sums. Sites in loops go through their forms in turns, so the next one is tried first.
class AffineForms {
public:
  void add(const access::AffineAccess& access, Architectures architectures, std::vector<Counters>& sums) {
    std::size_t count = forms_.size();
    if (last_ < count && forms_[last_]->matches(access)) return forms_[last_]->add(access.base);
    for (std::size_t tried = 1; tried < count; ++tried) {
      std::size_t i = last_ + tried < count ? last_ + tried : last_ + tried - count;
      if (!forms_[i]->matches(access)) continue;
      last_ = i;
      return forms_[i]->add(access.base);
    }
    auto form = std::make_unique<AffineForm>(access);
    form->add(access.base);
    if (count < most_forms) {
      forms_.push_back(std::move(form));
      last_ = count;
      return;
    }
    last_ = last_ + 1 == count ? 0 : last_ + 1;
    forms_[last_]->fold_into(architectures, sums);
    forms_[last_] = std::move(form);
  }

  void fold_into(Architectures architectures, std::vector<Counters>& sums) {
    for (const auto& form : forms_) form->fold_into(architectures, sums);
    forms_.clear();
  }

private:
  static constexpr std::size_t most_forms = 64;
  std::vector<std::unique_ptr<AffineForm>> forms_;
  std::size_t last_ = 0;
};

// The sampled warps of an affine access of all threads that was met before.
struct Seen {
  std::array<i64, 3> stride{};
  u64 place = 0; // the base modulo the period
  Dim3 block;
  u8 bytes = 0;
  std::vector<Observation> warps;
};

// One (site, space) of one worker.
struct Cell {
  access::Space space{};
  Cell* next = nullptr;                    // the same site in another space
  std::vector<Counters> sums;              // per architecture
  std::vector<arch::BatchCounter> batches; // of lanes, which are not in the sums yet
  AffineForms affine;
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
    for (std::size_t a = 0; a < architectures_.size(); ++a) cell.batches[a].add(*architectures_[a], batch);
    u32 warps = static_cast<u32>(batch.active.size()),
        cta_warps = batch.cta_warps == 0 ? warps : batch.cta_warps;
    for (u64 cta = next_sampled(batch.cta); cta <= last_sampled_cta && (cta - batch.cta) * cta_warps < warps;
         cta = next_sampled(cta + 1)) {
      u32 first = static_cast<u32>(cta - batch.cta) * cta_warps, count = std::min(cta_warps, warps - first);
      sample(cell, cta, batch.active.subspan(first, count),
             [&](u32 warp) { return warp_of(batch, first + warp); });
    }
  }

  void affine(const access::AffineAccess& access) override {
    Cell& cell = cell_of(access.site, access.space);
    cell.affine.add(access, architectures_, cell.sums);
    for (u64 cta = next_sampled(access.cta); cta <= last_sampled_cta && cta - access.cta < access.count;
         cta = next_sampled(cta + 1)) {
      access::AffineAccess one = access;
      u64 k = cta - access.cta, warps = access.active.size() / access.count;
      one.base += static_cast<u64>(access.cta_stride) * k;
      one.active = access.active.subspan(k * warps, warps);
      if (warps == 0)
        sample_all(cell, cta, one);
      else
        sample(cell, cta, one.active, [&](u32 warp) { return access::expand(one, warp); });
    }
  }

  // Calls f(space, sums, patterns) for each space that this worker met at a site; `site` == sites: unlisted
  // ones.
  template <class F> void visit(u32 site, F&& f) {
    if (site >= head_.size()) return;
    for (Cell* cell = head_[site]; cell != nullptr; cell = cell->next) {
      cell->affine.fold_into(architectures_, cell->sums);
      for (std::size_t a = 0; a < cell->sums.size(); ++a) add(cell->sums[a], cell->batches[a].take());
      f(cell->space, cell->sums, cell->patterns);
    }
  }

private:
  Cell& cell_of(access::SiteId id, access::Space space) {
    u32 site = id.value < site_index_.size() ? site_index_[id.value] : sites_;
    if (site < head_.size())
      for (Cell* cell = head_[site]; cell != nullptr; cell = cell->next)
        if (cell->space == space) return *cell;
    return add_cell(site, space);
  }

  Cell& add_cell(u32 site, access::Space space) {
    if (head_.empty()) head_.resize(std::size_t{sites_} + 1);
    Cell& cell = cells_.emplace_back();
    cell.space = space;
    cell.next = head_[site];
    cell.sums.resize(architectures_.size());
    cell.batches.resize(architectures_.size());
    return *(head_[site] = &cell);
  }

  // What a warp looks like depends on the base modulo the period too, so one look is remembered.
  void sample_all(Cell& cell, u64 cta, const access::AffineAccess& one) {
    if (!is_sampled(cell, cta)) return;
    u64 place = one.base % arch::address_period;
    auto seen = std::find_if(cell.seen.begin(), cell.seen.end(), [&](const Seen& s) {
      return s.place == place && s.stride == one.stride && s.block == one.block && s.bytes == one.bytes;
    });
    if (seen == cell.seen.end()) {
      if (cell.seen.size() == most_seen) cell.seen.clear();
      seen = cell.seen.insert(cell.seen.end(), {one.stride, place, one.block, one.bytes, {}});
      each_sampled(
          static_cast<u32>(ceil_div(one.block.count(), warp_size)),
          [&](u32 warp) { return access::expand(one, warp); },
          [&](const Observation& observation) { seen->warps.push_back(observation); });
    }
    for (const Observation& observation : seen->warps) cell.patterns.add(observation);
  }

  // Of a CTA the warps from the first to the last that took part.
  template <class WarpOf>
  void sample(Cell& cell, u64 cta, std::span<const u32> active, WarpOf&& warp_of_index) {
    u32 begin = 0, end = static_cast<u32>(active.size());
    while (begin < end && active[begin] == 0) ++begin;
    while (begin < end && active[end - 1] == 0) --end;
    if (begin == end || !is_sampled(cell, cta)) return;
    each_sampled(
        end - begin, [&](u32 warp) { return warp_of_index(begin + warp); },
        [&](const Observation& o) { cell.patterns.add(o); });
  }

  static bool is_sampled(Cell& cell, u64 cta) {
    std::optional<u32> slot = sample_slot(cta);
    if (!slot) return false;
    u32 execution = cell.executions[*slot]++;
    return execution < sampled_first || is_power_of_two(u64{execution} + 1);
  }

  template <class WarpOf, class F> void each_sampled(u32 warps, WarpOf&& warp_of_index, F&& f) {
    if (architectures_.empty()) return;
    u32 step = std::max(1u, warps / sampled_warps);
    for (u32 warp = 0, taken = 0; warp < warps && taken < sampled_warps; warp += step) {
      access::WarpAccess access = warp_of_index(warp);
      if (access.active == 0) continue;
      arch::Counts counts; // patterns of other spaces do not speak of them
      if (access.space == access::Space::shared || access.space == access::Space::local)
        counts = arch::count(*architectures_[0], access);
      f(observe(access, counts));
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
  std::vector<Cell*> head_; // per site, the last one for sites that were not listed: the first cell, or none
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
