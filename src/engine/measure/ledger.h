// What the processes of a run have told, kept where a full disk cannot reach it (os/shared_memory.h): all of
// them add to it. The parent compares it with the events that came, and its progress line says what they are doing.
#pragma once
#include "base/types.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>

namespace warplens::measure {

// A text that one process writes while another reads. A reader may get the beginning of one and the end of another.
class SharedText {
public:
  void set(std::string_view text) {
    for (std::size_t i = 0; i < words_.size(); ++i, text.remove_prefix(std::min(text.size(), sizeof(u64)))) {
      u64 word = 0;
      std::memcpy(&word, text.data(), std::min(text.size(), sizeof word));
      words_[i].store(word, std::memory_order_relaxed);
    }
  }
  std::string get() const {
    std::string out;
    for (const std::atomic<u64>& one : words_) {
      const u64 word = one.load(std::memory_order_relaxed);
      out.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    return out.substr(0, out.find('\0'));
  }

private:
  std::array<std::atomic<u64>, 32> words_{};
};

// WarpLens ended a process of the program, whose exit code is 0 then.
enum class Stop : u8 {
  no,
  at_results, // where it waited for results that no count needs (--no-results)
  at_budget   // where the time for its launches was up (--budget)
};
constexpr std::string_view name(Stop stop) { // empty for none
  switch (stop) {
  case Stop::no: return {};
  case Stop::at_results: return "results";
  case Stop::at_budget: return "budget";
  }
  return {};
}

struct Ledger {
  std::atomic<u64> begun{0}; // launches asked for, those that were refused too
  std::atomic<u64> ended{0}; // of those, whose record was to be written
  std::atomic<u64> lost{0};  // events that could not be written
  std::atomic<u32> error{0}; // errno of the first
  std::atomic<Stop> stopped{Stop::no};
  std::atomic<u64> launch_milliseconds{0}; // that launches took, and results that were put off

  // For the progress line alone. Of the launch that runs, or ran last: its number, its CTAs, the kernel's demangled name.
  std::atomic<u64> launch{0}, done{0}, total{0};
  SharedText kernel;
  std::atomic<u64> kernels{0};    // that were launched
  std::atomic<u64> unproved{0};   // launches that were not counted by proof
  std::atomic<u32> computing{0};  // results that were put off (--proofs): of so many processes
  std::atomic<bool> drawn{false}; // the line is on the terminal: whoever is about to write there erases it
};
static_assert(std::atomic<u64>::is_always_lock_free && std::atomic<u32>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free && std::atomic<Stop>::is_always_lock_free);

} // namespace warplens::measure
