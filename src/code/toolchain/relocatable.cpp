// See relocatable.h.
#include "toolchain/relocatable.h"
#include "os/elf.h"
#include "os/file.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warplens::toolchain {

std::string name_that_differs(std::string_view ptx) {
  for (std::string_view mark : {"__static__", "__intern__"}) {
    const std::size_t end = ptx.find(mark);
    if (end == ptx.npos) continue;
    const std::size_t before =
        ptx.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$", end);
    std::string_view name = ptx.substr(before + 1, end - before - 1);
    if (name.starts_with("_ZL"))
      name.remove_prefix(std::min(name.find_first_not_of("0123456789", 3), name.size()));
    return std::string(name);
  }
  return {};
}

std::vector<std::string> missing_registrations(const std::vector<std::string>& objects) {
  std::set<std::string> names;
  for (const std::string& object : objects) {
    os::MappedFile file(object.c_str());
    std::optional<os::Elf> elf = os::Elf::parse(file.bytes());
    if (!elf) continue;
    for (const os::Elf::Symbol& symbol : elf->symbols())
      if (!symbol.defined && symbol.name.starts_with("__cudaRegisterLinkedBinary"))
        names.emplace(symbol.name);
  }
  return {names.begin(), names.end()};
}

std::string registration_source(const std::vector<std::string>& functions) {
  std::string out = fmt::format(R"(enum {{ parts = {} }};
struct Wrapper {{
  unsigned magic, version;
  const void* data;
  const void* const* rest;
}};
typedef void Register(void**);
extern void** __cudaRegisterFatBinary(const struct Wrapper*);
extern void __cudaRegisterFatBinaryEnd(void**);
static const void* images[parts + 1];
static Register* registers[parts];
static int count;
static struct Wrapper all = {{0x466243b1, 2, 0, images}};
static void add(Register* objects, const struct Wrapper* part) {{
  registers[count] = objects;
  images[count] = part->data;
  if (++count < parts) return;
  void** handle = __cudaRegisterFatBinary(&all);
  for (int i = 0; i < parts; ++i) registers[i](handle);
  __cudaRegisterFatBinaryEnd(handle);
}}
)",
                                functions.size());
  for (const std::string& name : functions)
    out += fmt::format("void {}(Register* objects, const struct Wrapper* part) {{ add(objects, part); }}\n",
                       name);
  return out;
}

} // namespace warplens::toolchain
