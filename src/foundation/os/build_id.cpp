// Of the objects that are loaded into this process, the one with this very code is ours: the program, or the
// library that was preloaded into somebody else's.
#include "os/build_id.h"
#include "os/elf.h"
#include <algorithm>
#include <link.h>

namespace warplens::os {
namespace {

int visit(dl_phdr_info* info, std::size_t, void* id) {
  auto here = reinterpret_cast<ElfW(Addr)>(&visit);
  std::span parts(info->dlpi_phdr, info->dlpi_phnum);
  bool ours = std::any_of(parts.begin(), parts.end(), [&](const ElfW(Phdr) & part) {
    ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    return part.p_type == PT_LOAD && here >= begin && here < begin + part.p_memsz;
  });
  if (!ours) return 0;
  for (const ElfW(Phdr) & part : parts) {
    if (part.p_type != PT_NOTE) continue;
    Bytes notes(reinterpret_cast<const std::byte*>(info->dlpi_addr + part.p_vaddr), part.p_memsz);
    if (Bytes found = find_note(notes, "GNU", NT_GNU_BUILD_ID); !found.empty())
      *static_cast<std::string_view*>(id) = as_text(found);
  }
  return 1;
}

} // namespace

std::string_view build_id() {
  static const std::string_view id = [] {
    std::string_view found;
    dl_iterate_phdr(visit, &found);
    return found;
  }();
  return id;
}

} // namespace warplens::os
