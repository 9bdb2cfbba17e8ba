// One open descriptor per process, and all that can happen to it in somebody else's program.
#include "runtime/event_stream.h"
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <new>
#include <unistd.h>

namespace warplens::runtime {

EventStream::EventStream(std::string destination) : destination_(std::move(destination)) {}

// Programs close descriptors that they think are theirs: the stream sits high and, given a path, reopens.
bool EventStream::open() {
  if (destination_.empty()) return false;
  int number = -1;
  const char* end = destination_.data() + destination_.size();
  auto [parsed, error] = std::from_chars(destination_.data(), end, number);
  constexpr int high = 500;
  if (error == std::errc{} && parsed == end) {
    descriptor_ = fcntl(number, F_DUPFD_CLOEXEC, high);
    if (descriptor_ < 0) descriptor_ = fcntl(number, F_DUPFD_CLOEXEC, 3);
    return descriptor_ >= 0;
  }
  int low = ::open(destination_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (low < 0) return false;
  descriptor_ = fcntl(low, F_DUPFD_CLOEXEC, high);
  if (descriptor_ < 0) {
    descriptor_ = low;
  } else {
    ::close(low);
  }
  return true;
}

void EventStream::send(measure::Event event) {
  if (destination_.empty()) return;
  std::lock_guard lock(mutex_);
  if (auto* launch = std::get_if<measure::LaunchRecord>(&event)) sites_.shorten(*launch);
  std::string line = measure::encode(event);
  if (descriptor_ < 0 && !open()) return;
  int saved = errno;
  bool reopened = false;
  for (std::size_t done = 0; done < line.size();) {
    ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EBADF && !reopened && open()) {
      reopened = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      break; // the parent is gone or the disk is full: the program itself goes on
    }
  }
  errno = saved;
}

void EventStream::after_fork() {
  new (&mutex_) std::mutex;
  sites_ = {}; // the child is a process of its own to whoever reads
}

} // namespace warplens::runtime
