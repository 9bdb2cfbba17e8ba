// Every opcode row parses in a module, and prints back to the same module; every form that compilers emit is
// analysed.
#include "ir/operands.h"
#include "ir/verify.h"
#include "ptx/ptx_test.h"
#include "support/print.h"

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
  for (ir::OperandRule rule : ir::operands(form)) {
    if (rule.optional || rule.letter == 'x') break;
    if (!rule.in_text()) continue;
    text += std::exchange(separator, ", ");
    if (rule.letter == 'a')
      text += "[%d2+16]";
    else if (rule.letter == 'l')
      text += "L";
    else if (rule.letter == 't')
      text += "T";
    else
      text += register_of(ir::type_of(rule, form));
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

TEST(Forms, MatricesAndCopiesParseAndPrintBack) {
  for (const char* text :
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f1, %f1, %f1}, {%r1, %r1, %r1, %r1}, {%r1, "
        "%r1}, {%f1, "
        "%f1, %f1, %f1};",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e1, %e1}, {%e1}, {%e1}, {%e1, %e1};",
        "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f32 {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r1, %r1}, {%f1, "
        "%f1, "
        "%f1, %f1, %f1, %f1, %f1, %f1};",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f1, %f1, %f1}, "
        "{%r1, %r1}, "
        "{%r1, %r1}, {%f1, %f1, %f1, %f1}, %r1, 2;",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r1, %r1, %r1, %r1}, {%r1, %r1, %r1, "
        "%r1}, {%r1, "
        "%r1}, {%r1, %r1, %r1, %r1};",
        "wmma.load.a.sync.aligned.row.m32n8k16.shared.s8 {%r1, %r1, %r1, %r1}, [%r1], %r1;",
        "wmma.load.c.sync.aligned.col.m8n8k4.f64 {%e1, %e1}, [%d1];",
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32 {%r1, %r1}, {%r1}, {%r1}, {%r1, %r1};",
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%d1+32], {%r1, %r1, %r1, %r1}, 64;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f1, %f1, %f1}, {%r1, %r1, %r1, %r1}, %d1, "
        "%p1, 1, "
        "-1, 1;",
        "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, %d1, "
        "%d2, %p1;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f1, %f1, %f1}, %d1, %d2, %p1, 1, 1;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f1, %f1, %f1}, {%r1, %r1, %r1, %r1}, "
        "%d1, "
        "%r1, 1, %p1, 1, -1, 1;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.u8 {%r1, %r1, %r1, %r1}, %d1, %d2, %r1, 0, %p1;",
        "wgmma.fence.sync.aligned;",
        "wgmma.wait_group.sync.aligned 1;",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;",
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r1, %r1};",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r1];",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r1, %r1, %r1}, [%r1+16];",
        "cp.async.ca.shared.global [%r1], [%d2+16], 8, %r1;",
        "cp.async.cg.shared.global.L2::128B [%r1], [%d2], 16;",
        "cp.async.ca.shared.global [%r1], [%d2], 4, %p1;",
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::"
        "cluster [%r1], [%d1, "
        "{%r1, %r1, %r1, %r1}], [%r1], {%h1, 2}, %h1;",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%d1, {%r1, %r1, %r1}], {%h1};",
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 3, %r1;",
        "tensormap.replace.tile.global_address.global.b1024.b64 [%d1], %d2;",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], "
        "[%r1], 128;",
        "vadd.s32.s32.u32.sat %r1.b2, %r1.h1, %r1.b0, %r1;",
        "griddepcontrol.launch_dependents;",
        "prefetch.tensormap [%d1];",
        "cp.async.commit_group;",
        "cp.async.wait_group 2;",
        "cp.async.wait_all;"}) {
    SCOPED_TRACE(text);
    ir::Module m = parsed(kernel(text));
    ASSERT_FALSE(m.functions.empty());
    EXPECT_NE(m.form(m.functions[0].instructions[0]).family(), ir::Family::unsupported);
    expect_round_trip(m);
  }
  for (const char* text : {"cp.reduce.async.bulk", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8",
                           "ldmatrix.sync.aligned.m16n16.x1.shared.b16"}) {
    ResultOr<Form, ir::UnknownToken> form = ir::parse_form(text);
    if (form) {
      EXPECT_EQ(form->family(), ir::Family::unsupported) << text;
    }
  }
}

