// What may follow the coordinates of a fetch: whole texels to add to them, and a depth to compare with (PTX ISA, "tex",
// operands e and f). Only by its type can a single operand be told to be the one or the other.
#include "ir/texture.h"
#include "ptx/parser.h"
#include <fmt/format.h>

namespace warplens::ptx {

using ir::Operand;
using ir::Type;

// Where there is a depth, there are texels to add, too: zeros where the text has none.
bool Parser::texture_tail(std::vector<Operand>& out, const ir::Form& form, ir::OperandRule rule) {
  const u32 wanted = ir::least_count(rule, form);
  const Token start = c_.token();
  std::vector<Operand> given;
  const bool braces = c_.at('{'), literal = !c_.at_identifier();
  const bool float_literal = start.text.starts_with("0f") || start.text.starts_with("0F");
  const bool depth_literal = !braces && literal && (wanted != 1 || float_literal);
  if (!vector_or_operand(given, depth_literal ? Type::f32 : Type::s32, 's')) return false;
  const bool is_float = given.size() == 1 && given[0].kind == Operand::Kind::reg &&
                        ir::is_float(m_.functions[current_.value].registers[given[0].reg.value].type);
  if (!braces && given.size() == 1 && (wanted != 1 || is_float || depth_literal)) {
    Operand zero;
    zero.kind = Operand::Kind::immediate;
    out.insert(out.end(), wanted, zero);
    out.push_back(given[0]);
    return true;
  }
  if (given.size() != wanted)
    return c_.fail("ptx-syntax",
                   fmt::format("'{}' takes {} offsets, not {}", form.text, wanted, given.size()), start);
  out.insert(out.end(), given.begin(), given.end());
  return !c_.accept(',') || operand(out, Type::f32, 's');
}

} // namespace warplens::ptx
