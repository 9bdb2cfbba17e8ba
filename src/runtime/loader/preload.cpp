// Runs when the library is loaded into a program: takes over a CUDA runtime that is linked into the program
// itself.
//
// nvcc links cudart statically by default, and then there is no import to satisfy. But the executable's
// symbol table still names each cuda… function: the first bytes of each are overwritten with a jump to the
// one here, before the program's own start-up code registers its device code. Objects that are loaded with
// the program are treated alike; those that the program loads later (dlopen) are not.
//
// Each name gets the function of the major that the object contains.
//
// A stripped executable has no names. Its device code can still be seen, so the user is told how to build it.
#include "os/elf.h"
#include "os/environment.h"
#include "os/file.h"
#include "runtime/exports.h"
#include "runtime/state.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unordered_map>

namespace warplens::runtime {
namespace {

using os::Elf;

constexpr u64 jump_size = 12; // movabs rax, target; jmp rax

void jump(std::byte* from, Export::Function target) {
  constexpr u64 page = 4096;
  unsigned char code[jump_size] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  std::memcpy(code + 2, &target, 8);
  u64 begin = reinterpret_cast<u64>(from) & ~(page - 1);
  u64 end = (reinterpret_cast<u64>(from) + sizeof code + page - 1) & ~(page - 1);
  auto pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0) return;
  std::memcpy(from, code, sizeof code);
  mprotect(pages, end - begin, PROT_READ | PROT_EXEC);
}

// Which CUDA major the object's own runtime is of, by functions that the next one does not have any more.
int static_major(const std::vector<Elf::Symbol>& symbols) {
  auto has = [&](std::string_view name) {
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const Elf::Symbol& s) { return s.name == name && s.defined; });
  };
  if (has("cudaGetDeviceProperties_v2")) return 12;
  if (has("cudaBindTexture")) return 11;
  return 13;
}

bool uses_shared_runtime(const Elf& elf) {
  std::vector<std::string_view> needed = elf.needed();
  return std::any_of(needed.begin(), needed.end(),
                     [](std::string_view name) { return name.starts_with("libcudart.so"); });
}

// Overwrites the runtime inside the object that is loaded at `base`. False: it has none that can be found.
bool take_over(const Elf& elf, u64 base) {
  std::vector<Elf::Symbol> symbols = elf.symbols();
  const int major = static_major(symbols);
  std::unordered_map<std::string_view, Export::Function> table;
  for (const Export& function : exports()) table.emplace(function.name, function.in_major[major - 11]);
  bool found_any = false;
  for (const Elf::Symbol& symbol : symbols) {
    if (symbol.type != STT_FUNC || !symbol.defined || symbol.size < jump_size) continue;
    auto found = table.find(symbol.name);
    if (found == table.end()) continue;
    jump(reinterpret_cast<std::byte*>(base + symbol.value), found->second);
    found_any = true;
  }
  return found_any;
}

void explain_stripped(const char* path) {
  Runtime::get().say(diag::error(
      "static-runtime-stripped",
      fmt::format(
          "'{}' has the CUDA runtime linked into it and no symbol table, so its kernels cannot be run", path),
      {}, R"(rebuild it without 'strip', or with NVCC_APPEND_FLAGS="-lineinfo -cudart shared" set)"));
}

int visit(dl_phdr_info* info, std::size_t, void*) {
  bool executable = !info->dlpi_name || info->dlpi_name[0] == '\0';
  os::MappedFile file(executable ? "/proc/self/exe" : info->dlpi_name);
  std::optional<Elf> elf = Elf::parse(file.bytes());
  if (!elf || !elf->find(".nv_fatbin") || uses_shared_runtime(*elf)) return 0;
  if (!take_over(*elf, info->dlpi_addr) && executable && elf->symbols().empty())
    explain_stripped(program_invocation_name);
  return 0;
}

[[gnu::constructor]] void loaded() {
  if (os::is_set("WARPLENS_EVENTS")) dl_iterate_phdr(visit, nullptr);
}

} // namespace
} // namespace warplens::runtime
