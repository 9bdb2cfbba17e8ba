// See mappings.h.
#include "os/mappings.h"
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/mman.h>

namespace warplens::os {

u64 accessible_end(u64 address, bool writable) {
  std::ifstream maps("/proc/self/maps"); // in order of address
  for (std::string line; std::getline(maps, line);) {
    unsigned long long from = 0, to = 0;
    char read = '-', write = '-';
    if (std::sscanf(line.c_str(), "%llx-%llx %c%c", &from, &to, &read, &write) != 4) break;
    if (to <= address) continue;
    if (from > address || read != 'r' || (writable && write != 'w')) break;
    address = to;
  }
  return address;
}

bool accessible(u64 address, u64 size, bool writable) {
  u64 end = address + size;
  return end >= address && accessible_end(address, writable) >= end;
}

// MS_ASYNC does nothing but look whether the pages are there.
bool mapped(u64 address, u64 size) {
  constexpr u64 page = 4096;
  u64 begin = address & ~(page - 1), end = address + size;
  return end >= address && msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
}

} // namespace warplens::os
