// Where addresses come from, asked of PTX as compilers write it.
#include "ir/loaded_index.h"
#include "ir/origin.h"
#include "ptx_test.h"

namespace warplens::ptx {
namespace {

using access::Array;
using access::ArrayKind;

constexpr const char* head = ".version 8.3\n.target sm_90\n.address_size 64\n"
                             ".const .align 4 .b8 coeff[256];\n.const .align 8 .u64 table;\n"
                             ".global .align 4 .b8 state[1024];\n";

// The arrays of a kernel's accesses, in the order of the text.
std::vector<Array> arrays_of(const std::string& body) {
  ir::Module module = parsed(
      std::string(head) +
      ".visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[24], .param .u64 "
      "k_param_2)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<20>;\n.reg .f32 %f<9>;\n.reg .b64 %SPL;\n"
      ".shared .align 4 .b8 _ZZ1kPfE4tile[256];\n.local .align 4 .b8 __local_depot0[64];\n"
      "ld.param.u64 %d0, [k_param_0];\nld.param.u64 %d2, [k_param_2];\ncvta.to.global.u64 %d1, %d0;\n" +
      body + "\nret;\n}\n");
  std::vector<Array> out;
  for (const ir::SiteOrigin& found : ir::origins(module, module.functions[0]))
    out.push_back(ir::array_of(module, module.functions[0], found.origin));
  return out;
}

Array array_of(const std::string& body) {
  std::vector<Array> all = arrays_of(body);
  EXPECT_FALSE(all.empty());
  return all.empty() ? Array{} : all.back();
}

Array parameter(u32 index, u32 offset = 0, bool indirect = false) {
  return {ArrayKind::parameter, "", index, 3, offset, indirect};
}

TEST(Origin, AnIndexIsNoPointer) {
  EXPECT_EQ(
      array_of(
          "mov.u32 %r1, %tid.x; mul.wide.s32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; ld.global.f32 %f1, [%d4];"),
      parameter(0));
  // a size_t among the parameters: scaled, or as bytes from a pointer that is known to be one
  EXPECT_EQ(array_of("shl.b64 %d3, %d2, 2; add.s64 %d4, %d3, %d1; ld.global.f32 %f1, [%d4];"), parameter(0));
  EXPECT_EQ(array_of("add.s64 %d4, %d1, %d2; ld.global.f32 %f1, [%d4+8];"), parameter(0));
  EXPECT_EQ(array_of("mad.lo.s64 %d4, %d2, %d2, %d1; ld.global.f32 %f1, [%d4];"), parameter(0));
}

TEST(Origin, MembersOfAStructureAreTold) {
  EXPECT_EQ(array_of("ld.param.u64 %d3, [k_param_1+8]; ld.global.f32 %f1, [%d3];"), parameter(1, 8));
  EXPECT_EQ(array_of("ld.param.v2.u64 {%d3, %d4}, [k_param_1]; ld.global.f32 %f1, [%d4];"), parameter(1, 8));
  EXPECT_EQ(
      array_of("mov.b64 %d3, k_param_1; add.s64 %d5, %d3, 8; ld.param.u64 %d4, [%d5+8]; ld.f32 %f1, [%d4];"),
      parameter(1, 16));
}

TEST(Origin, WhatMallocGivesIsTheThreadsOwn) {
  auto called = [](const std::string& name) {
    return ".extern .func (.param .b64 o) " + name + " (.param .b64 i);\n";
  };
  auto array = [&](const std::string& name) {
    ir::Module module =
        parsed(std::string(head) + called(name) +
               ".visible .entry k()\n{\n.reg .b64 %d<4>;\n.reg .f32 %f1;\n"
               "{ .param .b64 size; st.param.b64 [size], 64; .param .b64 given; call.uni (given), " +
               name +
               ", (size); ld.param.b64 %d1, [given]; }\n"
               "add.s64 %d2, %d1, 8;\nst.f32 [%d2], %f1;\nret;\n}\n");
    const ir::Function& function = module.functions.back();
    return ir::array_of(module, function, ir::origins(module, function).back().origin);
  };
  EXPECT_EQ(array("malloc"), (Array{.kind = ArrayKind::heap, .name = "malloc()"}));
  EXPECT_EQ(array("other"), Array{});
}

TEST(Origin, ACopyHasTwoArrays) {
  for (std::string copy :
       {"cp.async.ca.shared.global [%r1], [%d1], 4;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r2, [%r2];"}) {
    ir::Module module =
        parsed(std::string(head) +
               ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<3>;\n"
               ".shared .align 16 .b8 _ZZ1kPfE4tile[256];\nld.param.u64 %d0, [k_param_0];\n"
               "cvta.to.global.u64 %d1, %d0;\nmov.u32 %r1, _ZZ1kPfE4tile;\nmov.u32 %r2, 16;\n" +
               copy + "\nret;\n}\n");
    const std::vector<ir::SiteOrigin> found = ir::origins(module, module.functions[0]);
    ASSERT_EQ(found.size(), 1u) << copy;
    EXPECT_EQ(ir::array_of(module, module.functions[0], found[0].origin).kind, ArrayKind::parameter) << copy;
    EXPECT_EQ(ir::array_of(module, module.functions[0], found[0].copied_to).name, "_ZZ1kPfE4tile") << copy;
  }
}

TEST(Origin, LoopsKeepWhatTheyStepThrough) {
  EXPECT_EQ(
      array_of(
          "mov.b64 %d3, %d1;\nL: ld.global.f32 %f1, [%d3]; add.s64 %d3, %d3, 128; setp.ne.s64 %p1, %d3, 0; "
          "@%p1 bra L;"),
      parameter(0));
  EXPECT_EQ(array_of("L: ld.u64 %d0, [%d0+8]; setp.ne.s64 %p1, %d0, 0; @%p1 bra L;"), parameter(0, 0, true));
}

// Machine code keeps one pointer after the other in a register, and loads a pointer as two words.
TEST(Origin, ARegisterIsOfOnePointerAfterTheOther) {
  EXPECT_EQ(
      arrays_of("mov.b64 %d4, %d1; ld.global.f32 %f1, [%d4]; mov.b64 %d4, %d2; st.global.f32 [%d4], %f1;"),
      (std::vector{parameter(0), parameter(2)}));
  const std::string words =
      "mov.b64 {%r1, %r2}, %d1; ld.global.f32 %f1, [%d1]; @%p1 ld.param.v2.b32 {%r1, %r2}, "
      "[k_param_2]; mov.b64 %d4, {%r1, %r2}; st.global.f32 [%d4], %f1;";
  EXPECT_EQ(array_of(words), Array{ArrayKind::several}) << "for some threads";
  EXPECT_EQ(array_of(words.substr(0, words.find("@%p1")) + words.substr(words.find("ld.param"))),
            parameter(2));
  EXPECT_EQ(
      array_of(
          "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [k_param_1]; mov.b64 %d4, {%r3, %r4}; ld.f32 %f1, [%d4];"),
      parameter(1, 8));
  EXPECT_EQ(array_of("ld.global.v2.b32 {%r1, %r2}, [%d1]; mov.b64 %d3, {%r2, %r5}; add.s64 %d4, %d1, %d3; "
                     "ld.global.f32 %f1, [%d4];"),
            parameter(0))
      << "one word is a number";
}

TEST(Origin, APointerThatWasReadLeadsBackToWhereItStood) {
  std::vector<Array> all = arrays_of("ld.global.u64 %d4, [%d1+8]; ld.f32 %f1, [%d4];");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], parameter(0));
  EXPECT_EQ(all[1], parameter(0, 0, true));
  all = arrays_of("ld.const.u64 %d4, [table]; cvta.to.global.u64 %d5, %d4; ld.global.f32 %f1, [%d5];");
  EXPECT_EQ(all[0], (Array{ArrayKind::constant, "table"}));
  EXPECT_EQ(all[1], (Array{ArrayKind::constant, "table", 0, 0, 0, true}));
}