TEST(Forms, TexturesAndSurfacesParseAndPrintBack) {
  for (const char* text :
       {"tex.1d.v4.f32.s32 {%f1, %f1, %f1, %f1}, [%d2, {%r1}];",
        "tex.1d.v4.f32.s32 {%f1, _, _, _}, [%d2, %r1];",
        "tex.2d.v4.u32.f32 {%r1, %r1, %r1, %r1}|%p1, [%d2, {%f1, 0f3F000000}];",
        "tex.a2d.v4.s32.f32 {%r1, %r1, %r1, %r1}, [%d2, {%r1, %f1, %f1, %f1}];",
        "tex.level.3d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1, %f1, %f1, %f1}], %f1;",
        "tex.grad.acube.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%r1, %f1, %f1, %f1}], {%f1, %f1, %f1, %f1}, "
        "{%f1, %f1, %f1, %f1};",
        "tex.grad.1d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1}], {%f1}, {%f1};",
        "tex.2d.v2.f16x2.f32 {%r1, %r1}, [%d2, {%f1, %f1}];",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1, %f1}], {%r1, -2};",
        "tex.1d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1}], %r1, %f1;",
        "tex.level.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1, %f1}], %f1, %f1;",
        "tex.cube.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1, %f1, %f1, %f1}], 0f3F000000;",
        "tld4.r.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1, %f1}], {1, %r1};",
        "tld4.a.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, {%f1, %f1}];",
        "txq.width.b32 %r1, [%d2];",
        "txq.level.height.b32 %r1, [%d2], %r1;",
        "suq.channel_order.b32 %r1, [%d2];",
        "suld.b.1d.b32.trap {%r1}, [%d2, {%r1}];",
        "suld.b.2d.v2.b16.clamp {%h1, %h1}, [%d2, {%r1, %r1}];",
        "sust.b.3d.b64.zero [%d2, {%r1, %r1, %r1, %r1}], {%d1};",
        "sust.b.a1d.b8.trap [%d2, {%r1, %r1}], %h1;",
        "sured.b.add.2d.u32.trap [%d2, {%r1, %r1}], %r1;"}) {
    SCOPED_TRACE(text);
    ir::Module m = parsed(kernel(text));
    ASSERT_FALSE(m.functions.empty());
    EXPECT_EQ(m.form(m.functions[0].instructions[0]).family(), ir::Family::texture);
    expect_round_trip(m);
  }
  for (const char* text : // parse, as instructions that nobody knows
       {"tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%d2, %d1, {%f1, %f1}];",
        "tex.2dms.v4.f32.s32 {%f1, %f1, %f1, %f1}, [%d2, {%r1, %r1, %r1, %r1}];"}) {
    SCOPED_TRACE(text);
    ir::Module m = parsed(kernel(text));
    ASSERT_FALSE(m.functions.empty());
    EXPECT_EQ(m.form(m.functions[0].instructions[0]).family(), ir::Family::unsupported);
  }
}

TEST(Forms, WhatTheToolkitsHeadersSayHasAMeaning) {
  std::istringstream lines(read_data("toolkit_forms.txt"));
  u32 forms = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    ResultOr<Form, ir::UnknownToken> form = ir::parse_form(line);
    ASSERT_TRUE(form.has_value()) << line << ": " << form.error().token;
    EXPECT_NE(form->family(), ir::Family::unsupported) << line;
    ++forms;
  }
  EXPECT_GT(forms, 200u);
}

