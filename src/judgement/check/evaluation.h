// What one instruction does to the values of registers.
#pragma once
#include "check/analysis.h"

namespace warplens::check {

class Evaluation {
public:
  explicit Evaluation(Analysis&);
  void step(u32 instruction, u32 block); // gives its destinations their values

private:
  using Value = symbolic::Value;

  // Of the instruction at hand.
  Value source(u32 n) { return source(n, bits_); }
  Value source(u32 n, u32 bits);
  void define(u32 n, Value v);

  void evaluate();
  bool integer(); // each: false where the opcode is another's
  bool bitwise();
  bool decision();
  bool movement();
  bool memory();
  bool across_lanes();
  bool names_parts() const;
  void other();

  Value multiplied();
  Value converted();
  Value bit_field();
  Value by_table(u32 table, Value a, Value b, Value c);
  Value moved();
  Value turned();
  void load();
  Value loaded(u32 n);
  void load_parameter();
  void compare_and_set();
  Value shared_result(u32 detail = 0); // unknown, equal in all lanes
  Value differing_result(u32 detail = 0);

  Analysis& a_;
  symbolic::Pool& pool_;
  symbolic::LaneAlgebra& algebra_;
  const ir::Function& function_;
  const ir::Module& module_;

  u32 index_ = 0, block_ = 0;
  const ir::Instruction* instruction_ = nullptr;
  const ir::Form* form_ = nullptr;
  ir::Type type_{};
  u32 bits_ = 0; // of the form's first type
  bool signed_ = false;
};

} // namespace warplens::check
