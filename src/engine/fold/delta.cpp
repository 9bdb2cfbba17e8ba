#include "fold/delta.h"

namespace warplens::fold {

void Track::set(const Mask& lanes, const Delta& delta, bool everywhere) {
  if (everywhere) {
    main_ = delta;
    others_.clear();
    return;
  }
  if (others_.empty() && main_ == delta) return;
  for (auto& [mask, _] : others_)
    for (u32 w = 0; w < mask.word.size(); ++w) mask.word[w] &= ~lanes.word[w];
  std::erase_if(others_, [](const auto& part) { return part.first == Mask{}; });
  if (main_ == delta) return;
  for (auto& [mask, other] : others_) {
    if (!(other == delta)) continue;
    for (u32 w = 0; w < mask.word.size(); ++w) mask.word[w] |= lanes.word[w];
    return;
  }
  if (others_.size() < most_parts) {
    others_.push_back({lanes, delta});
    return;
  }
  main_ = unknown(Cause::mixed, nullptr);
  others_.clear();
}

} // namespace warplens::fold
