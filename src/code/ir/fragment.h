// How a warp moves a matrix of wmma between memory and registers, as ptxas has it (FragmentAccess): PTX leaves open which lane
// has which element. Fragments are made of those of mma.sync, and each access is one that ptxas makes: ordinary loads and
// stores of each lane, exchanged by movmatrix where memory lies the other way round, and ldmatrix.
//
// Addresses. Each lane has a base: so many lines (rows of a row-major matrix) and so many bytes from the first element. An
// access is then at the same distance from it in all lanes: some lines further, and some bytes.
//
// Order of the registers. Blocks of 16 rows of the first factor, of 8 columns of the other, and of the sums; in each
// those of mma.sync. m8n32 is multiplied the other way round: there B is the first factor. f16 has eight registers for
// each factor, of which a small one needs two or four; the others repeat these.
#pragma once
#include "ir/matrix.h"
#include <vector>

namespace warplens::ir {

// One access: how far it is from each lane's base, and the registers that it moves. Of bytes four make a register.
struct FragmentPart {
  u32 lines = 0, offset = 0;
  u32 first = 0, count = 1;
};

struct Fragment {
  FragmentAccess access;
  u32 element_bytes = 0; // 0: parts of bytes
  u32 registers = 0;     // that hold something new
  // Lanes: a line for each (lane div 4) and `step` bytes for each (lane mod 4), or the other way round.
  bool across = false;
  u32 step = 0;
  // ldmatrix: which bit of (lane div 8) moves it 8 lines on, and which 16 bytes; 2: none.
  u32 line_bit = 2, byte_bit = 2;
  std::vector<FragmentPart> parts{};
};
// Of wmma.load and wmma.store.
Fragment fragment_of(const Form&);

// Where a lane's accesses begin: so many lines and bytes from the first element.
struct FragmentPlace {
  u32 lines = 0, bytes = 0;
};
FragmentPlace fragment_place(const Fragment&, u32 lane);

// PTX has these alone (PTX ISA, "Matrix Data-types and Shapes" of wmma); the others have no layout that could be followed.
bool is_shape_of_fragments(const Form&);
// Elements from one line to the next where the text does not say.
u32 least_stride(const Form&);

} // namespace warplens::ir
