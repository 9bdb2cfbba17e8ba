// What each device of a program did, where it used several (--devices).
#pragma once
#include "summary/model.h"

namespace warplens::summary {

struct DeviceSum {
  u64 launches = 0, moved_bytes = 0, excess_bytes = 0; // of launches that were counted
  bool operator==(const DeviceSum&) const = default;
};

// By device; empty where the program used one.
std::map<u32, DeviceSum> sums_by_device(const Model&);

} // namespace warplens::summary
