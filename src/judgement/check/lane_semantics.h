// What an instruction computes where its operands are known in every lane: sem/, lane by lane.
#pragma once
#include "ir/form.h"
#include "symbolic/warp/pool.h"
#include <span>

namespace warplens::check {

template <class F> symbolic::Lanes each_lane(F&& f) {
  symbolic::Lanes out;
  for (u32 lane = 0; lane < warp_size; ++lane) out[lane] = static_cast<i64>(f(lane));
  return out;
}

// The results, as signed numbers of the width of the destination; none where the form is not one of those that addresses
// are computed with and that have no rule of their own in symbolic/warp.
std::optional<symbolic::Lanes> computed(const ir::Form&, std::span<const symbolic::Lanes> sources);

} // namespace warplens::check
