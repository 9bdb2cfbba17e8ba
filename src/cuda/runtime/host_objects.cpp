// See host_objects.h. Archives are rows of headers of 60 bytes with the size of the member in decimal, padded to an even size
// (ar(5)).
#include "runtime/host_objects.h"
#include "machine_code/fatbin.h"
#include "os/elf.h"
#include <charconv>
#include <string_view>

namespace warplens::runtime {
namespace {

constexpr std::string_view archive_magic = "!<arch>\n";
constexpr u64 header_size = 60, size_at = 48, size_digits = 10;

void add_object(os::Bytes object, bool only_ptx, std::vector<os::Bytes>& out) {
  std::optional<os::Elf> elf = os::Elf::parse(object);
  if (!elf) return;
  for (const char* name : {"__nv_relfatbin", ".nv_fatbin"}) { // relocatable device code, and whole programs'
    const os::Elf::Section* section = elf->find(name);
    if (!section || section->data.empty()) continue;
    if (!only_ptx || !fatbin::read_fatbin(section->data).ptx.empty()) out.push_back(section->data);
  }
}

} // namespace

std::vector<os::Bytes> device_code_of(os::Bytes file) {
  std::vector<os::Bytes> out;
  if (!os::as_text(file).starts_with(archive_magic)) {
    add_object(file, false, out);
    return out;
  }
  for (u64 at = archive_magic.size(); at + header_size <= file.size();) {
    std::string_view digits = os::as_text(file.subspan(at + size_at, size_digits));
    u64 size = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    at += header_size;
    if (error != std::errc() || size > file.size() - at) break;
    add_object(file.subspan(at, size), true, out);
    at += size + size % 2;
  }
  return out;
}

} // namespace warplens::runtime
