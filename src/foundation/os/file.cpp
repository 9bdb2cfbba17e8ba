// See file.h. Nothing here touches anything but the descriptor it was given: this code also runs inside the
// emulated program.
#include "os/file.h"
#include "os/no_write_signals.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::os {

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

// They are held back, and those of our own taken away.
NoWriteSignals::NoWriteSignals() {
  sigset_t pending;
  sigemptyset(&pending);
  sigemptyset(&ours_);
  sigpending(&pending);
  for (int number : {SIGXFSZ, SIGPIPE})
    if (sigismember(&pending, number) == 0) sigaddset(&ours_, number); // else the program's own waits
  pthread_sigmask(SIG_BLOCK, &ours_, &before_);
}

NoWriteSignals::~NoWriteSignals() {
  const int saved = errno;
  constexpr timespec at_once{0, 0};
  while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = saved;
}

bool read_all(int descriptor, void* to, std::size_t size) {
  auto* at = static_cast<std::byte*>(to);
  while (size != 0) {
    ssize_t count = ::read(descriptor, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int descriptor, Bytes bytes) {
  const NoWriteSignals guard;
  while (!bytes.empty()) {
    ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

// Opening a pipe waits for a writer, and reading a device may never end.
static Descriptor open_regular(const char* path, std::size_t& size) {
  Descriptor file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor();
  size = static_cast<std::size_t>(status.st_size);
  return file;
}

std::optional<std::string> read_file(const std::string& path, std::size_t largest) {
  std::size_t size = 0;
  Descriptor file = open_regular(path.c_str(), size);
  if (!file || size > largest) return {};
  std::string text(size, '\0');
  if (!read_all(file.get(), text.data(), text.size())) return {};
  return text;
}

MappedFile::MappedFile(const char* path) {
  std::size_t size = 0;
  Descriptor file = open_regular(path, size);
  if (!file || size == 0) return;
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(data), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

} // namespace warplens::os
