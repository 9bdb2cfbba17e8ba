// A thread looks at the ledger a few times a second, makes the words, and draws them if they changed. In a log file it writes once a
// minute.
#include "driver/program/progress.h"
#include "base/diagnostic.h"
#include "os/interrupt.h"
#include "source/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warplens::driver {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds before_the_first = 2s, quiet = 2s, between = 250ms,
                                    between_in_a_file = 60s;

// Sequences that terminals since the VT100 know.
constexpr std::string_view save_cursor = "\x1b"
                                         "7",
                           restore_cursor = "\x1b"
                                            "8",
                           no_wrap = "\x1b[?7l", wrap = "\x1b[?7h", erase_to_margin = "\x1b[K";

void put(std::string_view text) {
  [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

u32 columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

bool launches_now(const measure::Ledger& ledger) { return ledger.begun > ledger.ended; }

std::string launches_of(u64 count) { return count == 1 ? "1 launch" : fmt::format("{} launches", count); }
std::string kernels_of(u64 count) { return count == 1 ? "1 kernel" : fmt::format("{} kernels", count); }

std::string percent(const measure::Ledger& ledger) {
  const u64 done = ledger.done, total = ledger.total;
  return done == 0 || total == 0 ? "" : fmt::format(" {}%", std::min(done, total) * 100 / total);
}

// What is going on; a kernel's name stands at the end of it.
std::string state_of(const measure::Ledger& ledger) {
  const u64 begun = ledger.begun;
  if (launches_now(ledger) || ledger.computing != 0) {
    const std::string kernel = source::name_parts(ledger.kernel.get()).base;
    if (ledger.computing == 0)
      return fmt::format("launch {}{} {}", ledger.launch.load(), percent(ledger), kernel);
    const std::string results =
        fmt::format("computing results of launch {}{} {}", ledger.launch.load(), percent(ledger), kernel);
    if (ledger.unproved != 0 || launches_now(ledger)) return results;
    return fmt::format("{} proved; {}",
                       begun == 1 ? "the launch is" : fmt::format("all {} launches are", begun), results);
  }
  if (begun == 0) return "the program's own work, no launch yet";
  return fmt::format("the program's own work after {}", launches_of(begun));
}

// Of all processes, in bytes; what cannot be read does not change.
u64 written_by_children() {
  u64 out = 0;
  std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
  for (pid_t child = 0; children >> child;) {
    std::ifstream io(fmt::format("/proc/{}/io", child));
    for (std::string word; io >> word;)
      if (u64 bytes = 0; word == "wchar:" && io >> bytes) out += bytes;
  }
  return out;
}

} // namespace

std::string progress_text(const measure::Ledger& ledger, std::chrono::seconds since_start, u32 width,
                          bool hint, bool offers_budget) {
  std::string state = diag::without_controls(state_of(ledger));
  std::string rest = fmt::format(", {} s", since_start.count());
  if (const u64 kernels = ledger.kernels; kernels > 1) rest += ", " + kernels_of(kernels);
  const bool offers = offers_budget && since_start >= 30s && ledger.begun != 0;
  if (hint && offers) rest += "; Ctrl-C: report; --budget 60s answers sooner";
  if (hint && !offers) rest += "; Ctrl-C: report of what was counted so far";
  constexpr std::string_view name = "warplens: ";
  const std::size_t room = std::max<std::size_t>(width, 40) - name.size() - 1;
  if (hint && state.size() + rest.size() > room) rest = rest.substr(0, rest.find(';')) + "; Ctrl-C: report";
  if (state.size() + rest.size() > room && room > rest.size())
    state = state.substr(0, room - rest.size() - 2) + "..";
  return std::string(name) + state + rest;
}

ProgressLine::ProgressLine(measure::Ledger& ledger, bool wanted, bool offers_budget)
    : ledger_(ledger), terminal_(isatty(STDERR_FILENO) == 1), offers_budget_(offers_budget) {
  if (!wanted) return;
  thread_ = os::thread_without_signals([this] { run(); }); // they come to the one that waits for the program
}

ProgressLine::~ProgressLine() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (ledger_.drawn.exchange(false)) put(erase_to_margin);
}

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point next = start_ + (terminal_ ? Clock::duration(before_the_first) : between_in_a_file);
  while (!ends_.wait_until(lock, next, [&] { return ended_; })) {
    const Clock::time_point now = Clock::now();
    next = now + (terminal_ ? Clock::duration(between) : between_in_a_file);
    draw(now);
  }
}

void ProgressLine::draw(Clock::time_point now) {
  const auto since_start = std::chrono::duration_cast<std::chrono::seconds>(now - start_);
  if (!terminal_) return put(progress_text(ledger_, since_start, 1000, false) + '\n');
  // A terminal may stop a program of the background that writes to it, which this line is not worth.
  if (tcgetpgrp(STDERR_FILENO) != getpgrp()) return;
  auto counters = [&] { return ledger_.begun + ledger_.ended + ledger_.computing; };
  const u64 before = counters();
  const bool own_work = !launches_now(ledger_) && ledger_.computing == 0;
  if (own_work) {
    if (const u64 state = before + written_by_children(); state != state_) state_ = state, quiet_since_ = now;
    if (now - quiet_since_ < quiet) return;
  } else {
    state_ = 0;
  }
  const u32 width = columns();
  const std::string text = progress_text(ledger_, since_start, width, true, offers_budget_);
  std::string place;
  if (own_work && text.size() < width)
    place = fmt::format("{}\x1b[{}G", erase_to_margin, width - text.size() + 1);
  ledger_.drawn = true;
  put(fmt::format("{}{}{}{}{}{}{}", save_cursor, no_wrap, place, text, erase_to_margin, wrap,
                  restore_cursor));
  // The program went on in the meantime, and did not see the line.
  if (counters() != before && ledger_.drawn.exchange(false)) put(erase_to_margin);
}

} // namespace warplens::driver
