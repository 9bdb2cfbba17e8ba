#pragma once
#include <csignal>

namespace warplens::os {

// A write past the limit on the size of files, or to a pipe that nobody reads, raises a signal that ends the process unless it
// expects it. For the lifetime of this, in this thread, such writes fail with EFBIG and EPIPE alone: also in programs that
// have handlers for these signals, which do not learn of ours.
class NoWriteSignals {
public:
  NoWriteSignals();
  ~NoWriteSignals();
  NoWriteSignals(const NoWriteSignals&) = delete;
  NoWriteSignals& operator=(const NoWriteSignals&) = delete;

private:
  sigset_t ours_, before_;
};

} // namespace warplens::os
