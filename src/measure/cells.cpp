#include "measure/cells.h"
#include <algorithm>

namespace warplens::measure {

// With how often the access began at each place of the period.
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
           static_cast<const access::AccessHeader&>(a) == o && a.block == o.block &&
           a.active.size() == o.active.size() &&
           std::equal(o.active.begin(), o.active.end(), active_.begin());
  }

  void add(u64 base) { ++times_[base % arch::address_period]; }

  void fold_into(Architectures architectures, std::vector<arch::Counts>& sums) const {
    for (u64 place = 0; place < arch::address_period; ++place) {
      if (times_[place] == 0) continue;
      access::AffineAccess one = access_;
      one.base += place;
      for (std::size_t a = 0; a < sums.size(); ++a)
        sums[a] += arch::count(*architectures[a], one) * times_[place];
    }
  }

private:
  access::AffineAccess access_;
  std::vector<u32> active_;
  std::array<u64, arch::address_period> times_{};
};

AffineForms::AffineForms() = default;
AffineForms::AffineForms(AffineForms&&) noexcept = default;
AffineForms::~AffineForms() = default;

void AffineForms::add(const access::AffineAccess& access, Architectures architectures,
                      std::vector<arch::Counts>& sums) {
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

void AffineForms::fold_into(Architectures architectures, std::vector<arch::Counts>& sums) {
  for (const auto& form : forms_) form->fold_into(architectures, sums);
  forms_.clear();
}

void Cell::settle(Architectures architectures) {
  affine.fold_into(architectures, sums);
  for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += batches[a].take();
}

} // namespace warplens::measure
