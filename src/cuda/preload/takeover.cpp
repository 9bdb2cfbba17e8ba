// Takes over a CUDA runtime that is not WarpLens's: linked into the program or into a library, or a library by another name
// than the one that is preloaded.
//
// nvcc links cudart statically by default, and then there is no import to satisfy. But the object's symbol table still
// names each cuda… function: the first bytes of each are overwritten with a jump to the one here, before the object's own
// start-up code registers its device code. The same is done to what a toolkit's libcudart.so exports: a program that opens
// it by that name, or by its path, gets the toolkit's, because only names that are asked for literally find what is preloaded.
//
// Each name gets the function of the major that the object contains.
//
// NVIDIA's libraries (cuBLAS, …) ask the driver for what is not documented. Where one is loaded by a path of its own, as PyTorch's
// are, its functions jump to the stand-ins' (libraries/). Which version it is, it says itself.
//
// A stripped object has no symbols. Where it has no kernels, its runtime is found all the same (stripped.h). Of a program with
// kernels the user is told how to build it; a library with kernels, as NVIDIA's own, may never be used, and asks the driver for
// what it does not get when it is (cuGetExportTable).
#include "preload/takeover.h"
#include "driver_api/entry_points.h"
#include "libraries/exports.h"
#include "os/elf.h"
#include "os/environment.h"
#include "os/file.h"
#include "preload/compilers.h"
#include "preload/exports.h"
#include "preload/stripped.h"
#include "preload/unseen.h"
#include "runtime/memory.h"
#include "runtime/python_caller.h"
#include "runtime/state.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>

namespace warplens::runtime {
namespace {

using os::Elf;
using Table = std::unordered_map<std::string_view, Export::Function>;

constexpr int oldest_major = 11, newest_major = 13;

Table runtime_of(int major) {
  Table table;
  for (const Export& function : exports())
    table.emplace(function.name, function.in_major[major - oldest_major]);
  return table;
}

Table stand_ins(std::string_view soname) {
  Table table;
  for (const LibraryExport& function : stand_ins_for(soname))
    if (const std::string_view name = function.name;
        name.find("GetVersion") == name.npos && name.find("GetProperty") == name.npos)
      table.emplace(name, function.function);
  return table;
}

Table driver() {
  Table table;
  for (const DriverExport& function : driver_exports()) table.emplace(function.name, function.function);
  return table;
}

// In place of MPI_Abort of a rank, at which the launcher kills all of them before they can report. WarpLens ends the others.
[[noreturn]] void end_rank(void*, int code) {
  std::fflush(nullptr);
  ::_exit((code & 0xff) != 0 ? code : 1);
}

bool defines(const std::vector<Elf::Symbol>& symbols, std::string_view name) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Elf::Symbol& s) { return s.name == name && s.defined; });
}

// Which CUDA major the object's own runtime is of, by functions that the next one does not have any more.
int static_major(const std::vector<Elf::Symbol>& symbols) {
  if (defines(symbols, "cudaGetDeviceProperties_v2")) return 12;
  if (defines(symbols, "cudaBindTexture")) return 11;
  return 13;
}

// "libcudart.so.12" → 12; 0: another library's name, or a major that is not known.
int major_of(std::string_view soname) {
  constexpr std::string_view prefix = "libcudart.so.";
  if (!soname.starts_with(prefix)) return 0;
  int major = 0;
  std::from_chars(soname.data() + prefix.size(), soname.data() + soname.size(), major);
  return major >= oldest_major && major <= newest_major ? major : 0;
}

bool needs(const Elf& elf, std::string_view prefix) {
  std::vector<std::string_view> needed = elf.needed();
  return std::any_of(needed.begin(), needed.end(),
                     [&](std::string_view name) { return name.starts_with(prefix); });
}

bool imports(const Elf& elf, std::string_view name) {
  std::vector<Elf::Symbol> symbols = elf.dynamic_symbols();
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Elf::Symbol& s) { return !s.defined && s.name == name; });
}

// Can a jump be written over the function? One that is nothing but a jump itself is shorter, and padded up to the next multiple of 16.
bool has_room(const std::byte* function, u64 size) {
  constexpr u64 alignment = 16;
  if (size >= jump_size) return true;
  if (size == 0 || reinterpret_cast<u64>(function) % alignment != 0) return false;
  const u8 behind = static_cast<u8>(function[size]); // int3, or a nop of one or of several bytes
  return behind == 0xcc || behind == 0x90 || behind == 0x66 || behind == 0x0f;
}

