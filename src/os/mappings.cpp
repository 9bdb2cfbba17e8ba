// See mappings.h.
#include "os/mappings.h"
#include <cstdio>
#include <fstream>
#include <string>

namespace warplens::os {

// In order of address, until f(from, to, 'r' or '-', 'w' or '-') is false.
template <class F> static void each_mapping(F&& f) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long from = 0, to = 0;
    char read = '-', write = '-';
    if (std::sscanf(line.c_str(), "%llx-%llx %c%c", &from, &to, &read, &write) != 4) break;
    if (!f(from, to, read, write)) break;
  }
}

u64 accessible_end(u64 address, bool writable) {
  each_mapping([&](u64 from, u64 to, char read, char write) {
    if (to <= address) return true;
    if (from > address || read != 'r' || (writable && write != 'w')) return false;
    address = to;
    return true;
  });
  return address;
}

bool accessible(u64 address, u64 size, bool writable) {
  u64 end = address + size;
  return end >= address && accessible_end(address, writable) >= end;
}

std::vector<std::pair<u64, u64>> writable_memory() {
  std::vector<std::pair<u64, u64>> out;
  each_mapping([&](u64 from, u64 to, char read, char write) {
    if (read != 'r' || write != 'w') return true;
    if (!out.empty() && out.back().second == from)
      out.back().second = to;
    else
      out.emplace_back(from, to);
    return true;
  });
  return out;
}

} // namespace warplens::os