// Later hardware's instructions have other operands than their like: they must not keep a module from being read.
TEST(Forms, WhatLaterHardwareHasIsPassedOver) {
  for (const char* text :
       {"st.bulk.weak.shared::cta [%r1], %d1, 0;", "st.async.mmio.release.sys.global.b32 [%d1], %r2;",
        "tcgen05.ld.sync.aligned.16x64b.x2.b32 {%r1, %r2}, [%r3];",
        "multimem.ld_reduce.weak.global.min.u32 %r1, [%d1];",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r1, %r2, %r3, %r1, "
        "%r2}], [%r3];",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %d1;",
        "redux.sync.min.abs.u32x9 %r1, %r2, -1;"}) {
    SCOPED_TRACE(text);
    ir::Module m = parsed(kernel(text));
    ASSERT_FALSE(m.functions.empty());
    EXPECT_EQ(m.form(m.functions[0].instructions[0]).family(), ir::Family::unsupported);
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
    for (ir::OperandRule rule : ir::operands(*form)) {
      bool typed = rule.letter != 'l' && rule.letter != 't';
      EXPECT_EQ(ir::type_of(rule, *form) != Type::none, typed) << rule.letter;
    }
  }
  EXPECT_GT(forms, 500u);
}

// The types of an instruction's operands, destinations first.
std::string types(const char* text, u32 destinations, u32 sources) {
  ResultOr<Form, ir::UnknownToken> form = ir::parse_form(text);
  EXPECT_TRUE(form.has_value()) << text;
  std::string all;
  for (u32 i = 0; form && i < destinations + sources; ++i) {
    Type type = ir::operand_type(*form, destinations, sources, i);
    if (i > 0) all += ' ';
    all += type == Type::none ? "none" : ir::name(type);
  }
  return all;
}

TEST(Forms, OperandTypesThatDifferFromTheFormsOwn) {
  EXPECT_EQ(types("mul.wide.s32", 1, 2), "s64 s32 s32");
  EXPECT_EQ(types("mad.wide.u16", 1, 3), "u32 u16 u16 u32");
  EXPECT_EQ(types("setp.lt.f32", 1, 2), "pred f32 f32");
  EXPECT_EQ(types("setp.lt.and.f32", 2, 3), "pred pred f32 f32 pred");
  EXPECT_EQ(types("set.lt.f32.s64", 1, 2), "f32 s64 s64");
  EXPECT_EQ(types("slct.b64.s32", 1, 3), "b64 b64 b64 s32");
  EXPECT_EQ(types("shl.b64", 1, 2), "b64 b64 u32");
  EXPECT_EQ(types("bfi.b64", 1, 4), "b64 b64 b64 u32 u32");
  EXPECT_EQ(types("popc.b64", 1, 1), "u32 b64");
  EXPECT_EQ(types("fns.b32", 1, 3), "b32 b32 b32 s32");
  EXPECT_EQ(types("dp4a.u32.s32", 1, 3), "s32 u32 s32 s32");
  EXPECT_EQ(types("lop3.or.b32", 2, 5), "b32 pred b32 b32 b32 u32 pred");
  EXPECT_EQ(types("isspacep.global", 1, 1), "pred u64");
  EXPECT_EQ(types("vadd.s32.u32.s32.sat.add", 1, 3), "s32 u32 s32 s32");
  EXPECT_EQ(types("vset.u32.s32.lt", 1, 2), "u32 u32 s32");
  EXPECT_EQ(types("shfl.sync.down.b32", 2, 4), "b32 pred b32 u32 u32 u32");
  EXPECT_EQ(types("vote.sync.ballot.b32", 1, 2), "b32 pred u32");
}
TEST(Forms, OperandTypesOfConversions) {
  EXPECT_EQ(types("cvt.f32.s8", 1, 1), "f32 s8");
  EXPECT_EQ(types("cvt.rn.f16x2.f32", 1, 2), "f16x2 f32 f32");
  EXPECT_EQ(types("cvt.rs.f16x2.f32", 1, 3), "f16x2 f32 f32 b32");
  EXPECT_EQ(types("cvt.rn.f16x2.e4m3x2", 1, 1), "f16x2 e4m3x2");
  EXPECT_EQ(types("cvt.pack.sat.u8.s32.b32", 1, 3), "b32 s32 s32 b32");
}
TEST(Forms, OperandTypesOfMemory) {
  EXPECT_EQ(types("ld.global.v2.f32", 2, 1), "f32 f32 u64");
  EXPECT_EQ(types("ld.global.L2::cache_hint.v2.f32", 2, 2), "f32 f32 u64 u64");
  EXPECT_EQ(types("st.global.v2.f32", 0, 3), "u64 f32 f32");
  EXPECT_EQ(types("st.global.v2.f32", 0, 4), "u64 f32 f32 u64");
  EXPECT_EQ(types("atom.global.add.v2.f32", 2, 3), "f32 f32 u64 f32 f32");
  EXPECT_EQ(types("atom.cas.b64", 1, 3), "b64 u64 b64 b64");
  EXPECT_EQ(types("atom.add.u32", 1, 3), "u32 u64 u32 u64");
}
TEST(Forms, OperandTypesOfWhatDependsOnHowManyThereAre) {
  EXPECT_EQ(types("mov.b64", 2, 1), "b32 b32 b64");
  EXPECT_EQ(types("mov.b32", 1, 4), "b32 b8 b8 b8 b8");
  EXPECT_EQ(types("add.cc.u32", 2, 2), "u32 pred u32 u32");
  EXPECT_EQ(types("addc.cc.s64", 2, 3), "s64 pred s64 s64 pred");
  EXPECT_EQ(types("bar.sync", 0, 1), "u32");
  EXPECT_EQ(types("bar.sync", 0, 2), "u32 u32");
  EXPECT_EQ(types("bar.red.popc.u32", 1, 2), "u32 u32 pred");
  EXPECT_EQ(types("bar.red.popc.u32", 1, 3), "u32 u32 u32 pred");
}

