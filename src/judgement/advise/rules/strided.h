// Parts of the rule on strided lanes (strided.cpp): which change it is, and what is said of it.
#pragma once
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

// Accesses with the same stride, at other places within it.
struct Neighbours {
  u32 members = 1;  // different places, this one included, of accesses elsewhere in the source
  u32 unrolled = 0; // accesses of the same place in the source
};
Neighbours neighbours(const Subject&, u64 stride);

// Warps of the launch, or 0 where it is not known.
u64 launched_warps(const Subject&);
// Is it performed more than once by a thread, as in a loop?
bool repeats(const Subject&, const measure::SiteRecord&);
// Is there a store with this stride that each thread performs once? Then a row is no thread's own: it holds the results of
// many, and another order of indices serves both.
bool result_in_row(const Subject&, u64 stride);
// Are lanes a stride apart, but some out of turn?
inline bool in_parts(const measure::Shape& shape) {
  return shape.form == measure::Form::strided && shape.rows != 0;
}

// Where a warp's lanes begin, within a sector, after a change.
using Start = std::function<u64(const access::WarpAccess&)>;
inline u64 of_first_lane(const access::WarpAccess& access) {
  return access.address[static_cast<u32>(std::countr_zero(access.active))];
}
// Lanes of a row `step` bytes apart, and their rows `gap`: in a block that is narrower than a warp, a warp covers several rows of
// threads, and does so after the change, too.
Change lanes_in_rows(const Subject&, u64 step, i64 gap, Start);

// structures.cpp
bool is_vector_in_parts(const Subject&, const Neighbours&, u64 stride); // and these are all of it
// Does the compiler load a part of each number, because the code masks off or casts away the rest?
bool is_narrowed(const Subject&, u64 stride, const Neighbours&);
void say_narrowed(const Subject&, u64 stride, Advice& out);
bool is_library_state(const Subject&); // a structure of cuRAND, whose layout is not the program's to change
bool takes_a_part(const Subject&, u64 stride);
// Does each thread load or store a value of its own beside the array of `s`, once, as the result of its row?
bool has_own_value(const Subject&);
bool has_records(const Subject&, u64 stride, const Neighbours&);
void say_vector(const Subject&, u64 stride, Advice& out);
void say_library_state(const Subject&, Advice& out);
void say_turns(const Subject&, u64 stride, bool apart, Advice& out);
void say_members(const Subject&, u64 stride, const Neighbours&, Advice& out);
bool say_wide_pieces(const Subject&, u64 stride, Advice& out); // false where that is no help
void say_elements(const Subject&, u64 stride, Advice& out);
void say_other_order(const Subject&, u64 stride, Advice& out);

// index_order.cpp
bool turns_a_matrix(const Subject&);
bool block_uses_rows(const Subject&);
void say_tile(const Subject&, Advice& out);
void say_index_order(const Subject&, Advice& out);

} // namespace warplens::advise::rules
