// The function's first bytes are a jump here; to call it they are put back for as long as it runs. Two threads that compile at
// once do so one after the other.
#include "runtime/loader/nvrtc.h"
#include "runtime/loader/takeover.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string_view>
#include <sys/mman.h>

namespace warplens::runtime {
namespace {

using Compile = int (*)(void* program, int count, const char* const* options);

struct Original {
  std::byte* function = nullptr;
  std::array<std::byte, jump_size> begin{};
};
Original original;
std::mutex compiling;

int compile(void* program, int count, const char* const* options) {
  std::lock_guard lock(compiling);
  // What NVRTC refuses it is to refuse.
  const bool valid = count >= 0 && (count == 0 || options != nullptr);
  std::vector<const char*> all;
  if (valid) all.assign(options, options + count);
  bool has_lines = std::any_of(all.begin(), all.end(), [](std::string_view option) {
    return option == "-lineinfo" || option == "--generate-line-info" || option == "-G" ||
           option == "--device-debug";
  });
  if (!has_lines) all.push_back("-lineinfo");
  overwrite(original.function, original.begin);
  int result = reinterpret_cast<Compile>(original.function)(
      program, valid ? static_cast<int>(all.size()) : count, valid ? all.data() : options);
  jump(original.function, reinterpret_cast<void (*)()>(compile));
  return result;
}

} // namespace

void take_over_nvrtc(const std::vector<os::Elf::Symbol>& symbols, u64 base) {
  for (const os::Elf::Symbol& symbol : symbols) {
    if (symbol.name != "nvrtcCompileProgram" || !symbol.defined || symbol.size < jump_size) continue;
    original.function = reinterpret_cast<std::byte*>(base + symbol.value);
    std::memcpy(original.begin.data(), original.function, jump_size);
    jump(original.function, reinterpret_cast<void (*)()>(compile));
  }
}

} // namespace warplens::runtime
