// Every opcode row parses in a module, and prints back to the same module; every form that compilers emit is
// analysed.
#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/ptx_test.h"

namespace warplens::ptx {
namespace {

using ir::Form;
using ir::Modifier;
using ir::Opcode;
using ir::Type;

// A form of the row with this type, as short as the language allows.
std::string spelling(const ir::OpcodeInfo& row, Opcode opcode, const std::string& type) {
  std::string text(row.text);
  if (opcode == Opcode::setp || opcode == Opcode::set || opcode == Opcode::vset || opcode == Opcode::vset2 ||
      opcode == Opcode::vset4)
    text += ".lt";
  if (opcode == Opcode::atom || opcode == Opcode::red) text += ".global.add";
  if (opcode == Opcode::shfl) text += ".sync.down";
  if (opcode == Opcode::vote) text += type == "pred" ? ".sync.all" : ".sync.ballot";
  if (opcode == Opcode::bar || opcode == Opcode::barrier) return text + ".sync";
  if (opcode == Opcode::isspacep) return text + ".global";
  if (!type.empty()) text += "." + type;
  ResultOr<Form, ir::UnknownToken> form = ir::parse_form(text);
  EXPECT_TRUE(form.has_value()) << text;
  if (!form || row.operands == "x") return text;
  while (form->type_count < ir::required_types(*form)) {
    text += opcode == Opcode::slct ? ".s32" : "." + type;
    form = ir::parse_form(text);
    if (!form) return text;
  }
  return text;
}

std::string register_of(Type type) {
  switch (ir::bits(type)) {
  case 1: return "%p1";
  case 8:
  case 16: return "%h1";
  case 64: return type == Type::f64 ? "%e1" : "%d1";
  case 128: return "%q1";
  default: return type == Type::f32 ? "%f1" : "%r1";
  }
}

std::string instruction(const Form& form) {
  std::string text = form.text, separator = " ";
  u32 index = 0;
  std::string_view pattern = ir::operand_pattern(form);
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    if (pattern[p] == ' ') continue;
    if (pattern[p] == '?' || pattern[p] == 'x') break;
    text += std::exchange(separator, ", ");
    if (pattern[p] == 'a')
      text += "[%d2+16]";
    else if (pattern[p] == 'l')
      text += "L";
    else if (pattern[p] == 't')
      text += "T";
    else
      text += register_of(ir::operand_type(form, index));
    ++index;
  }
  return text + ";\n";
}

void expect_round_trip(const ir::Module& m) {
  EXPECT_TRUE(ir::verify(m).empty());
  std::string printed = ir::print(m);
  EXPECT_EQ(ir::print(parsed(printed)), printed);
}

TEST(Forms, EveryOpcodeRowParsesAndPrintsBack) {
  for (std::size_t o = 0; o < ir::opcode_count; ++o) {
    auto opcode = static_cast<Opcode>(o);
    const ir::OpcodeInfo& row = ir::info(opcode);
    if (opcode == Opcode::call || opcode == Opcode::unknown) continue; // tests of their own
    std::istringstream types(row.types.empty() ? " " : std::string(row.types));
    std::string type;
    while (types >> type || row.types.empty()) {
      std::string text = spelling(row, opcode, type);
      ResultOr<Form, ir::UnknownToken> form = ir::parse_form(text);
      if (form) {
        SCOPED_TRACE(text);
        ir::Module m = parsed(kernel("T: .branchtargets L;\n" + instruction(*form) + "L:"));
        ASSERT_FALSE(m.functions.empty());
        EXPECT_EQ(m.form(m.functions[0].instructions[0]).opcode, opcode);
        EXPECT_EQ(m.form(m.functions[0].instructions[0]).text, text);
        expect_round_trip(m);
      }
      if (row.types.empty()) break;
    }
  }
}

TEST(Forms, WhatCompilersEmitIsAnalysed) {
  std::istringstream lines(read_data("forms.txt"));
  std::string line;
  u32 forms = 0;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line);
    ResultOr<Form, ir::UnknownToken> form = ir::parse_form(line);
    ASSERT_TRUE(form.has_value()) << form.error().token;
    ++forms;
    EXPECT_EQ(form->type_count, ir::required_types(*form));
    if (form->family() == ir::Family::unsupported || form->opcode == Opcode::call) continue;
    std::string_view pattern = ir::operand_pattern(*form);
    u32 index = 0;
    for (char letter : pattern) {
      if (letter == '?') break;
      if (letter == ' ') continue;
      if (letter != 'l' && letter != 't') {
        EXPECT_NE(ir::operand_type(*form, index), Type::none) << index;
      }
      index += (letter == 'D' || letter == 'S') ? form->vector : 1;
    }
  }
  EXPECT_GT(forms, 500u);
}

TEST(Forms, OperandTypesThatDifferFromTheFormsOwn) {
  auto type = [](const char* text, u32 index) { return ir::operand_type(*ir::parse_form(text), index); };
  EXPECT_EQ(type("mul.wide.s32", 0), Type::s64);
  EXPECT_EQ(type("mad.wide.u16", 3), Type::u32);
  EXPECT_EQ(type("setp.lt.f32", 0), Type::pred);
  EXPECT_EQ(type("setp.lt.f32", 2), Type::f32);
  EXPECT_EQ(type("shl.b64", 2), Type::u32);
  EXPECT_EQ(type("popc.b64", 0), Type::u32);
  EXPECT_EQ(type("popc.b64", 1), Type::b64);
  EXPECT_EQ(type("cvt.f32.s8", 1), Type::s8);
  EXPECT_EQ(type("ld.global.v2.f32", 2), Type::u64);
  EXPECT_EQ(type("st.global.v2.f32", 2), Type::f32);
  EXPECT_EQ(type("atom.cas.b64", 3), Type::b64);
  EXPECT_EQ(type("dp4a.u32.s32", 0), Type::s32);
  EXPECT_EQ(ir::operand_type(*ir::parse_form("shfl.sync.down.b32"), 2, 4, 1), Type::pred);
  EXPECT_EQ(ir::operand_type(*ir::parse_form("mov.b64"), 2, 1, 1), Type::b32);
  EXPECT_EQ(ir::operand_type(*ir::parse_form("add.cc.u32"), 2, 2, 1), Type::pred);
  EXPECT_EQ(ir::operand_type(*ir::parse_form("add.cc.u32"), 2, 2, 2), Type::u32);
}

TEST(Forms, WhatNoRowKnowsIsNamed) {
  auto unknown = [](const char* text) { return ir::parse_form(text).error(); };
  EXPECT_EQ(unknown("frobnicate.u32").token, "frobnicate");
  EXPECT_TRUE(unknown("frobnicate.u32").is_opcode);
  EXPECT_EQ(unknown("add.shiny.u32").token, "shiny");
  EXPECT_EQ(unknown("add.shiny.u32").offset, 4u);
  EXPECT_EQ(unknown("ld.global.pred").token, "pred");
  EXPECT_EQ(unknown("add.f32.f16").token, "f16"); // mixed precision is not add.f32
}

} // namespace
} // namespace warplens::ptx
