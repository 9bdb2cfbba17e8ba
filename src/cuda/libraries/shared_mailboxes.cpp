// See shared_mailboxes.h. The shared memory is an array of boxes, one for each rank; a box is a table of slots by tag. Its owner alone fills and
// empties slots; readers only count down.
#include "libraries/shared_mailboxes.h"
#include "libraries/far_mailboxes.h"
#include "os/shared_memory.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::runtime {

struct SharedMailboxes::Slot {
  std::atomic<u64> tag;     // 0: nothing
  std::atomic<u32> readers; // that have not read it
  i32 file;                 // of the sender
  u64 bytes;
};

constexpr u32 slots = 4096; // pages that are not used take no memory

struct SharedMailboxes::Box {
  std::atomic<i64> process; // 0: nobody yet
  std::atomic<bool> taken, far, gone;
  std::array<Slot, slots> all;
};

static os::Descriptor file_of(i64 process, i32 file, int how) {
  return os::Descriptor(::open(fmt::format("/proc/{}/fd/{}", process, file).c_str(), how | O_CLOEXEC));
}

std::shared_ptr<SharedMailboxes> SharedMailboxes::create(u64 machine) {
  os::Descriptor file(memfd_create("warplens-mailboxes", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), sizeof(Box) * most_ranks) != 0 || !os::fix_size(file.get()))
    return nullptr;
  std::shared_ptr<SharedMailboxes> out = open({.machine = machine, .process = getpid(), .file = file.get()});
  if (out != nullptr) out->own_file_ = std::move(file); // others find it as long as this one lives
  return out;
}

std::shared_ptr<SharedMailboxes> SharedMailboxes::open(const MailboxesAddress& address) {
  const os::Descriptor file = file_of(address.process, address.file, O_RDWR);
  struct stat what {};
  const bool fits = file && os::has_fixed_size(file.get()) && fstat(file.get(), &what) == 0 &&
                    what.st_size == static_cast<off_t>(sizeof(Box) * most_ranks);
  void* at = fits ? mmap(nullptr, sizeof(Box) * most_ranks, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0)
                  : MAP_FAILED;
  if (at == MAP_FAILED) return nullptr;
  std::shared_ptr<SharedMailboxes> out(new SharedMailboxes);
  out->address_ = address;
  out->shared_ = at;
  return out;
}

SharedMailboxes::~SharedMailboxes() {
  if (door_ != nullptr) shutdown(door_->get(), SHUT_RDWR); // who waits there wakes up
  munmap(shared_, sizeof(Box) * most_ranks);
}

void SharedMailboxes::let_others_in() { door_ = open_door(address_, weak_from_this()); }

SharedMailboxes::Box& SharedMailboxes::box(u32 rank) const { return static_cast<Box*>(shared_)[rank]; }

bool SharedMailboxes::join(u32 rank, bool far) {
  if (box(rank).taken.exchange(true)) return false;
  box(rank).far = far;
  box(rank).process = getpid();
  return true;
}
void SharedMailboxes::leave(u32 rank) { box(rank).gone = true; }
bool SharedMailboxes::has_joined(u32 rank) { return box(rank).process != 0; }
// One that has ended, and whose parent has not asked, is still there to kill().
bool SharedMailboxes::is_alive(u32 rank) {
  if (box(rank).gone) return false;
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

bool SharedMailboxes::put(u32 rank, u64 tag, std::span<const std::byte> data, u32 readers) {
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
  if (!os::write_all(file, data)) return close(file), false;
  free->file = file, free->bytes = data.size();
  free->readers.store(readers, std::memory_order_relaxed);
  free->tag.store(tag, std::memory_order_release);
  return true;
}

std::optional<bool> SharedMailboxes::take(u32 from, u64 tag, std::span<std::byte> out) {
  const std::optional<os::Descriptor> file = take_file(from, tag, out.size());
  if (!file) return {};
  return *file && os::read_all(file->get(), out.data(), out.size());
}

std::optional<os::Descriptor> SharedMailboxes::take_file(u32 from, u64 tag, u64 bytes) {
  Box& there = box(from);
  for (u32 i = 0; i < slots; ++i) {
    Slot& slot = there.all[(first_slot(tag) + i) % slots];
    if (slot.tag.load(std::memory_order_acquire) != tag) continue;
    os::Descriptor file =
        slot.bytes == bytes ? file_of(there.process, slot.file, O_RDONLY) : os::Descriptor();
    slot.readers.fetch_sub(1, std::memory_order_release);
    return file;
  }
  return {};
}

bool SharedMailboxes::may_leave(u32 rank) {
  for (u32 other = 0; box(rank).process == address_.process && other < most_ranks; ++other)
    if (box(other).far && !box(other).gone) return false;
  return all_is_read(rank);
}

bool SharedMailboxes::all_is_read(u32 rank) const {
  for (const Slot& slot : box(rank).all)
    if (slot.tag != 0 && slot.readers != 0) return false;
  return true;
}

} // namespace warplens::runtime
