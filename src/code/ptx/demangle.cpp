// C++ names for readers. A mangled name refers to its own parts, so that 200 characters can stand for more text than
// there is memory: what becomes longer than anybody reads is not written out. libiberty's demangler hands its output over
// piece by piece, which the one of the C++ library does not.
#include "ptx/parse.h"
#include <csetjmp>
#include <cstring>
#include <fmt/format.h>
#include <memory>

// <libiberty/demangle.h> declares basename() in another way than glibc does.
extern "C" int cplus_demangle_v3_callback(const char* mangled, int options,
                                          void (*piece)(const char*, std::size_t, void*), void* data);

namespace warplens::ptx {
namespace {

constexpr std::size_t longest_name = 16 << 10, longest_mangled = 1 << 10;
constexpr int with_parameters = 1 << 0, with_types = 1 << 4; // DMGL_PARAMS, DMGL_TYPES

struct Output {
  std::jmp_buf stop;
  std::size_t size = 0;
  char text[longest_name];
};

// Leaves the demangler's frames, which are C's and own nothing.
void append(const char* piece, std::size_t size, void* data) {
  auto& output = *static_cast<Output*>(data);
  if (size > longest_name - output.size) std::longjmp(output.stop, 1);
  std::memcpy(output.text + output.size, piece, size);
  output.size += size;
}

bool demangle_into(Output& output, const char* mangled) {
  if (setjmp(output.stop) != 0) return false;
  return cplus_demangle_v3_callback(mangled, with_parameters | with_types, append, &output) != 0;
}

// Of a static function or variable compiled apart (-rdc=true), the symbol that it has otherwise: nvcc says a text of its own before that,
// "__nv_static_22__7e91a03b_5_st_cu_main__Z5plainPi", and how long it is.
std::string_view without_file(std::string_view symbol) {
  constexpr std::string_view mark = "__nv_static_";
  if (!symbol.starts_with(mark)) return symbol;
  std::size_t at = mark.size(), length = 0;
  while (at < symbol.size() && symbol[at] >= '0' && symbol[at] <= '9' && length < symbol.size())
    length = length * 10 + static_cast<std::size_t>(symbol[at++] - '0');
  if (!symbol.substr(at).starts_with("__") || length + at + 2 >= symbol.size()) return symbol;
  return symbol.substr(at + 2 + length);
}

std::string shortened(std::string_view name) {
  if (name.size() <= longest_mangled) return std::string(name);
  std::size_t half = longest_mangled / 2;
  return fmt::format("{}...{}", name.substr(0, half), name.substr(name.size() - half));
}

} // namespace

std::string demangle(std::string_view symbol) {
  symbol = without_file(symbol);
  if (!symbol.starts_with("_Z")) return shortened(symbol); // "f" alone would be the type float
  auto output = std::make_unique<Output>();
  if (!demangle_into(*output, std::string(symbol).c_str())) return shortened(symbol);
  return {output->text, output->size};
}

std::string variable_name(std::string_view symbol) {
  std::string name = demangle(symbol);
  u32 depth = 0; // of brackets: what is in them belongs to a type
  for (std::size_t i = name.size(); i-- > 1;) {
    if (name[i] == ')' || name[i] == '>') ++depth;
    if ((name[i] == '(' || name[i] == '<') && depth != 0) --depth;
    if (depth == 0 && name[i] == ':' && name[i - 1] == ':') return name.substr(i + 1);
  }
  return name;
}

} // namespace warplens::ptx
