// The sums of each rank and device, of launches that know their process and their device. See parts.h.
#include "summary/parts.h"
#include "measure/totals.h"
#include "summary/findings.h"
#include "summary/rows.h"
#include "text/words.h"
#include <fmt/format.h>
#include <set>

namespace warplens::summary {
namespace {

using Shares = std::map<u32, u64>; // by part

Parts parts_of(const Shares& shares, std::size_t of) {
  Parts out{.of = static_cast<u32>(of)};
  for (const auto& [part, bytes] : shares) {
    if (out.count == 0 || bytes < out.least.bytes) out.least = {part, bytes};
    if (out.count == 0 || bytes > out.most.bytes) out.most = {part, bytes};
    ++out.count;
  }
  return out;
}

// How many of the launches that are alike each part did.
template <class LaunchesOf>
void tell(const Input& input, std::vector<Kernel>& kernels, std::size_t of, Parts Kernel::*of_kernel,
          Parts Line::*of_line, const LaunchesOf& launches_of) {
  for (Kernel& kernel : kernels) {
    Shares all;
    std::map<PlaceKey, Shares> lines;
    for (u32 index : kernel.alike) {
      const Launch& launch = input.launches[index];
      const Shares launches = launches_of(launch);
      for (const auto& [part, count] : launches) all.try_emplace(part, 0);
      for (const measure::SiteRecord& site : launch.record.sites) {
        if (!ran(site.counters)) continue;
        const bool summed = site.site.timing_dependent == access::Timing::none && is_traffic(site.space);
        Shares& line = lines[place_of(site.site, false)];
        for (const auto& [part, count] : launches) {
          const u64 bytes = measure::bytes_moved(site.counters[0], site.space) * count;
          line[part] += bytes;
          if (summed) all[part] += bytes;
        }
      }
    }
    kernel.*of_kernel = parts_of(all, of);
    for (Line& line : kernel.lines) line.*of_line = parts_of(lines[place_of(line.rows[0].site, false)], of);
  }
}

} // namespace

void tell_parts(const Input& input, std::vector<Kernel>& kernels) {
  if (input.ranks.processes.size() > 1) {
    std::map<i64, u32> rank_of;
    for (const auto& [rank, processes] : input.ranks.processes)
      for (i64 process : processes) rank_of[process] = rank;
    tell(input, kernels, input.ranks.processes.size(), &Kernel::ranks, &Line::ranks,
         [&](const Launch& launch) {
           Shares out;
           for (const Occurrences& some : launch.when)
             some.each_process([&](i64 process) {
               if (auto found = rank_of.find(process); found != rank_of.end())
                 out[found->second] += some.count;
             });
           return out;
         });
  }
  std::set<u32> devices;
  for (const Launch& launch : input.launches) devices.insert(launch.record.device);
  if (devices.size() > 1)
    tell(input, kernels, devices.size(), &Kernel::devices, &Line::devices, [](const Launch& launch) {
      return Shares{{launch.record.device, launch.count()}};
    });
}

std::string in_words(const Parts& parts, std::string_view part) {
  const std::string some = parts.count < parts.of ? fmt::format("{} of {} {}s", parts.count, parts.of, part)
                                                  : text::human(parts.count, part);
  if (parts.count == 1)
    return fmt::format("{} ({} {}), {}", some, part, parts.most.part, text::human_bytes(parts.most.bytes));
  if (parts.least.bytes == parts.most.bytes)
    return fmt::format("{}, {} each", some, text::human_bytes(parts.most.bytes));
  return fmt::format("{}, from {} ({} {}) to {} ({} {})", some, text::human_bytes(parts.least.bytes), part,
                     parts.least.part, text::human_bytes(parts.most.bytes), part, parts.most.part);
}

std::map<u32, DeviceSum> sums_by_device(const Model& model) {
  std::map<u32, DeviceSum> out;
  for (const Kernel& kernel : model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    for (u32 index : kernel.alike) {
      const Launch& launch = model.input.launches[index];
      DeviceSum& sum = out[launch.record.device];
      sum.launches += launch.count();
      for (const measure::SiteRecord& site : launch.record.sites) {
        if (site.counters.empty() || site.site.timing_dependent != access::Timing::none ||
            !is_traffic(site.space))
          continue;
        sum.moved_bytes += measure::bytes_moved(site.counters[0], site.space) * launch.count();
        sum.excess_bytes += measure::excess_bytes(site.counters[0], site.space, site.site) * launch.count();
      }
    }
  }
  return out.size() < 2 ? std::map<u32, DeviceSum>() : out;
}

} // namespace warplens::summary
