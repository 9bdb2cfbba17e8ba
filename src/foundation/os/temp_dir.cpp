// Each folder holds a file that its owner keeps locked. A lock goes with its process, whatever ends it, so a
// folder whose file can be locked by somebody else is an orphan. No process number is believed, because
// numbers are given out again; and nothing has to run when the owner dies, because nothing can be sure to.
//
// Between making its folder and locking it, an owner looks dead. It may lose the folder then, sees that it has,
// and takes another. The locked file is the first to come and the last to go: a folder with other files and without
// that one is not ours.
#include "os/temp_dir.h"
#include "os/environment.h"
#include "os/interrupt.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace warplens::os {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "warplens-tmp-", lock_name = "/lock";

// Of the file in `folder`, which must still be there when it is locked.
Descriptor lock(const std::string& folder, int flags) {
  std::string path = folder + std::string(lock_name);
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  struct stat status;
  if (!file || flock(file.get(), LOCK_EX | LOCK_NB) != 0 || fstat(file.get(), &status) != 0 ||
      status.st_nlink == 0)
    return Descriptor();
  return file;
}

bool is_ours(const std::string& folder) {
  struct stat status;
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 0777) == 0700;
}

// A process of its dead owner, such as a compiler, may still be adding files.
void remove_folder(const std::string& folder) {
  const std::string last = folder + std::string(lock_name);
  for (int tries = 0; tries < 3; ++tries) {
    std::error_code error, ignored; // a file that cannot be removed is not worth failing for
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path() != last) fs::remove_all(entry->path(), ignored);
    unlink(last.c_str());
    if (rmdir(folder.c_str()) == 0) return;
  }
}

void remove_orphans(const std::string& where) {
  std::error_code error;
  for (fs::directory_iterator entry(where, error), end; !error && entry != end; entry.increment(error)) {
    std::string folder = entry->path().string();
    if (!entry->path().filename().string().starts_with(prefix) || !is_ours(folder)) continue;
    if (rmdir(folder.c_str()) == 0) continue; // its owner did not even come to lock it
    // Held until nothing is left: an owner that locks it in between would take the folder for its own.
    if (const Descriptor held = lock(folder, 0)) remove_folder(folder);
  }
}

// Folders of this process, for its signal handler: an entry is only ever added, and stays.
struct Entry {
  std::string path;
  std::atomic<bool> exists = true;
  Entry* next = nullptr;
};
std::atomic<Entry*> entries = nullptr;
std::atomic<pid_t> owner =
    0; // 0: no handler wants to know; else the process that has it, and not one that it forked

void note_made(const std::string& path) {
  if (owner != getpid()) return;
  auto* entry = new Entry{path};
  entry->next = entries;
  while (!entries.compare_exchange_weak(entry->next, entry)) {
  }
}

void note_removed(const std::string& path) {
  for (Entry* entry = entries; entry != nullptr; entry = entry->next)
    if (entry->path == path) entry->exists = false;
}

// All that is in the open folder, with nothing but what a signal handler may call.
void empty_folder(int folder, int depth) {
  struct Record { // linux_dirent64 of getdents64(2)
    u64 inode, offset;
    u16 size;
    u8 type;
    char name[1];
  };
  alignas(Record) char bytes[2048];
  for (long count; (count = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0;)
    for (long at = 0; at < count; at += reinterpret_cast<Record*>(bytes + at)->size) {
      const char* name = reinterpret_cast<Record*>(bytes + at)->name;
      if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(folder, name, 0) == 0) continue;
      const int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (below < 0) continue;
      if (depth > 0) empty_folder(below, depth - 1);
      close(below);
      unlinkat(folder, name, AT_REMOVEDIR);
    }
}

void end_without_folders(int number) {
  constexpr int most_depth = 16, tries = 3; // a compiler may still be adding files
  for (Entry* entry = owner == getpid() ? entries.load() : nullptr; entry != nullptr; entry = entry->next)
    for (int i = 0; entry->exists && i < tries && rmdir(entry->path.c_str()) != 0; ++i) {
      const int folder = open(entry->path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (folder < 0) break;
      empty_folder(folder, most_depth);
      close(folder);
    }
  raise(number); // once we return; its handler is the default one again
}

} // namespace

void remove_temporary_folders_on_signals() {
  owner = getpid();
  struct sigaction action {};
  action.sa_handler = end_without_folders;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int number : DelayedSignals::numbers) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(number, &action, nullptr);
  }
}

std::string temporary_folder() {
  std::string folder = variable("TMPDIR");
  return folder.empty() ? "/tmp" : folder;
}

Result<TempDir> TempDir::create() {
  const std::string where = temporary_folder();
  remove_orphans(where);
  std::string path;
  for (int tries = 0; tries < 10; ++tries) {
    path = fmt::format("{}/{}XXXXXX", where, prefix);
    if (mkdtemp(path.data()) == nullptr) break;
    if (Descriptor locked = lock(path, O_CREAT | O_EXCL)) {
      note_made(path);
      return TempDir(path, std::move(locked));
    }
    int why = errno;
    rmdir(path.c_str());
    errno = why;
  }
  return failure(diag::error("no-temporary-folder",
                             fmt::format("cannot create a folder '{}': {}", path, std::strerror(errno)), {},
                             "set TMPDIR to a folder with free space that you may write to"));
}

TempDir::~TempDir() {
  if (path_.empty()) return;
  remove_folder(path_);
  note_removed(path_);
}

TempDir::TempDir(TempDir&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

} // namespace warplens::os
