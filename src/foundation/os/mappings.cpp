// See mappings.h. The file is read without the C library's streams, whose memory would come from the program's heap.
#include "os/mappings.h"
#include "os/file.h"
#include <charconv>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace warplens::os {
namespace {

std::string read_mappings() {
  const Descriptor file(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::string out;
  char part[16 << 10];
  for (ssize_t size; file && (size = ::read(file.get(), part, sizeof part)) > 0;)
    out.append(part, static_cast<std::size_t>(size));
  return out;
}

// In order of address, until f(from, to, 'r' or '-', 'w' or '-') is false. A line is "55d0c000-55d0d000 r-xp …".
template <class F> void each_mapping(F&& f) {
  const std::string maps = read_mappings();
  for (std::size_t begin = 0, end; (end = maps.find('\n', begin)) != maps.npos; begin = end + 1) {
    u64 from = 0, to = 0;
    const char* minus = std::from_chars(maps.data() + begin, maps.data() + end, from, 16).ptr;
    const char* blank = std::from_chars(minus + 1, maps.data() + end, to, 16).ptr;
    if (!f(from, to, blank[1], blank[2])) break;
  }
}

} // namespace

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
