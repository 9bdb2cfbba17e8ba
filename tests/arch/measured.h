// Measured patterns as accesses: reads the data files of tests/arch/data.
#pragma once
#include "access/access.h"
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace warplens::test {

struct MeasuredPattern {
  std::string space, op;
  u32 id = 0;
  access::WarpAccess access;
  nlohmann::json json; // the whole line
  // The counter's value; fails the caller's lookup by throwing when it was not measured.
  u64 counter(const std::string& name) const { return json.at("measured").at(name).get<u64>(); }
  bool has(const std::string& name) const { return json.at("measured").contains(name); }
};

// Calls f for each pattern of tests/arch/data/<file>; returns how many there were.
u32 for_each_measured(const std::string& file, const std::function<void(const MeasuredPattern&)>& f);

} // namespace warplens::test
