// What the analysis makes symbols from, beside the algebra's own operations.
#pragma once
#include "base/types.h"

namespace warplens::check {

enum SymbolCode : u32 {
  of_launch = 1u << 16,
  of_parameter,
  of_variable,
  of_special,
  of_load,
  of_instruction, // a result that all lanes share
  of_differing,   // a result that they do not
  of_rounds,      // how often a loop went round
  of_phi,
  of_exit, // a loop's value, behind it
  of_join,
  of_choice,
  of_difference,
  of_condition,
  of_form // and above: the number of a form
};

} // namespace warplens::check
