#include "runtime/budget.h"
#include "measure/spread.h"
#include <cmath>
#include <fmt/format.h>

namespace warplens::runtime {

// Seconds that a sample may take for itself, to make what its parts are counted in. They are no sign of what the rest takes, which may
// be a thousand times as much.
static constexpr double of_its_own = 0.05;

// A sample that knows what the launch executes to such a share does not grow.
static constexpr double narrow = 0.1;

Budget::Budget(const Options& options)
    : by_work_(options.budget_work != 0),
      limit_(by_work_ ? static_cast<double>(options.budget_work) : options.budget) {}

Budget::Shape Budget::shape_of(const Kernel& kernel, const sim::LaunchSpec& spec) {
  const Dim3 &grid = spec.grid, &block = spec.block;
  return {&kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, spec.dynamic_shared};
}

double Budget::cost(double seconds, u64 warp_instructions) const {
  return by_work_ ? static_cast<double>(warp_instructions) : seconds;
}

std::optional<Budget::Duration> Budget::left() const {
  if (!limited() || by_work_) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::max(0.0, limit_ - spent_)));
}

sim::Sampling::Next Budget::next(const Kernel& kernel, const sim::LaunchSpec& spec,
                                 const sim::Sampled& sampled, double seconds) {
  using Rest = sim::Sampling::Rest;
  const double so_far = cost(seconds, sampled.warp_instructions);
  const double times =
      static_cast<double>(sampled.of_grid) / static_cast<double>(std::max<u64>(sampled.warp_instructions, 1));
  const double spread = measure::spread_of(sampled.work, sampled.weights), left = limit_ - spent_;
  missing_ = so_far * (times - 1);
  const double doubt = by_work_ ? 0 : spread; // a launch that proves to be longer is not stopped then
  const double least = so_far * times * (1 - doubt), most = so_far * times * (1 + doubt);
  double& counted = counted_[shape_of(kernel, spec)];
  const double mine = counted + least;
  double of_all = left, shared = mine - counted;
  for (const auto& [shape, taken] : counted_) of_all += taken, shared += std::min(taken, mine);
  const bool is_counted = least <= left && shared <= of_all / 2;
  if (is_counted && most <= left) return {Rest::counted};
  const auto better =
      static_cast<u64>(std::max(std::min(std::pow(spread / narrow, 2), left / 2 / so_far), 1.0));
  if (is_counted) return {Rest::counted, better};
  const bool fits = least - (by_work_ ? 0 : of_its_own * times) <= left;
  return {fits ? Rest::uncounted : Rest::left_out, better};
}

void Budget::spend(const Kernel* kernel, const sim::LaunchSpec& spec, double seconds, u64 warp_instructions,
                   bool whole) {
  if (!limited()) return;
  const double took = cost(seconds, warp_instructions);
  spent_ += took;
  if (kernel != nullptr && whole) counted_[shape_of(*kernel, spec)] += took;
}

void Budget::spend(double seconds) {
  if (!by_work_) spent_ += seconds;
}

std::string Budget::missing() const {
  if (by_work_) return fmt::format("about {:.3g} million warp instructions", missing_ / 1e6);
  if (missing_ < 1) return "less than a second";
  if (missing_ < 120) return fmt::format("about {:.0f} s", missing_);
  if (missing_ < 7200) return fmt::format("about {:.0f} min", missing_ / 60);
  return fmt::format("about {:.0f} h", missing_ / 3600);
}

} // namespace warplens::runtime
