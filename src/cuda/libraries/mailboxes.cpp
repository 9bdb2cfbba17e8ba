// See mailboxes.h. The shared memory is an array of boxes, one for each rank; a box is a table of slots by tag. Its owner alone fills and
// empties slots; readers only count down.
#include "libraries/mailboxes.h"
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::runtime {

struct Mailboxes::Slot {
  std::atomic<u64> tag;     // 0: nothing
  std::atomic<u32> readers; // that have not read it
  i32 file;                 // of the sender
  u64 bytes;
};

constexpr u32 slots = 4096; // pages that are not used take no memory

struct Mailboxes::Box {
  std::atomic<i64> process; // 0: nobody yet
  std::array<Slot, slots> all;
};

std::shared_ptr<Mailboxes> Mailboxes::create() {
  const int file = memfd_create("warplens-mailboxes", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  if (ftruncate(file, sizeof(Box) * most_ranks) != 0) {
    close(file);
    return nullptr;
  }
  std::shared_ptr<Mailboxes> out = open({getpid(), file});
  if (out != nullptr)
    out->own_file_ = file; // others find it as long as this one lives
  else
    close(file);
  return out;
}

std::shared_ptr<Mailboxes> Mailboxes::open(const MailboxesAddress& address) {
  const int file =
      ::open(fmt::format("/proc/{}/fd/{}", address.process, address.file).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat what {};
  const bool fits = fstat(file, &what) == 0 && what.st_size == static_cast<off_t>(sizeof(Box) * most_ranks);
  void* at = fits ? mmap(nullptr, sizeof(Box) * most_ranks, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                  : MAP_FAILED;
  close(file);
  if (at == MAP_FAILED) return nullptr;
  std::shared_ptr<Mailboxes> out(new Mailboxes);
  out->address_ = address;
  out->shared_ = at;
  return out;
}

Mailboxes::~Mailboxes() {
  munmap(shared_, sizeof(Box) * most_ranks);
  if (own_file_ >= 0) close(own_file_);
}

Mailboxes::Box& Mailboxes::box(u32 rank) const { return static_cast<Box*>(shared_)[rank]; }

void Mailboxes::join(u32 rank) { box(rank).process = getpid(); }
bool Mailboxes::has_joined(u32 rank) const { return box(rank).process != 0; }
// One that has ended, and whose parent has not asked, is still there to kill().
bool Mailboxes::is_alive(u32 rank) const {
  const int file =
      ::open(fmt::format("/proc/{}/stat", box(rank).process.load()).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::string text(512, ' ');
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name = text.rfind(')'); // "123 (name) S …"
  return name != text.npos && name + 2 < text.size() && text[name + 2] != 'Z' && text[name + 2] != 'X';
}

// Where a search begins: a slot that is free most of the time.
static u32 first_slot(u64 tag) { return static_cast<u32>((tag * 0x9e3779b97f4a7c15u) >> 52); }

bool Mailboxes::put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers) {
  if (readers == 0) return true;
  Box& own = box(rank);
  Slot* free = nullptr;
  for (u32 i = 0; i < slots; ++i) {
    Slot& slot = own.all[(first_slot(tag) + i) % slots];
    if (slot.readers.load(std::memory_order_acquire) != 0) continue;
    if (slot.tag.exchange(0) != 0) close(slot.file);
    if (free == nullptr) free = &slot;
  }
  if (free == nullptr) return false;
  const int file = memfd_create("warplens-message", MFD_CLOEXEC);
  if (file < 0) return false;
  for (std::size_t written = 0; written < data.size();) {
    const ssize_t n = write(file, data.data() + written, data.size() - written);
    if (n <= 0) {
      close(file);
      return false;
    }
    written += static_cast<std::size_t>(n);
  }
  free->file = file, free->bytes = data.size();
  free->readers.store(readers, std::memory_order_relaxed);
  free->tag.store(tag, std::memory_order_release);
  return true;
}

std::optional<bool> Mailboxes::take(u32 from, u64 tag, std::span<std::byte> out) {
  Box& there = box(from);
  for (u32 i = 0; i < slots; ++i) {
    Slot& slot = there.all[(first_slot(tag) + i) % slots];
    if (slot.tag.load(std::memory_order_acquire) != tag) continue;
    bool fits = slot.bytes == out.size();
    const int file = fits ? ::open(fmt::format("/proc/{}/fd/{}", there.process.load(), slot.file).c_str(),
                                   O_RDONLY | O_CLOEXEC)
                          : -1;
    fits &= file >= 0;
    for (std::size_t read = 0; fits && read < out.size();) {
      const ssize_t n = pread(file, out.data() + read, out.size() - read, static_cast<off_t>(read));
      if (n <= 0) fits = false;
      read += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    }
    if (file >= 0) close(file);
    slot.readers.fetch_sub(1, std::memory_order_release);
    return fits;
  }
  return {};
}

bool Mailboxes::all_is_read(u32 rank) const {
  for (const Slot& slot : box(rank).all)
    if (slot.tag != 0 && slot.readers != 0) return false;
  return true;
}

} // namespace warplens::runtime
