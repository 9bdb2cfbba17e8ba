// See tally.h. Everything here but the making of a class is done for every warp that does not come in closed form.
#include "measure/tally.h"
#include "base/bits.h"
#include "measure/pattern.h"
#include <bit>

namespace warplens::measure {
namespace {

// Where in a key its parts are.
constexpr u32 lanes_shift = 22, cost_shift = 6, steps = 63; // 0: lanes that no step explains
constexpr u32 fewest_lanes = 4;                             // that a step is looked for in
constexpr u32 most_cost = (1u << (lanes_shift - cost_shift)) - 1;

u32 hashed(u64 value) { return static_cast<u32>(value * 0x9e3779b97f4a7c15 >> 32); }

u32 last_of(u32 active) { return 31 - static_cast<u32>(std::countl_zero(active)); }

// Lanes that are active: the first, the one after it, one in the middle, the last.
struct Probes {
  u32 first, second, middle, last;
};
Probes probes_of(u32 active) {
  if (active == full_mask) return {0, 1, 16, 31};
  u32 first = static_cast<u32>(std::countr_zero(active)), rest = active & (active - 1);
  if (rest == 0) return {first, first, first, first};
  u32 second = static_cast<u32>(std::countr_zero(rest)), last = last_of(rest);
  u32 beyond = rest & ~low_lanes((second + last + 1) / 2);
  return {first, second, static_cast<u32>(std::countr_zero(beyond)), last};
}

u32 step_of(u32 active, const u64* address, bool by_step) {
  Probes p = probes_of(active);
  u64 step = address[p.second] - address[p.first], lanes = p.second - p.first;
  bool linear = (address[p.last] - address[p.first]) * lanes == step * (p.last - p.first) &&
                (address[p.middle] - address[p.first]) * lanes == step * (p.middle - p.first);
  if (!by_step) return linear && step == 0;
  if (linear) return 1 + hashed(step * warp_size + lanes) % steps;
  const u32 before_last = last_of(active & ~(u32{1} << p.last));
  if ((address[p.last] - address[before_last]) * lanes != step * (p.last - before_last)) return 0;
  constexpr u32 some = 8; // rows that are told apart: more make more classes than they tell
  return 1 + hashed(step * warp_size + lanes + hashed(address[p.middle] - address[p.first])) % some;
}

// The addresses of the active lanes from the last multiple of address_period before the least on.
std::array<u64, warp_size> within_period(u32 active, const u64* address) {
  std::array<u64, warp_size> out{};
  u64 least = ~u64{0};
  for_each_lane(active, [&](u32 lane) { least = std::min(least, address[lane]); });
  u64 from = least - least % arch::address_period;
  for_each_lane(active, [&](u32 lane) { out[lane] = address[lane] - from; });
  return out;
}

} // namespace

u32 start_of(u32 active, const u64* address) {
  return u32{1} << address[static_cast<u32>(std::countr_zero(active))] % sector_bytes;
}

CopyEnd keep_other_end(access::WarpAccess& access) {
  const u64*& end = access.copied_to != nullptr ? access.copied_to : access.copied_from;
  if (end == nullptr) return nullptr;
  CopyEnd kept = std::make_shared<const std::array<u64, warp_size>>(within_period(access.active, end));
  end = kept->data();
  return kept;
}

void WarpTally::add(arch::WarpCost cost, u32 active, const u64* address, Moment moment, u64 times,
                    const access::WarpAccess* copy) {
  u32 step = cost.lanes < fewest_lanes ? 0 : step_of(active, address, by_step_);
  u32 key = u32{cost.lanes} << lanes_shift | std::min<u32>(cost.cost, most_cost) << cost_shift | step;
  std::size_t at = hashed(key) & (slots_.size() - 1);
  bool found = !slots_.empty() && slots_[at].key == key && slots_[at].warps != 0;
  Class& known = found ? slots_[at] : slot_of(key);
  if (known.warps == 0 || moment < known.first) [[unlikely]] {
    known.first = moment;
    Example& example = examples_[known.example];
    example.lanes = copy == nullptr ? access::WarpAccess() : *copy;
    example.lanes.active = active;
    example.lanes.address = within_period(active, address);
    example.other_end = keep_other_end(example.lanes);
  }
  known.warps += times;
  known.starts |= start_of(active, address);
}

void WarpTally::add(const WarpTally& other, u64 times) {
  if (times == 0) return;
  for (const Class& theirs : other.slots_) {
    if (theirs.warps == 0) continue;
    Class& mine = slot_of(theirs.key);
    if (mine.warps == 0 || theirs.first < mine.first) {
      mine.first = theirs.first;
      examples_[mine.example] = other.examples_[theirs.example];
    }
    mine.warps += theirs.warps * times;
    mine.starts |= theirs.starts;
  }
}

void WarpTally::move_to(u64 cta) {
  for (Class& known : slots_) known.first.cta = cta;
}

// The class, or a new one, of no warp yet.
WarpTally::Class& WarpTally::slot_of(u32 key) {
  if (slots_.empty()) return new_class(key);
  std::size_t at = hashed(key) & (slots_.size() - 1);
  while (slots_[at].key != key) {
    if (slots_[at].warps == 0) return new_class(key);
    at = (at + 1) & (slots_.size() - 1);
  }
  return slots_[at].warps == 0 ? new_class(key) : slots_[at];
}

WarpTally::Class& WarpTally::new_class(u32 key) {
  auto free_slot = [&](u32 of) {
    std::size_t at = hashed(of) & (slots_.size() - 1);
    while (slots_[at].warps != 0) at = (at + 1) & (slots_.size() - 1);
    return at;
  };
  if ((examples_.size() + 1) * 2 > slots_.size()) {
    std::vector<Class> old(std::max<std::size_t>(8, slots_.size() * 2));
    old.swap(slots_);
    for (const Class& c : old)
      if (c.warps != 0) slots_[free_slot(c.key)] = c;
  }
  Class& made = slots_[free_slot(key)];
  made = {key, static_cast<u32>(examples_.size())};
  examples_.emplace_back();
  return made;
}

void LaneCounter::add(const arch::Architecture& device, const access::LaneBatch& batch, u64 access,
                      WarpTally& tally, u64 times) {
  counter_.add(device, batch, &costs_);
  std::size_t told = std::min(costs_.size(), waiting_.size()), next = told;
  for (std::size_t i = 0; i < told; ++i)
    tally.add(costs_[i], waiting_[i].active, waiting_[i].address.data(), waiting_[i].moment, times);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(told));
  const bool copies = batch.kind == access::Kind::async_copy;
  u32 warps = static_cast<u32>(batch.active.size()), of_cta = 0;
  Moment moment{batch.cta, access};
  for (u32 warp = 0; warp < warps; ++warp) {
    if (of_cta == batch.cta_warps && of_cta != 0) of_cta = 0, ++moment.cta;
    ++of_cta;
    u32 active = batch.active[warp];
    if (active == 0) continue;
    const u64* address = batch.address + std::size_t{warp} * warp_size;
    if (next < costs_.size()) { // at once, as asynchronous copies always are
      if (copies) {
        const access::WarpAccess copy = access::warp_of(batch, warp);
        tally.add(costs_[next++], active, address, moment, times, &copy);
      } else { // without a WarpAccess: to make an empty one takes longer than the rest of this
        tally.add(costs_[next++], active, address, moment, times);
      }
      continue;
    }
    waiting_.emplace_back(active, moment, address);
  }
}

arch::Counts LaneCounter::take(WarpTally& tally, u64 times) {
  arch::Counts out = counter_.take(&costs_);
  for (std::size_t i = 0; i < costs_.size(); ++i)
    tally.add(costs_[i], waiting_[i].active, waiting_[i].address.data(), waiting_[i].moment, times);
  waiting_.clear();
  return out;
}

} // namespace warplens::measure
