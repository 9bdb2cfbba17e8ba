// Affine accesses gathered by form and place of the period, and turned into sums when the launch has ended. See cells.h.
#include "measure/cells.h"
#include "arch/stages.h"
#include <algorithm>

namespace warplens::measure {

// With how often the access began at each place of the period, and when first. Passes of the L1's stages that depend
// on more than the place are added up as the access comes.
class AffineForm {
public:
  AffineForm(const access::AffineAccess& first, bool stages)
      : access_(first), active_(first.active.begin(), first.active.end()), counts_stages_(stages) {
    access_.base -= access_.base % arch::address_period;
    access_.active = active_;
  }
  AffineForm(const AffineForm&) = delete;

  bool matches(const access::AffineAccess& o) const {
    const access::AffineAccess& a = access_;
    return a.stride[0] == o.stride[0] && a.stride[1] == o.stride[1] && a.stride[2] == o.stride[2] &&
           a.count == o.count && static_cast<u64>(a.cta_stride - o.cta_stride) % arch::address_period == 0 &&
           static_cast<const access::AccessHeader&>(a) == o && a.block == o.block &&
           a.active.size() == o.active.size() &&
           std::equal(o.active.begin(), o.active.end(), active_.begin());
  }

  void add(const access::AffineAccess& access, Moment moment) {
    if (counts_stages_ && !stages_) stages_.emplace(access);
    if (stages_ && !stages_->same_at(access.base)) stages_->count(access).add_to(varying_);
    u64 place = access.base % arch::address_period;
    if (used_[place] == 0) {
      uses_.push_back({place, 0, moment});
      used_[place] = static_cast<u16>(uses_.size());
    }
    Use& use = uses_[used_[place] - 1u];
    ++use.times;
    use.first = std::min(use.first, moment);
  }

  void fold_into(Architectures architectures, Sums& sums) {
    arch::Counts stages = varying_;
    for (const Use& use : uses_) {
      access::AffineAccess one = access_;
      one.base += use.place;
      one.cta = use.first.cta;
      arch::Counts same;
      if (stages_ && stages_->same_at(use.place)) stages_->count(one).add_to(same);
      stages += same * use.times;
      one.active.empty() ? fold_whole(architectures, one, use, sums)
                         : fold_masked(architectures, one, use, sums);
    }
    for (std::size_t a = 0; a < sums.counts.size(); ++a)
      if (arch::counts_stages(*architectures[a], access_)) sums.counts[a] += stages;
  }

private:
  struct Use {
    u64 place = 0, times = 0;
    Moment first{};
  };

  static void fold_whole(Architectures architectures, const access::AffineAccess& one, const Use& use,
                         Sums& sums) {
    for (const arch::WarpKind& kind : arch::warp_kinds(one)) {
      u64 times = kind.times * use.times;
      for (std::size_t a = 0; a < sums.counts.size(); ++a) {
        arch::Counts counts = arch::count_by_place(*architectures[a], kind.warp);
        sums.counts[a] += counts * times;
        if (a == 0)
          sums.tally.add(arch::cost_of(counts, one.space), kind.warp.active, kind.warp.address.data(),
                         {one.cta + kind.cta, use.first.access}, times);
      }
    }
  }

  // Without the passes of the L1's stages, which are counted apart.
  static arch::Counts by_place(const arch::Architecture& row, const access::AccessHeader& access,
                               arch::Counts counts) {
    if (arch::counts_stages(row, access)) counts.tag_passes = counts.data_wavefronts = 0;
    return counts;
  }

  static void fold_masked(Architectures architectures, const access::AffineAccess& one, const Use& use,
                          Sums& sums) {
    arch::MaskedLanes lanes(one);
    for (std::size_t a = 0; a < sums.counts.size(); ++a) {
      if (a > 0) {
        sums.counts[a] +=
            by_place(*architectures[a], one, arch::count(*architectures[a], lanes.batch)) * use.times;
        continue;
      }
      LaneCounter counter;
      counter.add(*architectures[0], lanes.batch, use.first.access, sums.tally, use.times);
      sums.counts[0] += by_place(*architectures[0], one, counter.take(sums.tally, use.times)) * use.times;
    }
  }

  access::AffineAccess access_;
  std::vector<u32> active_;
  bool counts_stages_;
  std::array<u16, arch::address_period> used_{}; // by place: index in uses_ + 1, or 0
  std::vector<Use> uses_;
  std::optional<arch::AffineStages> stages_;
  arch::Counts varying_;
};

namespace {

bool any_counts_stages(Architectures architectures, const access::AffineAccess& access) {
  return std::ranges::any_of(architectures,
                             [&](const arch::Architecture* row) { return counts_stages(*row, access); });
}

} // namespace

AffineForms::AffineForms() = default;
AffineForms::AffineForms(AffineForms&&) noexcept = default;
AffineForms::~AffineForms() = default;

bool AffineForms::add(const access::AffineAccess& access, u64 number, Architectures architectures,
                      Sums& sums) {
  std::size_t count = forms_.size();
  Moment moment{access.cta, number};
  for (std::size_t tried = 0; tried < count; ++tried) {
    std::size_t i = last_ + tried < count ? last_ + tried : last_ + tried - count;
    if (!forms_[i]->matches(access)) continue;
    last_ = i;
    forms_[i]->add(access, moment);
    return true;
  }
  auto form = std::make_unique<AffineForm>(access, any_counts_stages(architectures, access));
  const bool whole = access.active.empty();
  if (whole) form->add(access, moment);
  if (count < most_forms) {
    forms_.push_back(std::move(form));
    last_ = count;
    return whole;
  }
  last_ = last_ + 1 == count ? 0 : last_ + 1;
  forms_[last_]->fold_into(architectures, sums);
  forms_[last_] = std::move(form);
  return whole;
}

void AffineForms::fold_into(Architectures architectures, Sums& sums) {
  for (const auto& form : forms_) form->fold_into(architectures, sums);
  forms_.clear();
}

void Cell::settle(Architectures architectures) {
  affine.fold_into(architectures, sums);
  if (sums.counts.empty()) return;
  sums.counts[0] += lanes.take(sums.tally);
  for (std::size_t a = 1; a < sums.counts.size(); ++a) sums.counts[a] += others[a - 1].take();
}

} // namespace warplens::measure