TEST(Forms, ABarrierTakesAThreadCountOrNot) {
  ir::Module m = parsed(kernel("bar.red.popc.u32 %r1, 0, %p1;\nbar.red.popc.u32 %r1, 0, 128, !%p1;\n"));
  ASSERT_FALSE(m.functions.empty());
  const ir::Function& f = m.functions[0];
  EXPECT_EQ(f.instructions[0].sources, 2u);
  ASSERT_EQ(f.instructions[1].sources, 3u);
  EXPECT_EQ(f.sources(f.instructions[1])[1].value, 128u);
  EXPECT_TRUE(f.sources(f.instructions[1])[2].negated);
  expect_round_trip(m);
}

// What a front end must not hand over: fewer operands than the row of the opcode asks for.
TEST(Forms, MissingOperandsAreNoticed) {
  for (const char* text : {"shl.b32 %r1, %r2, 3;", "addc.u32 %r1, %r2, %r3;", "add.cc.u32 %r1, %r2, %r3;",
                           "ld.global.v2.u32 {%r1, %r2}, [%d1];", "st.global.v2.u32 [%d1], {%r1, %r2};",
                           "atom.global.cas.b32 %r1, [%d1], %r2, %r3;", "setp.lt.u32 %p1, %r1, 2;"}) {
    SCOPED_TRACE(text);
    ir::Module m = parsed(kernel(text));
    ASSERT_FALSE(m.functions.empty());
    EXPECT_TRUE(ir::verify(m).empty());
    ir::Instruction& i = m.functions[0].instructions[0];
    --i.sources;
    EXPECT_FALSE(ir::verify(m).empty());
    ++i.sources;
    if (i.destinations == 0) continue;
    ++i.first_operand;
    --i.destinations;
    EXPECT_FALSE(ir::verify(m).empty());
  }
}

TEST(Forms, WhatNoRowKnowsIsNamed) {
  auto unknown = [](const char* text) { return ir::parse_form(text).error(); };
  EXPECT_EQ(unknown("frobnicate.u32").token, "frobnicate");
  EXPECT_EQ(unknown("frobnicate.u32").offset, 0u);
  EXPECT_EQ(unknown("add.shiny.u32").token, "shiny");
  EXPECT_EQ(unknown("add.shiny.u32").offset, 4u);
  EXPECT_EQ(unknown("ld.global.pred").token, "pred");
  EXPECT_EQ(unknown("add.f32.f16").token, "f16"); // mixed precision is not add.f32
}

} // namespace
} // namespace warplens::ptx
