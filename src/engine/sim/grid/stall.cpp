#include "sim/grid/stall.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {
constexpr u64 gone = ~u64{0};
}

void StallWatch::note_changes() {
  if (std::exchange(moved_, false)) ++board_.changes;
}

void StallWatch::leave() {
  note_changes();
  board_.stuck_at[worker_] = gone;
}

bool StallWatch::comes_back(std::optional<u64> state) {
  if (!state) return false;
  if (seen_ == state) return true;
  if (++age_ < renewed_at_) return false;
  seen_ = state;
  age_ = 0;
  renewed_at_ *= 2;
  return false;
}

bool StallWatch::is_stuck(const std::function<std::optional<u64>()>& state) {
  note_changes();
  const u64 changes = board_.changes;
  const Clock::time_point now = Clock::now();
  if (changes != since_) {
    since_ = changes;
    quiet_from_ = now;
    seen_.reset();
    age_ = 0;
    renewed_at_ = 1;
    circles_ = false;
    return false;
  }
  const Clock::duration needed = memory_.host_may_write() ? stall_time_with_host : stall_time;
  if (now - quiet_from_ < needed / 2) return false; // short waits are not worth a look at all registers
  if (!circles_) circles_ = comes_back(state());
  if (!circles_ || now - quiet_from_ < needed) return false;
  board_.stuck_at[worker_] = changes;
  for (const std::atomic<u64>& other : board_.stuck_at)
    if (u64 at = other; at != changes && at != gone) return false;
  return board_.changes == changes;
}

void explain_stall(const StallBoard& board, u64 ctas, diag::Diagnostic& diagnostic) {
  for (std::string& note : in_words(board.waits)) diagnostic.notes.push_back(std::move(note));
  std::string rest = fmt::format("{} of {} blocks have ended", ctas - board.waiting - board.not_begun, ctas);
  if (board.not_begun != 0)
    rest += fmt::format("; {} have not begun, because a GPU has no room for them before others end",
                        board.not_begun);
  diagnostic.notes.push_back(std::move(rest));
}

} // namespace warplens::sim
