// Separately compiled modules joined by name.
#include "ir/verify.h"
#include "ptx/ptx_test.h"
#include "support/print.h"

namespace warplens::ptx {
namespace {

const std::string head = ".version 8.3\n.target sm_80\n.address_size 64\n";

Result<ir::Module> linked(std::initializer_list<std::string> texts) {
  std::vector<ir::Module> modules;
  for (const std::string& text : texts) modules.push_back(parsed(head + text));
  return link(std::move(modules));
}

TEST(Link, DeclarationsMeetDefinitionsInEitherOrder) {
  const std::string user = R"(.extern .func (.param .b32 r) f (.param .b32 a);
.extern .global .align 4 .u32 counter;
.visible .entry k() { .reg .b64 %d<2>; .reg .b32 %r<2>; .param .b32 x; .param .b32 y;
mov.u64 %d1, counter; ld.global.u32 %r1, [%d1]; call (x), f, (y); ret; })";
  const std::string maker = R"(.visible .global .align 4 .u32 counter = 7;
.visible .func (.param .b32 r) f (.param .b32 a) { .reg .b32 %r<2>; ld.param.u32 %r1, [a]; st.param.b32 [r], %r1; ret; })";
  for (Result<ir::Module> m : {linked({user, maker}), linked({maker, user})}) {
    ASSERT_TRUE(m.has_value());
    EXPECT_TRUE(ir::verify(*m).empty());
    EXPECT_EQ(m->functions.size(), 2u);
    EXPECT_FALSE(m->functions[m->find_function("f").value].external);
    const ir::Variable& counter = m->variables[m->find_variable("counter").value];
    EXPECT_FALSE(counter.external);
    EXPECT_EQ(counter.initial.at(0), std::byte{7});
    const ir::Function& k = m->functions[m->find_function("k").value];
    EXPECT_EQ(k.sources(k.instructions[0])[0].variable, m->find_variable("counter"));
    EXPECT_EQ(k.sources(k.instructions[2])[0].function, m->find_function("f"));
  }
}

TEST(Link, NamesWithoutLinkageStayApart) {
  const std::string one =
      R"(.global .u32 mine = 1; .func helper() { ret; } .visible .entry a() { .reg .b64 %d<2>; mov.u64 %d1, mine; call helper; ret; })";
  const std::string two =
      R"(.global .u32 mine = 2; .func helper() { ret; } .visible .entry b() { .reg .b64 %d<2>; mov.u64 %d1, mine; call helper; ret; })";
  Result<ir::Module> m = linked({one, two});
  ASSERT_TRUE(m.has_value());
  auto value_read_by = [&](const char* kernel) {
    const ir::Function& f = m->functions[m->find_function(kernel).value];
    return m->variables[f.sources(f.instructions[0])[0].variable.value].initial.at(0);
  };
  EXPECT_EQ(value_read_by("a"), std::byte{1});
  EXPECT_EQ(value_read_by("b"), std::byte{2});
}

TEST(Link, OneOfSeveralWeakDefinitionsAndTheStrongOneWins) {
  const std::string weak = ".weak .global .u32 n = 1;", strong = ".visible .global .u32 n = 2;";
  for (Result<ir::Module> m : {linked({weak, weak, strong}), linked({strong, weak})}) {
    ASSERT_TRUE(m.has_value());
    ASSERT_EQ(m->variables.size(), 1u);
    EXPECT_EQ(m->variables[0].initial.at(0), std::byte{2});
  }
  Result<ir::Module> twice = linked({strong, strong});
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().kind, "link-duplicate");
}

TEST(Link, SitesAndPositionsFollowTheirInstructions) {
  const std::string one = ".file 1 \"one.cu\"\n.visible .entry a() { .reg .b64 %d<2>; .reg .f32 %f<2>;\n.loc "
                          "1 3 1\nld.global.f32 %f1, [%d1]; ret; }";
  const std::string two = ".file 1 \"two.cu\"\n.visible .entry b() { .reg .b64 %d<2>; .reg .f32 %f<2>;\n.loc "
                          "1 4 1\nld.global.f32 %f1, [%d1]; ret; }";
  Result<ir::Module> m = linked({one, two});
  ASSERT_TRUE(m.has_value());
  const ir::Function& b = m->functions[m->find_function("b").value];
  const access::Site& site = m->sites[b.instructions[0].site.value];
  EXPECT_EQ(site.function, "b");
  EXPECT_EQ(site.id, b.instructions[0].site);
  ASSERT_EQ(m->frames(b.instructions[0].location).size(), 1u);
  EXPECT_EQ(m->frames(b.instructions[0].location)[0].file, "two.cu");
}

TEST(Demangle, TemplatesAndPlainNames) {
  EXPECT_EQ(demangle("_Z5saxpyifPKfPf"), "saxpy(int, float, float const*, float*)");
  EXPECT_EQ(demangle("k"), "k");
  EXPECT_EQ(demangle("f"), "f"); // not the type float
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
  const std::string file = "__nv_static_22__7e91a03b_5_st_cu_main_";
  EXPECT_EQ(demangle(file + "_Z5plainPi"), "plain(int*)"); // static, -rdc=true
  EXPECT_EQ(demangle(file + "_ZN33_GLOBAL__N__7e91a03b_5_st_cu_main5innerEPf"),
            "(anonymous namespace)::inner(float*)");
  for (std::string broken :
       {"__nv_static_", "__nv_static_22__", "__nv_static_22_x", "__nv_static_99999999999999999999__x"})
    EXPECT_EQ(demangle(broken), broken);
  std::string name =
      "_Z1f1aIiiES_IS0_S0_E"; // each argument twice as long as the one before: 2^28 times at the end
  for (char digit : std::string_view("123456789ABCDEFGHIJKLMNOPQ"))
    name += std::string("S_IS") + digit + "_S" + digit + "_E";
  EXPECT_EQ(demangle(name), name);
  EXPECT_LT(demangle(std::string(100000, 'x')).size(), 2000u);
}

} // namespace
} // namespace warplens::ptx
