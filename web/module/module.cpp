// The whole interface between the page and the module, JSON in and JSON out; and what the rooms take from a system, which a
// module has not: one instruction set, no environment, LLVM's demangler.
//
// The page writes a question into the room that wl_room() makes, and calls wl_ask(), which returns where the answer is: text
// without an end mark, of wl_size() bytes, until the next question.
#include "arch/batch/counting_loops.h"
#include "base/cpu.h"
#include "playground/answer.h"
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

namespace {
std::string said; // until the next question
}

#define EXPORT(name) extern "C" __attribute__((export_name(#name), visibility("default")))

EXPORT(wl_room) char* wl_room(std::size_t bytes) { return static_cast<char*>(std::malloc(bytes)); }

EXPORT(wl_ask) const char* wl_ask(char* question, std::size_t bytes) {
  said = warplens::playground::answer({question, bytes});
  std::free(question);
  return said.data();
}

EXPORT(wl_size) std::size_t wl_size() { return said.size(); }

namespace warplens::cpu {
std::string_view name(Target) { return "baseline"; }
Target best_target() { return Target::baseline; }
ResultOr<Target, std::string> target_named(std::string_view, Target best) { return best; }
ResultOr<Target, std::string> wanted_target() { return Target::baseline; }
Target target() { return Target::baseline; }
} // namespace warplens::cpu

namespace warplens::arch {
const Kernels& kernels_of(cpu::Target) { return baseline::kernels; }
const Kernels& kernels() { return baseline::kernels; }
} // namespace warplens::arch

// libiberty's, as ptx/demangle.cpp calls it: a name that it would not take whole is no name.
extern "C" int cplus_demangle_v3_callback(const char* mangled, int,
                                          void (*piece)(const char*, std::size_t, void*), void* data) {
  constexpr std::size_t longest = 16 << 10;
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  const std::size_t size = status == 0 && text != nullptr ? std::strlen(text) : 0;
  if (size != 0 && size <= longest) piece(text, size, data);
  std::free(text);
  return size != 0 && size <= longest;
}

// Debian's libclang-rt-19-dev-wasm32 was compiled with -fstack-protector, for which wasi-libc has nothing.
extern "C" unsigned long __stack_chk_guard = 0x7f3a9c51;
extern "C" void __stack_chk_fail() { __builtin_trap(); }
