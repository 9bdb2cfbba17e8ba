// How results move when their sources move: the rules of arithmetic, one per opcode that index computations
// use. rules.cpp explains them.
#pragma once
#include "fold/delta.h"
#include <unordered_set>

namespace warplens::fold {

// Thrown where a quotient or remainder would become linear if an axis of the set were split.
struct NeedsSplit {
  u32 axis = 0, radix = 0;
};

// An op about to be executed by `lanes`, each source moving alike in all of them.
struct Followed {
  const Step& x;
  const Op& op;
  Conditions& conditions;
  std::unordered_set<const Op*>& unsplittable; // ops for which no split was found
  const ir::Instruction* at = nullptr;
  Mask lanes;
  std::array<const Delta*, 8> source{};
  // Receives the lanes' result, in parts when they differ.
  Parts& result;
};

void follow_compute(Followed&);
void follow_resize(Followed&);
void follow_move(Followed&);
void follow_pack(Followed&);
void follow_unpack(Followed&, u32 piece); // the piece-th destination
void follow_offset(Followed&);            // cvta of a window: source plus a constant

} // namespace warplens::fold
