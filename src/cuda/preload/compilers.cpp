// The function's first bytes are a jump here; to call it they are put back for as long as it runs. Two threads that compile at
// once do so one after the other.
//
// nvrtcCompileProgram(program, count, options) and nvJitLinkCreate(handle*, count, options) are called alike. The header of
// nvJitLink calls the latter by a name with the toolkit's version in it (`__nvJitLinkCreate_13_0`), those who look it up by
// the plain one; a library has both.
#include "preload/compilers.h"
#include "preload/takeover.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace warplens::runtime {
namespace {

using Compile = int (*)(void* what, u32 count, const char* const* options);

// Of NVRTC, nvJitLink's by its plain name, and by that with a version; of the library that was opened last.
constexpr std::size_t entries = 3;
struct Original {
  std::byte* function = nullptr;
  std::array<std::byte, jump_size> begin{};
  Compile behind = nullptr; // where the function is nothing but a jump: to where
};
std::array<Original, entries> originals;
std::recursive_mutex compiling; // one entry may call the other

bool asks_for_lines(std::string_view option) {
  return option == "-lineinfo" || option == "--generate-line-info" || option == "-G" ||
         option == "--device-debug" || option == "-g";
}

template <std::size_t entry> int compile(void* what, u32 count, const char* const* options) {
  std::lock_guard lock(compiling);
  const bool valid = static_cast<i32>(count) >= 0 && (count == 0 || options != nullptr);
  std::vector<const char*> all;
  if (valid) all.assign(options, options + count);
  if (!std::any_of(all.begin(), all.end(), asks_for_lines)) all.push_back("-lineinfo");
  // What the compiler refuses it is to refuse.
  const u32 all_count = valid ? static_cast<u32>(all.size()) : count;
  const char* const* given = valid ? all.data() : options;
  const Original& original = originals[entry];
  if (original.behind) return original.behind(what, all_count, given);
  overwrite(original.function, original.begin);
  int result = reinterpret_cast<Compile>(original.function)(what, all_count, given);
  jump(original.function, reinterpret_cast<void (*)()>(compile<entry>));
  return result;
}

// Where a function goes that is a jump and padding up to the next multiple of 16; null: it is not.
Compile behind_jump(const std::byte* function) {
  if (reinterpret_cast<u64>(function) % 16 != 0 || function[0] != std::byte{0xe9}) return nullptr;
  i32 distance;
  std::memcpy(&distance, function + 1, sizeof distance);
  return reinterpret_cast<Compile>(const_cast<std::byte*>(function) + 5 + distance);
}

template <std::size_t entry> void put_before(std::byte* function, u64 size) {
  Original original{.function = function, .behind = behind_jump(function)};
  if (size < jump_size && !original.behind) return;
  std::memcpy(original.begin.data(), function, jump_size);
  originals[entry] = original;
  jump(function, reinterpret_cast<void (*)()>(compile<entry>));
}

} // namespace

bool makes_machine_code(std::string_view soname) {
  return soname.starts_with("libnvrtc.so.") || soname.starts_with("libnvJitLink.so.");
}

void take_over_compiler(const std::vector<os::Elf::Symbol>& symbols, u64 base) {
  for (const os::Elf::Symbol& symbol : symbols) {
    if (!symbol.defined) continue;
    auto function = reinterpret_cast<std::byte*>(base + symbol.value);
    if (symbol.name == "nvrtcCompileProgram") put_before<0>(function, symbol.size);
    if (symbol.name == "nvJitLinkCreate") put_before<1>(function, symbol.size);
    if (symbol.name.starts_with("__nvJitLinkCreate_")) put_before<2>(function, symbol.size);
  }
}

} // namespace warplens::runtime
