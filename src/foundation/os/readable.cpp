// The loaded files are asked first: a program has few of them and asking costs no system call. Anything else (memory that
// the program made itself) is looked up among all mappings of the process.
#include "os/readable.h"
#include "os/mappings.h"
#include <cstdint>
#include <link.h>

namespace warplens::os {
namespace {

struct Search {
  u64 start, end = 0;
};

int look_at_segments(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (u32 i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0) continue;
    u64 offset = search.start - (info->dlpi_addr + segment.p_vaddr); // wraps for one that starts later
    // What lies behind the file's bytes is memory without content, which no compiler puts data into.
    if (offset >= segment.p_filesz) continue;
    search.end = search.start + (segment.p_filesz - offset);
    return 1;
  }
  return 0;
}

} // namespace

Bytes readable_from(const std::byte* start) {
  Search search{reinterpret_cast<std::uintptr_t>(start)};
  if (start == nullptr) return {};
  if (dl_iterate_phdr(look_at_segments, &search) == 0) search.end = accessible_end(search.start, false);
  return {start, search.end - search.start};
}

} // namespace warplens::os
