// The GNU build id: a digest of the linked file that the linker writes into a note (--build-id).
#include "cache/store.h"
#include <link.h>

namespace warplens::cache {
namespace {

struct Search {
  std::string_view id;
};

std::string_view id_in_notes(const char* at, const char* end) {
  constexpr std::string_view gnu{"GNU\0", 4};
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    auto padded = [](u64 size) { return (size + 3) & ~u64{3}; };
    const char* name = at + sizeof note;
    u64 left = static_cast<u64>(end - name);
    if (padded(note.n_namesz) > left || padded(note.n_descsz) > left - padded(note.n_namesz)) return {};
    const char* content = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(name, note.n_namesz) == gnu)
      return {content, note.n_descsz};
    at = content + padded(note.n_descsz);
  }
  return {};
}

// Looks at the loaded object that holds this very function.
int visit(dl_phdr_info* info, std::size_t, void* search) {
  auto here = reinterpret_cast<ElfW(Addr)>(&visit);
  bool ours = false;
  for (u32 i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    ours |= part.p_type == PT_LOAD && here >= begin && here < begin + part.p_memsz;
  }
  for (u32 i = 0; ours && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    auto notes = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    if (std::string_view id = id_in_notes(notes, notes + part.p_memsz); !id.empty())
      static_cast<Search*>(search)->id = id;
  }
  return ours;
}

} // namespace

std::string_view build_id() {
  static const std::string_view id = [] {
    Search search;
    dl_iterate_phdr(visit, &search);
    return search.id;
  }();
  return id;
}

} // namespace warplens::cache
