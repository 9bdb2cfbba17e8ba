// A memfd, opened by others through the creator's entry in /proc. The inode is part of the name: should the
// creator be gone and its process number be another's, then that one's descriptor is not taken for it.
#include "os/shared_memory.h"
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::os {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

bool fix_size(int file) { return fcntl(file, F_ADD_SEALS, size_seals) == 0; }
bool has_fixed_size(int file) {
  const int seals = fcntl(file, F_GET_SEALS);
  return seals >= 0 && (seals & size_seals) == size_seals;
}

static void* map(int file, std::size_t size) {
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return data == MAP_FAILED ? nullptr : data;
}

Result<SharedMemory> SharedMemory::create(std::size_t size) {
  Descriptor file(memfd_create("warplens", MFD_CLOEXEC));
  void* data = nullptr;
  if (file && ftruncate(file.get(), static_cast<off_t>(size)) == 0) data = map(file.get(), size);
  if (data == nullptr)
    return failure(
        diag::error("no-shared-memory", fmt::format("cannot share memory: {}", std::strerror(errno))));
  return SharedMemory(std::move(file), data, size);
}

std::optional<SharedMemory> SharedMemory::open(const std::string& name, std::size_t size) {
  std::size_t colon = name.rfind(':');
  ino_t inode = 0;
  if (colon == name.npos ||
      std::from_chars(name.data() + colon + 1, name.data() + name.size(), inode).ec != std::errc{})
    return {};
  Descriptor file(::open(name.substr(0, colon).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || status.st_ino != inode || !S_ISREG(status.st_mode) ||
      status.st_size != static_cast<off_t>(size))
    return {};
  void* data = map(file.get(), size);
  if (data == nullptr) return {};
  return SharedMemory(Descriptor(), data, size);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::move(other.file_)), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

std::string SharedMemory::name() const {
  struct stat status {};
  fstat(file_.get(), &status);
  return fmt::format("/proc/{}/fd/{}:{}", getpid(), file_.get(), status.st_ino);
}

} // namespace warplens::os