// Overwrites functions of the object that is loaded at `base`. False: none of `symbols` is in the table.
bool overwrite(const std::vector<Elf::Symbol>& symbols, u64 base, const Table& table) {
  bool found_any = false;
  for (const Elf::Symbol& symbol : symbols) {
    if (symbol.type != STT_FUNC || !symbol.defined) continue;
    auto found = table.find(symbol.name);
    auto function = reinterpret_cast<std::byte*>(base + symbol.value);
    if (found == table.end() || !has_room(function, symbol.size)) continue;
    jump(function, found->second);
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

// A runtime that is linked into the object, by its symbols, or by what is left without them. An object without kernels, which
// uses the runtime for memory alone (CuPy's), is one only if it has the functions that every runtime has: a program may
// have functions called cuda… of its own.
void take_over_linked_runtime(const Elf& elf, u64 base, bool executable) {
  const bool kernels = elf.find(".nv_fatbin") != nullptr;
  std::vector<Elf::Symbol> symbols = elf.symbols();
  if (symbols.empty() && !kernels) {
    const Table newest = runtime_of(newest_major);
    symbols =
        functions_of_stripped_runtime(elf, [&](std::string_view name) { return newest.contains(name); });
  } else if (!kernels && !defines(symbols, "__cudaRegisterFatBinary")) {
    return;
  }
  const bool found = overwrite(symbols, base, runtime_of(static_major(symbols)));
  if (!found && executable && kernels && symbols.empty()) explain_stripped(program_invocation_name);
}

} // namespace

void jump(std::byte* from, void (*target)()) {
  unsigned char code[jump_size] = {0x48, 0xb8, 0, 0, 0,    0,
                                   0,    0,    0, 0, 0xff, 0xe0}; // movabs rax, target; jmp rax
  std::memcpy(code + 2, &target, 8);
  overwrite(from, std::as_bytes(std::span(code)));
}

void overwrite(std::byte* function, std::span<const std::byte, jump_size> code) {
  constexpr u64 page = 4096;
  u64 begin = reinterpret_cast<u64>(function) & ~(page - 1);
  u64 end = (reinterpret_cast<u64>(function) + code.size() + page - 1) & ~(page - 1);
  auto pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0) return;
  std::memcpy(function, code.data(), code.size());
  mprotect(pages, end - begin, PROT_READ | PROT_EXEC);
}

// A library that is given device pointers and reads them itself: MPI, or what carries its messages.
static bool takes_device_pointers(std::string_view soname) {
  return soname.starts_with("libmpi") || soname.starts_with("libucp.so");
}

void take_over(const char* path, u64 base, bool executable) {
  os::MappedFile file(executable ? "/proc/self/exe" : path);
  std::optional<Elf> elf = Elf::parse(file.bytes());
  constexpr std::string_view own = "libwarplens-runtime.so"; // and those that jump into it
  if (!elf || elf->soname() == own || needs(*elf, own)) return;
  if (takes_device_pointers(elf->soname())) host_reads_device_memory();
  if (elf->soname().starts_with("libmpi") && os::is_set("WARPLENS_RANK"))
    overwrite(elf->dynamic_symbols(), base, {{"MPI_Abort", reinterpret_cast<Export::Function>(end_rank)}});
  if (elf->soname().starts_with("libpython") ||
      (executable && defines(elf->dynamic_symbols(), "PyGILState_Ensure")))
    python_is_here();
  if (const int major = major_of(elf->soname()); major != 0) {
    overwrite(elf->dynamic_symbols(), base, runtime_of(major));
  } else if (elf->soname() == "libcuda.so.1") {
    overwrite(elf->dynamic_symbols(), base, driver());
  } else if (elf->soname() == "libc.so.6") {
    watch_starts(elf->dynamic_symbols(), base);
  } else if (const Table library = stand_ins(elf->soname()); !library.empty()) {
    overwrite(elf->dynamic_symbols(), base, library);
  } else if (makes_machine_code(elf->soname())) {
    take_over_compiler(elf->dynamic_symbols(), base);
  } else if (!needs(*elf, "libcudart.so") && (elf->find(".nv_fatbin") || imports(*elf, "dlsym"))) {
    take_over_linked_runtime(*elf, base, executable);
  }
}

} // namespace warplens::runtime
