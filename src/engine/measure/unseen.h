// What the processes of a run keep in shared memory: the ledger, and the programs that WarpLens was kept out of.
#pragma once
#include "measure/ledger.h"
#include <array>

namespace warplens::measure {

// A program that uses CUDA and that a process of the run started in a way that keeps WarpLens out.
struct UnseenProgram {
  std::atomic<bool> written{false};
  char text[500]; // "PATH: why", ends with NUL
};

struct SharedLedger : Ledger {
  std::atomic<u64> unseen{0};
  std::array<UnseenProgram, 8> unseen_programs; // the first of them
};

} // namespace warplens::measure
