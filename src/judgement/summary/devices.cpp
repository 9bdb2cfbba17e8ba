#include "summary/devices.h"
#include "measure/totals.h"

namespace warplens::summary {

std::map<u32, DeviceSum> sums_by_device(const Model& model) {
  std::map<u32, DeviceSum> out;
  for (const Kernel& kernel : model.kernels) {
    if (!measure::is_counted(kernel.status)) continue;
    for (u32 index : kernel.alike) {
      const Launch& launch = model.input.launches[index];
      DeviceSum& sum = out[launch.record.device];
      sum.launches += launch.count();
      for (const measure::SiteRecord& site : launch.record.sites) {
        if (site.counters.empty() || site.site.timing_dependent != access::Timing::none) continue;
        sum.moved_bytes += measure::bytes_moved(site.counters[0], site.space) * launch.count();
        sum.excess_bytes += measure::excess_bytes(site.counters[0], site.space, site.site) * launch.count();
      }
    }
  }
  return out.size() < 2 ? std::map<u32, DeviceSum>() : out;
}

} // namespace warplens::summary
