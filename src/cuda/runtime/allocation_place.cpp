#include "runtime/allocation_place.h"
#include "base/types.h"
#include "os/environment.h"
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

namespace warplens::runtime {
namespace {

struct Found {
  u64 address;
  std::string file;
  u64 offset;
};

// dl_iterate_phdr's callback: the object that has the address, and the address as its file has it.
int find_object(dl_phdr_info* info, std::size_t, void* data) {
  Found& found = *static_cast<Found*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    u64 begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || found.address < begin || found.address >= begin + part.p_memsz) continue;
    found.file = info->dlpi_name;
    found.offset = found.address - info->dlpi_addr;
    return 1;
  }
  return 0;
}

} // namespace

std::string calling_places(int most) {
  constexpr int deepest = 32;
  void* frames[deepest];
  int count = backtrace(frames, deepest);
  Dl_info own{}, other{};
  dladdr(reinterpret_cast<const void*>(&calling_places), &own);
  std::string out;
  for (int i = 0; i < count && most > 0; ++i) {
    if (dladdr(frames[i], &other) == 0 || other.dli_fbase == own.dli_fbase) continue;
    std::string_view name = other.dli_fname == nullptr ? "" : other.dli_fname;
    // The library with the name of CUDA's jumps here; a runtime in the program is redirected.
    if (name.find("libcudart.so") != std::string_view::npos ||
        name.find("libcuda.so") != std::string_view::npos)
      continue;
    // A return address is that of the next instruction, which may belong to another line.
    Found found{reinterpret_cast<u64>(frames[i]) - 1, {}, 0};
    if (dl_iterate_phdr(find_object, &found) == 0) break;
    if (found.file.empty()) found.file = os::executable(); // it has no name there
    out += fmt::format("{}{}+{:#x}", out.empty() ? "" : "<", found.file, found.offset);
    --most;
  }
  return out;
}

} // namespace warplens::runtime