TEST(Origin, SymbolsAreNamed) {
  EXPECT_EQ(array_of("mov.u32 %r1, _ZZ1kPfE4tile; add.s32 %r2, %r1, %r3; ld.shared.f32 %f1, [%r2];"),
            (Array{ArrayKind::shared, "_ZZ1kPfE4tile"}));
  EXPECT_EQ(array_of("ld.const.f32 %f1, [coeff+16];"), (Array{ArrayKind::constant, "coeff"}));
  EXPECT_EQ(array_of("mov.u64 %d3, state; and.b64 %d4, %d2, 28; add.s64 %d5, %d3, %d4; atom.global.add.f32 "
                     "%f1, [%d5], %f2;"),
            (Array{ArrayKind::device, "state"}));
  EXPECT_EQ(array_of("mov.u64 %SPL, __local_depot0; add.u64 %d3, %SPL, 0; st.local.f32 [%d3], %f1;"),
            (Array{ArrayKind::local, "__local_depot0"}));
}

TEST(Origin, WhatIsNotOneArrayHasNoName) {
  EXPECT_EQ(array_of("cvta.to.global.u64 %d3, %d2; setp.ne.s64 %p1, %d2, 0; selp.b64 %d4, %d1, %d3, %p1; "
                     "ld.global.f32 %f1, [%d4];"),
            Array{ArrayKind::several});
  EXPECT_EQ(array_of("mov.u64 %SPL, __local_depot0; ld.local.u64 %d4, [%SPL]; ld.f32 %f1, [%d4];"), Array{});
  EXPECT_EQ(array_of("ld.f32 %f1, [4096];"), Array{});
}

TEST(Origin, VariablesAreCalledAsInTheSource) {
  EXPECT_EQ(variable_name("_ZZ6kernelPfE4tile"), "tile");
  EXPECT_EQ(variable_name("_ZZN2ns6kernelILi4EEEvPfE4tile"), "tile");
  EXPECT_EQ(variable_name("coeff"), "coeff");
  EXPECT_EQ(variable_name("_ZN30_INTERNAL_8b2c3d4e_4_t_cu_main5tableE"), "table");
}

