// Which array an access goes to: its address followed back through the function to what it was computed from.
//
//   ld.param.u64 %rd1, [k_param_0];  cvta.to.global.u64 %rd2, %rd1;  add.s64 %rd3, %rd2, %rd7;  ld.global.f32 %f1, [%rd3];
//
// goes to what parameter 0 points to: %rd7 was multiplied on its way, and so is no pointer. The analysis asks for each
// value (values.h) which variables it may have come from. Where two pointers meet, at a loop or a
// selection, the answer is "several"; where a pointer was never seen (it came from a call other than malloc(), or through
// local memory) it is "none". Both are answers: an array is named only where it is the one.
#pragma once
#include "ir/module.h"

namespace warplens::ir {

struct Origin {
  enum class Kind : u8 { none, one, several };
  static constexpr u32 somewhere = ~u32{0};
  Kind kind = Kind::none;
  VariableId
      variable; // one: the symbol, the parameter of the function that holds the pointer, or what a call of malloc() gives back
  u32 offset = somewhere; // of a parameter: the byte of it that the pointer was read at, where it is known
  bool indirect = false;  // the pointer was read from memory that the variable leads to: p[i]->x, list->next
  bool pointer = false;   // known to be an address, as what names a symbol or went through cvta is
  bool in_place = false;  // the address of a parameter itself, whose value is still to be read
  bool operator==(const Origin&) const = default;
};

// By site, for every instruction of the function that has one; in the order of instructions.
struct SiteOrigin {
  SiteId site;
  Origin origin;
  Origin copied_to; // where an asynchronous copy writes
};
std::vector<SiteOrigin> origins(const Module&, const Function&);

// The same as a report has it. Symbols keep their names as the module has them, parameters have none.
access::Array array_of(const Module&, const Function&, const Origin&);

} // namespace warplens::ir
