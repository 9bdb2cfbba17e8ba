// Whether somebody reads what an atomic returns, from PTX text.
#include "ir/unused.h"
#include "ptx/parse.h"
#include <gtest/gtest.h>

namespace warplens::ir {
namespace {

template <class F> std::size_t sites_in(const std::string& body, F&& sites) {
  std::string text = ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                     ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>;\nld.param.u64 %d0, [p];\n" +
                     body + "\nret; }\n";
  auto parsed = ptx::parse(text);
  if (!parsed) {
    ADD_FAILURE() << diag::render(parsed.error(), text);
    return 0;
  }
  return sites(parsed->module, parsed->module.functions[0]).size();
}

std::size_t unused_in(const std::string& body) { return sites_in(body, unused_results); }

TEST(Unused, AnAtomicWhoseResultNobodyReads) {
  EXPECT_EQ(unused_in("atom.global.add.u32 %r1, [%d0], 1;"), 1u);
  EXPECT_EQ(unused_in("red.global.add.u32 [%d0], 1;"), 0u) << "it has no result";
  EXPECT_EQ(unused_in("atom.global.add.u32 %r1, [%d0], 1; atom.global.add.u32 %r2, [%d0], 1;"), 2u);
}

TEST(Unused, AResultThatIsRead) {
  EXPECT_EQ(unused_in("atom.global.add.u32 %r1, [%d0], 1; st.global.u32 [%d0], %r1;"), 0u);
  EXPECT_EQ(unused_in("atom.global.add.u32 %r1, [%d0], 1; mov.u32 %r2, %r1;"), 0u);
  EXPECT_EQ(unused_in("atom.global.exch.b64 %d1, [%d0], %d0; st.global.u32 [%d1], %r1;"), 0u)
      << "as an address";
  EXPECT_EQ(unused_in("atom.global.add.u32 %r1, [%d0], 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra E; E:"), 0u);
}

TEST(Unused, AddsOfTheConstantOne) {
  auto ones = [](const std::string& body) { return sites_in(body, adds_of_one); };
  EXPECT_EQ(ones("atom.shared.add.u32 %r1, [%d0], 1; red.shared.add.s32 [%d0], 1;"), 2u);
  EXPECT_EQ(ones("atom.shared.add.u32 %r1, [%d0], 2; atom.shared.add.u32 %r1, [%d0], %r2;"), 0u);
  EXPECT_EQ(
      ones("atom.shared.add.u64 %d1, [%d0], 1; atom.shared.max.u32 %r1, [%d0], 1; ld.global.u32 %r1, [%d0];"),
      0u);
}

} // namespace
} // namespace warplens::ir
