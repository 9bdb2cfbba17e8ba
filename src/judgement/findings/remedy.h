// What a fix does, for whoever makes it in the source (fix/propose.h); its words say the same to people.
#pragma once
#include "base/types.h"

namespace warplens::findings {

struct Remedy {
  enum class Kind : u8 {
    none,        // nothing that a tool could do
    longer_rows, // of a shared array: those of `row` bytes get `bytes` more
    aligned, // what lies together, `bytes` of it, is declared to be aligned to that, so that it moves at once
    other_order, // of the indices of an array, so that threadIdx.x runs along its rows: no tool does it, notes show the places
    restricted // pointers are declared not to lead to what others write
  };
  Kind kind = Kind::none;
  u32 bytes = 0, row = 0;
};

} // namespace warplens::findings
