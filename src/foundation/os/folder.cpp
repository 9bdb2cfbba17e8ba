#include "os/folder.h"
#include "os/file.h"
#include <dirent.h>
#include <fcntl.h>
#include <string_view>

namespace warplens::os {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  const Descriptor directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return out;
  alignas(dirent64) char entries[8 << 10];
  for (ssize_t size; (size = getdents64(directory.get(), entries, sizeof entries)) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (const std::string_view name = entry->d_name; name != "." && name != "..") out.emplace_back(name);
    }
  return out;
}

} // namespace warplens::os
