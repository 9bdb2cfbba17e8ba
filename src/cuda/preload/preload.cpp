// Runs when the library is loaded into a program: looks at all objects that are mapped, and from then on at each that the
// program opens (takeover.h).
//
// An object that is opened later has to be changed after it is mapped and before its start-up code registers device code,
// which dlopen() does in one step. In between the dynamic linker calls an empty function of its own, where debuggers have
// their breakpoint: `r_brk` of <link.h>. That function is made to jump to look_again(). Where it does not look as expected,
// such objects stay as they are, and cuGetExportTable says so.
#include "os/environment.h"
#include "preload/takeover.h"
#include <cstring>
#include <link.h>
#include <set>
#include <string>

namespace warplens::runtime {
namespace {

struct Mapped {
  u64 base;
  std::string path;
  auto operator<=>(const Mapped&) const = default;
};

// Those that were looked at; the dynamic linker's lock guards it.
std::set<Mapped>& seen() {
  static auto* all = new std::set<Mapped>; // programs unload libraries from atexit handlers
  return *all;
}

int visit(dl_phdr_info* info, std::size_t, void* now) {
  const bool executable = !info->dlpi_name || info->dlpi_name[0] == '\0';
  Mapped object{info->dlpi_addr, executable ? "" : info->dlpi_name};
  if (!seen().contains(object)) take_over(info->dlpi_name, info->dlpi_addr, executable);
  static_cast<std::set<Mapped>*>(now)->insert(std::move(object));
  return 0;
}

void look() {
  std::set<Mapped> now; // an object that was closed may come back at the same place
  dl_iterate_phdr(visit, &now);
  seen().swap(now);
}

void look_again() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT) look();
}

// The linker's function is nothing but a return, aligned so that 16 bytes are its own.
bool is_empty(const std::byte* function) {
  constexpr unsigned char plain[] = {0xc3}, tracked[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3}; // endbr64 before it
  return reinterpret_cast<u64>(function) % 16 == 0 && (std::memcmp(function, plain, sizeof plain) == 0 ||
                                                       std::memcmp(function, tracked, sizeof tracked) == 0);
}

[[gnu::constructor]] void loaded() {
  if (!os::is_set("WARPLENS_EVENTS")) return;
  look();
  auto function = reinterpret_cast<std::byte*>(_r_debug.r_brk);
  if (function != nullptr && is_empty(function)) jump(function, look_again);
}

} // namespace
} // namespace warplens::runtime
