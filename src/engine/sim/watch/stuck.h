// What the threads of CTAs wait for that do not go on, in words: for deadlocks and for time limits.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// Threads that wait at one place: of one CTA, or of several where `more_ctas` says so.
struct Wait {
  diag::Span place;
  std::string who;  // "warps 0-3 of block (5, 0, 0)"
  std::string what; // "spinning on what is read at kernel.cu:12"
  std::string
      detail; // of the first of them: what it polls and finds there, what a barrier has and lacks; may be empty
  u64 cta = 0;       // of the first of them: its number in the grid
  u64 more_ctas = 0; // beside that one
};

// Appends what the groups of a CTA wait for that stopped in run_cta(), places that are known already in one entry. The
// CTA must not go on when `for_ever`: the loops are gone round once more, to see what they poll.
void add_waits(Exec&, Cta&, bool for_ever, std::vector<Wait>&);
void merge_wait(std::vector<Wait>&, Wait);
std::vector<std::string> in_words(const std::vector<Wait>&);

// A fault at the place where the first group of the CTA waits, spinning ones before others.
Fault fault_of_waiting(Exec&, Cta&, FaultKind, std::string name, std::string message, std::string help);

// The threads of the CTA wait at barriers that can never complete.
Fault fault_of_deadlock(Exec&, Cta&);

// A number that stays the same from turn to turn of a CTA that only waits, whatever its groups are at: their places
// and registers. None where lanes wait behind a loop that others go round: they are let go on at some time.
std::optional<u64> fingerprint(const Exec&, const Cta&);

} // namespace warplens::sim
