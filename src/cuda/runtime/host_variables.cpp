// See host_variables.h.
#include "runtime/host_variables.h"
#include "os/elf.h"
#include "os/file.h"
#include <dlfcn.h>
#include <link.h>

namespace warplens::runtime {
namespace {

struct Section {
  u64 begin = 0, end = 0;
};

std::set<const void*>& known() {
  static auto* all = new std::set<const void*>; // outlives the program's atexit handlers
  return *all;
}

// The section of the object that contains the address; empty where there is none.
Section section_of(const void* host) {
  static auto* sections = new std::map<const void*, Section>; // by where the objects are loaded
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(host, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || !map) return {};
  auto [entry, is_new] = sections->try_emplace(info.dli_fbase);
  if (!is_new) return entry->second;
  os::MappedFile file(map->l_name && map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe");
  std::optional<os::Elf> elf = os::Elf::parse(file.bytes());
  const os::Elf::Section* found = elf ? elf->find("warplens_managed") : nullptr;
  if (found)
    entry->second = {map->l_addr + found->address, map->l_addr + found->address + found->data.size()};
  return entry->second;
}

} // namespace

void look_for_host_variable(const void* host) {
  const u64 address = reinterpret_cast<u64>(host);
  const Section section = section_of(host);
  if (address >= section.begin && address < section.end)
    known().insert(host);
  else
    known().erase(host); // an object that was closed may have had one there
}

bool has_host_variables(const Runtime& runtime, const Binary& binary) {
  for (const auto& [host, variable] : runtime.binaries.variables)
    if (variable.binary == &binary && known().contains(host)) return true;
  return false;
}

sim::Program::GivenPlaces host_variables(Runtime& runtime, const Binary& binary) {
  sim::Program::GivenPlaces out;
  for (const auto& [host, variable] : runtime.binaries.variables) {
    if (variable.binary != &binary || !known().contains(host)) continue;
    const u64 address = reinterpret_cast<u64>(host);
    if (!runtime.memory().range(address).covers(address, variable.size))
      runtime.memory().register_host(address, variable.size);
    out[variable.name] = address;
  }
  return out;
}

} // namespace warplens::runtime
