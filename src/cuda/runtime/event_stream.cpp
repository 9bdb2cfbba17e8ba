// One open descriptor per process, and all that can happen to it in somebody else's program.
#include "runtime/event_stream.h"
#include "os/no_write_signals.h"
#include "os/shared_memory.h"
#include "runtime/run_ledger.h"
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <new>
#include <unistd.h>

namespace warplens::runtime {

measure::SharedLedger* run_ledger(const std::string& name) {
  static auto* known = new std::map<std::string, os::SharedMemory>; // lives as long as the process
  auto opened = known->find(name);
  if (opened == known->end()) {
    std::optional<os::SharedMemory> shared = os::SharedMemory::open(name, sizeof(measure::SharedLedger));
    if (!shared) return nullptr;
    opened = known->emplace(name, std::move(*shared)).first;
  }
  return static_cast<measure::SharedLedger*>(opened->second.data());
}

EventStream::EventStream(std::string destination, const std::string& ledger)
    : destination_(std::move(destination)) {
  if (destination_.empty() || ledger.empty()) return;
  ledger_ = run_ledger(ledger);
  if (ledger_ != nullptr) return;
  std::string text =
      fmt::format("warplens: process {} cannot reach the run that started it: whether its launches are "
                  "counted is not known\n",
                  getpid());
  [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

// Programs close descriptors that they think are theirs: the stream sits high and, given a path, reopens. The
// parent made the file; where it is gone, so is whoever would read another.
bool EventStream::open() {
  int number = -1;
  const char* end = destination_.data() + destination_.size();
  auto [parsed, error] = std::from_chars(destination_.data(), end, number);
  constexpr int high = 500;
  if (error == std::errc{} && parsed == end) {
    descriptor_ = fcntl(number, F_DUPFD_CLOEXEC, high);
    if (descriptor_ < 0) descriptor_ = fcntl(number, F_DUPFD_CLOEXEC, 3);
    return descriptor_ >= 0;
  }
  int low = ::open(destination_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (low < 0) return false;
  descriptor_ = fcntl(low, F_DUPFD_CLOEXEC, high);
  if (descriptor_ < 0) {
    descriptor_ = low;
  } else {
    ::close(low);
  }
  return true;
}

// 0, or the errno of what stopped it.
int EventStream::write(std::string_view line) {
  if (descriptor_ < 0 && !open()) return errno;
  os::NoWriteSignals guard;
  bool reopened = false;
  while (!line.empty()) {
    ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written > 0) {
      line.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno == EBADF && !reopened) {
      reopened = true;
      if (!open()) return errno;
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

void EventStream::note_lost(int error) {
  if (ledger_ == nullptr) return;
  u32 none = 0;
  ledger_->error.compare_exchange_strong(none, static_cast<u32>(error));
  ++ledger_->lost;
}

void EventStream::begin_launch() {
  if (ledger_ != nullptr) ++ledger_->begun;
}

void EventStream::send(measure::Event event) {
  if (destination_.empty()) return;
  std::lock_guard lock(mutex_);
  const int saved = errno;
  bool ends =
      std::holds_alternative<measure::LaunchRecord>(event) || std::holds_alternative<measure::LeftOut>(event);
  if (ends && ledger_ != nullptr) ++ledger_->ended;
  event = sender_.shorten(std::move(event));
  // A line that was cut off, by whichever process, must not take the next one with it: each ends the one before.
  std::string line = '\n' + measure::encode(event, sequence_++);
  if (int error = write(line); error != 0) {
    note_lost(error); // the program itself goes on
    sender_ = {};     // it may be that nobody knows what later records would refer to
  }
  errno = saved;
}

void EventStream::after_fork() {
  new (&mutex_) std::mutex;
  sender_ = {}; // the child is a process of its own to whoever reads
  sequence_ = 0;
}

} // namespace warplens::runtime
