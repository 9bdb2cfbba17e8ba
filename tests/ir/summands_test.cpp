// The table of sums, held against what instructions compute: of small numbers, each as its own functor would have it.
#include "ir/added_operands.h"
#include "ir/operands.h"
#include <gtest/gtest.h>

namespace warplens::ir {
namespace {

Operand number(u64 value) {
  Operand out;
  out.kind = Operand::Kind::immediate;
  out.value = value;
  return out;
}

i64 by_table(Opcode opcode, const std::vector<i64>& values) {
  i64 out = 0;
  for (const Summand& s : summands(opcode)) {
    i64 one = values[s.source];
    if (s.factor != Summand::none) one *= s.is_power ? i64{1} << values[s.factor] : values[s.factor];
    out += s.is_subtracted ? -one : one;
  }
  return out;
}

TEST(Summands, AreWhatInstructionsCompute) {
  EXPECT_EQ(by_table(Opcode::mov, {7}), 7);
  EXPECT_EQ(by_table(Opcode::add, {7, 3}), 10);
  EXPECT_EQ(by_table(Opcode::sub, {7, 3}), 4);
  EXPECT_EQ(by_table(Opcode::mul, {7, 3}), 21);
  EXPECT_EQ(by_table(Opcode::shl, {7, 3}), 56);
  EXPECT_EQ(by_table(Opcode::mad, {7, 3, 5}), 26);
  EXPECT_TRUE(summands(Opcode::xor_).empty());
}

TEST(Summands, AreOperandsOfTheInstruction) {
  for (std::size_t n = 0; n < opcode_count; ++n) {
    const Opcode opcode = static_cast<Opcode>(n);
    if (summands(opcode).empty()) continue;
    const std::string text(info(opcode).text);
    auto form = parse_form(text + ".u64");
    if (!form) form = parse_form(text + ".b64");
    ASSERT_TRUE(form) << text;
    u32 sources = 0;
    for (const OperandRule& rule : operands(*form)) sources += !rule.destination();
    for (const Summand& s : summands(opcode)) {
      EXPECT_LT(s.source, sources) << text;
      EXPECT_TRUE(s.factor == Summand::none || s.factor < sources) << text;
    }
  }
}

TEST(Summands, ConstantsSayHowOften) {
  const std::vector<Operand> by_three{Operand{}, number(3)}, by_register{Operand{}, Operand{}},
      far{Operand{}, number(32)};
  EXPECT_EQ(times(summands(Opcode::mul)[0], by_three), 3u);
  EXPECT_EQ(times(summands(Opcode::shl)[0], by_three), 8u);
  EXPECT_EQ(times(summands(Opcode::add)[1], by_register), 1u);
  EXPECT_EQ(times(summands(Opcode::mul)[0], by_register), std::nullopt);
  EXPECT_EQ(times(summands(Opcode::shl)[0], far), std::nullopt);
  EXPECT_EQ(moved(Opcode::sub, by_three), 0u);
  EXPECT_EQ(moved(Opcode::add, by_register), std::nullopt);
  EXPECT_EQ(moved(Opcode::mul, by_three), std::nullopt);
  EXPECT_EQ(moved(Opcode::mov, by_register), std::nullopt) << "two registers packed";
}

} // namespace
} // namespace warplens::ir
