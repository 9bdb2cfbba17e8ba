#include "runtime/progress.h"
#include <unistd.h>

namespace warplens::runtime {

void Progress::launch_begins(u64 index, std::string_view kernel, bool first_of_kernel) {
  if (ledger_ == nullptr) return;
  ledger_->launch = index, ledger_->done = 0;
  ledger_->kernel.set(kernel);
  if (first_of_kernel) ++ledger_->kernels;
}

void Progress::blocks(u64 done, u64 total) const {
  if (ledger_ == nullptr) return;
  ledger_->done.store(done, std::memory_order_relaxed);
  ledger_->total.store(total, std::memory_order_relaxed);
}

void Progress::launch_ends(bool proved) const {
  if (ledger_ != nullptr && !proved) ++ledger_->unproved;
  erase();
}

void Progress::computing(bool begins) const {
  if (ledger_ == nullptr) return;
  if (begins)
    ++ledger_->computing;
  else
    --ledger_->computing;
}

void Progress::took(double seconds) {
  untold_ += seconds * 1000;
  const u64 whole = static_cast<u64>(untold_);
  untold_ -= static_cast<double>(whole);
  if (ledger_ != nullptr) ledger_->launch_milliseconds += whole;
}

void Progress::erase() const {
  if (ledger_ == nullptr || !ledger_->drawn.load(std::memory_order_relaxed)) return;
  if (isatty(STDERR_FILENO) == 0 || !ledger_->drawn.exchange(false)) return;
  constexpr std::string_view to_margin = "\x1b[K";
  [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, to_margin.data(), to_margin.size());
}

} // namespace warplens::runtime