// Which accesses have an index that each thread reads, or which of these follow links, in the order of the text.
std::vector<bool>
loaded_indices_of(const std::string& body,
                  std::set<ir::SiteId> ir::LoadedIndices::*which = &ir::LoadedIndices::all) {
  ir::Module module =
      parsed(std::string(head) +
             ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n"
             ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<20>;\n.reg .f32 %f<9>;\n"
             "ld.param.u64 %d0, [k_param_0];\nld.param.u64 %d1, [k_param_1];\nmov.u32 %r1, %tid.x;\n"
             "mul.wide.s32 %d2, %r1, 4;\nadd.s64 %d3, %d0, %d2;\n" +
             body + "\nret;\n}\n");
  const std::set<ir::SiteId> found = ir::loaded_indices(module, module.functions[0]).*which;
  std::vector<bool> out;
  for (const ir::Instruction& i : module.functions[0].instructions)
    if (i.site.valid()) out.push_back(found.contains(i.site));
  return out;
}

TEST(LoadedIndex, AnIndexFromMemoryIsToldFromOneThatIsComputed) {
  using Told = std::vector<bool>;
  const std::string gather = "mul.wide.s32 %d4, %r2, 4; add.s64 %d5, %d1, %d4; ld.global.f32 %f1, [%d5];";
  EXPECT_EQ(loaded_indices_of("ld.global.u32 %r2, [%d3]; " + gather), (Told{false, true})) << "x[rows[t]]";
  EXPECT_EQ(loaded_indices_of("ld.global.u32 %r2, [%d0]; " + gather), (Told{false, false}))
      << "one number for all threads";
  EXPECT_EQ(loaded_indices_of("ld.global.u32 %r2, [%d0]; mul.lo.u32 %r2, %r2, %r1; " + gather),
            (Told{false, false}))
      << "the thread's number times a size that all read";
  EXPECT_EQ(loaded_indices_of(
                "ld.global.u32 %r3, [%d3]; setp.lt.u32 %p1, %r3, 9; selp.u32 %r2, %r1, 0, %p1; " + gather),
            (Told{false, false}))
      << "chosen by what is read, as in a search";
  EXPECT_EQ(
      loaded_indices_of("L: " + gather + " ld.global.u32 %r2, [%d3]; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;"),
      (Told{true, false}))
      << "read in the round before";
  EXPECT_EQ(
      loaded_indices_of("ld.global.u32 %r2, [%d3]; st.global.u32 [%d3], %r2; mov.u32 %r2, %r1; " + gather),
      (Told{false, false, false}))
      << "a register that another value had";
  EXPECT_EQ(loaded_indices_of("mov.u32 %r2, %r1; setp.lt.u32 %p1, %r1, 9; @%p1 ld.global.u32 %r2, [%d3]; " +
                              gather),
            (Told{false, true}))
      << "read by some threads";
  EXPECT_EQ(loaded_indices_of("atom.global.add.u32 %r2, [%d3], 1; " + gather), (Told{false, false}))
      << "a ticket";
}

TEST(LoadedIndex, LinksAreToldFromRows) {
  using Told = std::vector<bool>;
  auto links = [](const std::string& body) { return loaded_indices_of(body, &ir::LoadedIndices::links); };
  const std::string place = "mul.wide.s32 %d4, %r2, 4; add.s64 %d5, %d1, %d4; ",
                    again = "setp.ne.u32 %p1, %r2, 0; @%p1 bra L;", first = "ld.global.u32 %r2, [%d3]; ";
  EXPECT_EQ(links(first + "L: " + place + "ld.global.u32 %r2, [%d5]; " + again), (Told{false, true}))
      << "i = next[i]";
  EXPECT_EQ(links("mov.u64 %d5, %d3; L: ld.global.f32 %f1, [%d5+8]; ld.global.u64 %d5, [%d5]; setp.ne.s64 "
                  "%p1, %d5, 0; "
                  "@%p1 bra L;"),
            (Told{true, true}))
      << "sum += p->value; p = p->next";
  EXPECT_EQ(links(first + "L: " + place + "ld.global.f32 %f1, [%d5]; add.s32 %r2, %r2, 1; " + again),
            (Told{false, false}))
      << "a row from begin[t] on";
  EXPECT_EQ(links("L: " + first + place + "ld.global.u32 %r3, [%d5]; add.s64 %d3, %d3, 4; " + again),
            (Told{false, false}))
      << "a gather in a loop";
  EXPECT_EQ(links(first + "L: " + place +
                  "ld.global.u32 %r3, [%d5]; setp.lt.u32 %p2, %r3, 9; selp.u32 %r2, %r2, 7, %p2; " + again),
            (Told{false, false}))
      << "a search";
}

} // namespace
} // namespace warplens::ptx
