#include "summary/launches.h"

namespace warplens::summary {
namespace {

// Where several processes, or nested loops, take turns, an index continues not the last progression but one near it.
constexpr std::size_t looked_at = 8;
constexpr std::size_t looked_at_of_ranks = 64; // stretches of launches that each rank has

bool extend(Occurrences& known, i64 process, u64 index) {
  if (known.process != process || known.processes != 1 || index <= known.first) return false;
  if (known.count == 1) known.step = index - known.first;
  if ((index - known.first) % known.step != 0 || (index - known.first) / known.step != known.count)
    return false;
  ++known.count;
  return true;
}

bool extend(Occurrences& known, const Occurrences& more) {
  if (known.process + static_cast<i64>(known.processes) != more.process || known.first != more.first ||
      known.count != more.count || (known.count != 1 && known.step != more.step))
    return false;
  known.processes += more.processes;
  return true;
}

} // namespace

Launch::Launch(measure::LaunchRecord one) : record(std::move(one)), when{{record.process, record.index}} {}

u64 Launch::count() const {
  u64 sum = 0;
  for (const Occurrences& some : when) sum += some.count * some.processes;
  return sum;
}

void Launch::repeat(i64 process, u64 index) {
  std::size_t oldest = when.size() > looked_at ? when.size() - looked_at : 0;
  for (std::size_t i = when.size(); i-- > oldest;)
    if (extend(when[i], process, index)) return;
  when.push_back({process, index});
}

void Launch::repeat(const Occurrences& some) {
  const std::size_t oldest = when.size() > looked_at_of_ranks ? when.size() - looked_at_of_ranks : 0;
  for (std::size_t i = oldest; i < when.size(); ++i)
    if (extend(when[i], some)) return;
  if (some.count == 1 && some.processes == 1)
    repeat(some.process, some.first);
  else
    when.push_back(some);
}

u64 count(const std::vector<Launch>& launches) {
  u64 sum = 0;
  for (const Launch& launch : launches) sum += launch.count();
  return sum;
}

u32 machine_code_of(const std::vector<Launch>& launches) {
  for (const Launch& launch : launches)
    if (launch.record.machine_code != 0) return launch.record.machine_code;
  return 0;
}

LaunchList::LaunchList(std::vector<Launch>& launches) : launches_(launches) {
  for (std::size_t i = 0; i < launches_.size(); ++i) by_digest_.emplace(digest(launches_[i].record), i);
}

std::size_t LaunchList::add(Launch launch) {
  const u64 key = digest(launch.record);
  auto [begin, end] = by_digest_.equal_range(key);
  for (auto found = begin; found != end; ++found) {
    Launch& known = launches_[found->second];
    if (static_cast<const measure::LaunchContent&>(known.record) != launch.record) continue;
    if (known.counters != launch.counters) continue;
    for (const Occurrences& some : launch.when) known.repeat(some);
    return found->second;
  }
  by_digest_.emplace(key, launches_.size());
  launches_.push_back(std::move(launch));
  return launches_.size() - 1;
}

} // namespace warplens::summary
