// Looked for, in the linker's order (ld.so(8)) as far as that can be told from here: $LD_LIBRARY_PATH; the folders that the
// program and its libraries name (DT_RUNPATH); those of /etc/ld.so.conf; the system's; a toolkit's. It is opened by its path,
// and so is another library than the one that goes by its name already.
#include "nvrtc/installed.h"
#include "os/elf.h"
#include "os/environment.h"
#include "os/file.h"
#include <algorithm>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <link.h>
#include <string>
#include <vector>

namespace warplens::runtime {
namespace {

namespace fs = std::filesystem;

void add_list(std::vector<std::string>& folders, std::string_view list, const std::string& origin) {
  while (!list.empty()) {
    std::string folder(list.substr(0, list.find(':')));
    list.remove_prefix(std::min(folder.size() + 1, list.size()));
    for (std::string_view word : {"$ORIGIN", "${ORIGIN}"})
      if (std::size_t at = folder.find(word); at != folder.npos) folder.replace(at, word.size(), origin);
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
}

// What the mapped objects say in DT_RUNPATH and DT_RPATH.
int add_runpath(dl_phdr_info* info, std::size_t, void* data) {
  auto& folders = *static_cast<std::vector<std::string>*>(data);
  const std::string path = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : os::executable();
  const std::string origin = fs::path(path).parent_path();
  const ElfW(Dyn)* dynamic = nullptr;
  for (u32 i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  // The linker makes an address of it, but not in the kernel's own object.
  if (!strings || reinterpret_cast<u64>(strings) < info->dlpi_addr) return 0;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
      add_list(folders, strings + entry->d_un.d_val, origin);
  return 0;
}

// One folder a line; what it includes lies in ld.so.conf.d.
void add_configured(std::vector<std::string>& folders) {
  std::vector<fs::path> files{"/etc/ld.so.conf"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", error)) files.push_back(entry.path());
  for (const fs::path& file : files) {
    const std::optional<std::string> content = os::read_file(file.string());
    std::string_view text = content ? std::string_view(*content) : "";
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (line.starts_with('/')) folders.emplace_back(line);
    }
  }
}

std::vector<std::string> folders() {
  std::vector<std::string> out;
  add_list(out, os::variable("LD_LIBRARY_PATH"), {});
  dl_iterate_phdr(add_runpath, &out);
  add_configured(out);
  out.insert(out.end(), {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                         "/usr/lib"});
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (os::is_set(name)) out.push_back(std::string(os::variable(name)) + "/lib64");
  out.emplace_back("/usr/local/cuda/lib64");
  return out;
}

// WarpLens's own library needs the one with the code.
bool is_ours(const std::string& path) {
  os::MappedFile file(path.c_str());
  std::optional<os::Elf> elf = os::Elf::parse(file.bytes());
  if (!elf) return true; // no library at all
  const std::vector<std::string_view> needed = elf->needed();
  return std::find(needed.begin(), needed.end(), "libwarplens-runtime.so") != needed.end();
}

void* open_installed() {
  const std::string name = fmt::format("libnvrtc.so.{}", nvrtc_major());
  std::error_code error;
  for (const std::string& folder : folders())
    if (const std::string path = folder + '/' + name; fs::exists(path, error) && !is_ours(path))
      if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

} // namespace

int nvrtc_major() {
  constexpr int newest_version = 13;
  bool has_12 = false, has_13 = false;
  auto look = [&](std::string_view name) {
    has_12 |= name.ends_with("/libnvrtc.so.12"), has_13 |= name.ends_with("/libnvrtc.so.13");
  };
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        (*static_cast<decltype(look)*>(data))(info->dlpi_name ? info->dlpi_name : "");
        return 0;
      },
      &look);
  return has_12 && !has_13 ? 12 : newest_version;
}

void* installed_nvrtc(const char* function) {
  static void* const library = open_installed();
  return library ? dlsym(library, function) : nullptr;
}

} // namespace warplens::runtime
