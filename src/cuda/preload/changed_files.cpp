// Which files a program changes, and what they were before: for `run --verify-fix`, which runs a program several times, and lets
// each run find the files as the first one did. A library of its own, preloaded into the program and what it starts.
//
// Before a name is opened for writing, replaced or removed, the file is copied into the folder of the trial (WARPLENS_TRIAL): as
// `before/HASH`, by a hash of its path. The list `files` there gets a record for each, ended by a NUL:
//
//   "fHASH PATH"  a file that was there: its content, rights and time lie in before/HASH
//   "nHASH PATH"  nothing was there
//   "xHASH PATH"  it could not be copied
//
// What is no regular file is left alone. Not seen: programs that are linked statically, system calls that are made directly,
// and changes through descriptors that the program was started with.
//
// Everything here may run in any thread of anybody's program: it calls the kernel directly, takes no memory, and leaves errno
// as it was.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

class File {
public:
  File(const char* path, int flags, mode_t mode = 0)
      : number_(static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode))) {}
  ~File() {
    if (number_ >= 0) syscall(SYS_close, number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const { return number_; }

private:
  int number_;
};

struct KeepsErrno {
  int saved = errno;
  ~KeepsErrno() { errno = saved; }
};

bool joined(char (&out)[PATH_MAX], const char* folder, const char* name) {
  return snprintf(out, sizeof out, "%s/%s", folder, name) < PATH_MAX;
}

bool folder_of(char (&out)[PATH_MAX], int descriptor) {
  if (descriptor == AT_FDCWD) return getcwd(out, sizeof out) != nullptr;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, out, sizeof out - 1);
  if (length <= 0) return false;
  out[length] = '\0';
  return true;
}

// The path without links; of the last name's link where `follow`.
bool resolved(char (&out)[PATH_MAX], int descriptor, const char* path, bool follow) {
  char whole[PATH_MAX], folder[PATH_MAX];
  if (path[0] == '/' ? snprintf(whole, sizeof whole, "%s", path) >= PATH_MAX
                     : !folder_of(folder, descriptor) || !joined(whole, folder, path))
    return false;
  if (follow && realpath(whole, out) != nullptr) return true;
  char* name = strrchr(whole, '/');
  if (name == nullptr || name[1] == '\0') return false;
  *name++ = '\0';
  return realpath(whole[0] == '\0' ? "/" : whole, folder) != nullptr && joined(out, folder, name);
}

// Of WarpLens itself, or no file of a disk.
bool is_ours(const char* path, const char* trial) {
  auto below = [&](const char* folder) {
    const size_t length = folder != nullptr ? strlen(folder) : 0;
    return length != 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
  };
  return below(trial) || below(getenv("WARPLENS_CACHE_DIR")) || below("/proc") || below("/sys") ||
         below("/dev") || strstr(path, "/warplens-tmp-") != nullptr;
}

uint64_t hash_of(const char* path) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; *path != '\0'; ++path) hash = (hash ^ static_cast<unsigned char>(*path)) * 0x100000001b3;
  return hash;
}

bool write_all(int to, const char* bytes, size_t size) {
  while (size != 0) {
    const ssize_t count = write(to, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count, size -= static_cast<size_t>(count);
  }
  return true;
}

bool copied(const char* path, int to, const struct stat& status) {
  const File from(path, O_RDONLY | O_NONBLOCK);
  if (from < 0) return false;
  char bytes[1 << 14];
  for (;;) {
    const ssize_t count = read(from, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || !write_all(to, bytes, static_cast<size_t>(count))) return false;
    if (count == 0) break;
  }
  const struct timespec times[] = {status.st_atim, status.st_mtim};
  return fchmod(to, status.st_mode & 07777) == 0 && futimens(to, times) == 0;
}

// Others that are about to change the same file wait until it is copied.
void keep(const char* path, const char* trial) {
  char slot[PATH_MAX], list[PATH_MAX], record[PATH_MAX + 32];
  const uint64_t hash = hash_of(path);
  snprintf(record, sizeof record, "before/%016llx", static_cast<unsigned long long>(hash));
  if (!joined(slot, trial, record) || !joined(list, trial, "files")) return;
  const File records(list, O_WRONLY | O_APPEND);
  if (records < 0 || flock(records, LOCK_EX) != 0) return;
  const File to(slot, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (to < 0) return; // it is kept already
  struct stat status;
  const bool there = lstat(path, &status) == 0;
  if (there && !S_ISREG(status.st_mode)) return;
  const char kind = !there ? 'n' : copied(path, to, status) ? 'f' : 'x';
  const int size =
      snprintf(record, sizeof record, "%c%016llx %s", kind, static_cast<unsigned long long>(hash), path);
  write_all(records, record, static_cast<size_t>(size) + 1);
}

void about_to_change(int descriptor, const char* path, bool follow) {
  const KeepsErrno keeps;
  const char* trial = getenv("WARPLENS_TRIAL");
  char whole[PATH_MAX];
  if (trial != nullptr && path != nullptr && resolved(whole, descriptor, path, follow) &&
      !is_ours(whole, trial))
    keep(whole, trial);
}

void about_to_open(int descriptor, const char* path, int flags) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  if (!writes || path == nullptr || (flags & O_TMPFILE) == O_TMPFILE) return;
  const KeepsErrno keeps;
  const bool refused =
      faccessat(descriptor, path, F_OK, 0) == 0 && faccessat(descriptor, path, W_OK, AT_EACCESS) != 0;
  if (!refused) about_to_change(descriptor, path, true);
}

int flags_of(const char* mode) {
  return mode != nullptr && strpbrk(mode, "wa+") != nullptr ? O_RDWR | O_CREAT : O_RDONLY;
}

template <class F> F* next(const char* name) { return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name)); }

} // namespace

