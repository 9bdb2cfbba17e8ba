// See placement.h. Beside the Device, since hardly any program has such variables.
#include "sim/placement.h"
#include <mutex>
#include <utility>

namespace warplens::sim {
namespace {

std::mutex& mutex() {
  static std::mutex only;
  return only;
}
std::map<const Device*, GivenPlaces>& placements() {
  static auto* all = new std::map<const Device*, GivenPlaces>; // outlives the program's atexit handlers
  return *all;
}

} // namespace

void place_next(const Device& device, GivenPlaces placement) {
  std::lock_guard lock(mutex());
  placements()[&device] = std::move(placement);
}

GivenPlaces take_given_places(const Device& device) {
  std::lock_guard lock(mutex());
  auto found = placements().find(&device);
  if (found == placements().end()) return {};
  GivenPlaces out = std::move(found->second);
  placements().erase(found);
  return out;
}

} // namespace warplens::sim
