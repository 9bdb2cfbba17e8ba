#include "runtime/progress_line.h"
#include "diag/diagnostic.h"
#include <fmt/format.h>
#include <unistd.h>

namespace warplens::runtime {
namespace {

constexpr std::chrono::seconds before_the_first{2};
constexpr std::chrono::milliseconds between{250};

// Sequences that terminals since the VT100 know.
constexpr std::string_view save_cursor = "\x1b"
                                         "7",
                           restore_cursor = "\x1b"
                                            "8",
                           no_wrap = "\x1b[?7l", wrap = "\x1b[?7h", erase_to_margin = "\x1b[K";

void put(std::string_view text) {
  [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace

ProgressLine::ProgressLine(bool wanted)
    : wanted_(wanted && isatty(STDERR_FILENO) == 1), next_(Clock::now() + before_the_first) {}

void ProgressLine::show(u64 launch, std::string_view kernel, u64 done, u64 total) {
  const Clock::time_point now = Clock::now();
  if (!wanted_ || now < next_) return;
  next_ = now + between;
  // A terminal may stop a program of the background that writes to it, which this line is not worth.
  if (tcgetpgrp(STDERR_FILENO) != getpgrp()) return;
  std::string text = fmt::format("warplens: launch {}", launch);
  if (done != 0 && total != 0) text += fmt::format(" {}%", done * 100 / total);
  text += fmt::format(" {}", kernel);
  put(fmt::format("{}{}{}{}{}{}", save_cursor, no_wrap, diag::without_controls(text), erase_to_margin, wrap,
                  restore_cursor));
  shown_ = true;
}

void ProgressLine::erase() {
  if (shown_) put(erase_to_margin);
  shown_ = false;
}

} // namespace warplens::runtime