#define NEXT(name) next<decltype(name)>(#name)
#define OPENED(name)                                                                                         \
  int name(const char* path, int flags, ...) {                                                               \
    va_list more;                                                                                            \
    va_start(more, flags);                                                                                   \
    const mode_t mode =                                                                                      \
        (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;               \
    va_end(more);                                                                                            \
    about_to_open(AT_FDCWD, path, flags);                                                                    \
    return NEXT(name)(path, flags, mode);                                                                    \
  }
#define OPENED_AT(name)                                                                                      \
  int name(int folder, const char* path, int flags, ...) {                                                   \
    va_list more;                                                                                            \
    va_start(more, flags);                                                                                   \
    const mode_t mode =                                                                                      \
        (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;               \
    va_end(more);                                                                                            \
    about_to_open(folder, path, flags);                                                                      \
    return NEXT(name)(folder, path, flags, mode);                                                            \
  }
#define OPENED_CHECKED(name) /* what _FORTIFY_SOURCE makes of open(path, flags) */                           \
  int name(const char* path, int flags) {                                                                    \
    about_to_open(AT_FDCWD, path, flags);                                                                    \
    return NEXT(name)(path, flags);                                                                          \
  }
#define OPENED_AT_CHECKED(name)                                                                              \
  int name(int folder, const char* path, int flags) {                                                        \
    about_to_open(folder, path, flags);                                                                      \
    return NEXT(name)(folder, path, flags);                                                                  \
  }
#define CREATED(name)                                                                                        \
  int name(const char* path, mode_t mode) {                                                                  \
    about_to_open(AT_FDCWD, path, O_WRONLY | O_CREAT);                                                       \
    return NEXT(name)(path, mode);                                                                           \
  }
#define STREAM(name)                                                                                         \
  FILE* name(const char* path, const char* mode) {                                                           \
    about_to_open(AT_FDCWD, path, flags_of(mode));                                                           \
    return NEXT(name)(path, mode);                                                                           \
  }
#define STREAM_AGAIN(name)                                                                                   \
  FILE* name(const char* path, const char* mode, FILE* file) {                                               \
    about_to_open(AT_FDCWD, path, flags_of(mode));                                                           \
    return NEXT(name)(path, mode, file);                                                                     \
  }
#define CUT(name, offset)                                                                                    \
  int name(const char* path, offset size) {                                                                  \
    about_to_open(AT_FDCWD, path, O_WRONLY);                                                                 \
    return NEXT(name)(path, size);                                                                           \
  }

extern "C" {
#pragma GCC visibility push(default)

int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);

OPENED(open)
OPENED(open64)
OPENED_AT(openat)
OPENED_AT(openat64)
OPENED_CHECKED(__open_2)
OPENED_CHECKED(__open64_2)
OPENED_AT_CHECKED(__openat_2)
OPENED_AT_CHECKED(__openat64_2)
CREATED(creat)
CREATED(creat64)
STREAM(fopen)
STREAM(fopen64)
STREAM_AGAIN(freopen)
STREAM_AGAIN(freopen64)
CUT(truncate, off_t)
CUT(truncate64, off64_t)

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  about_to_change(from_folder, from, false);
  about_to_change(to_folder, to, false);
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renameat2(from_folder, from, to_folder, to, 0);
}
int rename(const char* from, const char* to) noexcept { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char* path, int flags) noexcept {
  about_to_change(folder, path, false);
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}
int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }
int remove(const char* path) noexcept {
  about_to_change(AT_FDCWD, path, false);
  return NEXT(remove)(path);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  about_to_change(to_folder, to, false);
  return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
int link(const char* from, const char* to) noexcept { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int symlinkat(const char* target, int folder, const char* path) noexcept {
  about_to_change(folder, path, false);
  return static_cast<int>(syscall(SYS_symlinkat, target, folder, path));
}
int symlink(const char* target, const char* path) noexcept { return symlinkat(target, AT_FDCWD, path); }

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  about_to_change(folder, path, false);
  return static_cast<int>(syscall(SYS_mkdirat, folder, path, mode));
}
int mkdir(const char* path, mode_t mode) noexcept { return mkdirat(AT_FDCWD, path, mode); }

#pragma GCC visibility pop
}
