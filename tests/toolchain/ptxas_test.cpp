#include "toolchain/find.h"
#include "toolchain/ptxas.h"
#include <gmock/gmock.h>

namespace warplens::toolchain {
namespace {

TEST(Ptxas, ReadsKernelsAndFunctions) {
  auto all = parse_ptxas_output(R"(ptxas info    : 0 bytes gmem, 16 bytes cmem[4]
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
ptxas info    : Function properties for _Z1kPf
    1024 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 34 registers, used 1 barriers, 1024 bytes cumulative stack size, 4224 bytes smem
ptxas info    : Compile time = 8.770 ms
ptxas info    : Function properties for helper
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
)");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], (PtxasInfo{"_Z1kPf", true, 34, 1024, 8, 16, 4224}));
  EXPECT_EQ(all[1], (PtxasInfo{"helper", false, 0, 0, 0, 0, 0}));
}

TEST(Ptxas, NothingInNothing) { EXPECT_TRUE(parse_ptxas_output("").empty()); }

#ifdef WARPLENS_TEST_NVCC
std::optional<std::string> ptxas_of_toolkit() {
  Search search = Search::from_environment();
  search.ptxas.clear();
  return find_ptxas(search);
}

TEST(Ptxas, FindsALocalArray) {
  auto ptxas = ptxas_of_toolkit();
  ASSERT_TRUE(ptxas);
  auto info = ptxas_info(*ptxas, R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
  .local .align 4 .b8 depot[400];
  .reg .b64 %rd<4>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  mov.u64 %rd2, depot;
  cvt.u64.u32 %rd3, %r1;
  add.s64 %rd2, %rd2, %rd3;
  st.local.u32 [%rd2], %r1;
  ld.local.u32 %r2, [%rd2+4];
  st.global.u32 [%rd1], %r2;
  ret;
})",
                         80);
  ASSERT_TRUE(info) << info.error().message;
  ASSERT_EQ(info->size(), 1u);
  EXPECT_TRUE((*info)[0].entry);
  EXPECT_EQ((*info)[0].stack_frame, 400u);
  EXPECT_GT((*info)[0].registers, 0u);
}

TEST(Ptxas, RefusedPtxIsAWarning) {
  auto info = ptxas_info(*ptxas_of_toolkit(), "not PTX", 80);
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, "toolchain-ptxas-failed");
  EXPECT_EQ(info.error().severity, diag::Severity::warning);
}

// A kernel for a GPU, or for features that only it has.
std::string empty_kernel(const std::string& target) {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry k() { ret; }\n";
}

TEST(Ptxas, AssemblesForTheGpuAsked) {
  for (const auto& [target, sm] : {std::pair{"sm_80", 90u}, {"sm_90", 90u}, {"sm_90a", 90u}}) {
    auto made = assemble(*ptxas_of_toolkit(), empty_kernel(target), sm, {}, nullptr);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(made->by, testing::MatchesRegex("ptxas [0-9]+[.][0-9]+"));
    EXPECT_GT(made->cubin.size(), 100u);
  }
}

TEST(Ptxas, SaysWhyItDoesNot) {
  auto why = [](const std::string& ptx, u32 sm, std::vector<std::string> options = {}) {
    auto made = assemble(*ptxas_of_toolkit(), ptx, sm, options, nullptr);
    return made ? "made" : made.error().message;
  };
  EXPECT_THAT(why(empty_kernel("sm_90a"), 100), testing::HasSubstr("cannot be compiled"));
  EXPECT_THAT(why(empty_kernel("sm_80"), 20), testing::HasSubstr("'sm_20' is not defined"));
  EXPECT_THAT(why("not PTX", 90),
              testing::ContainsRegex("ptxas [0-9.]+: [^/]*$")); // without the name of our file
  EXPECT_THAT(why(empty_kernel("sm_80"), 80, {"-Ofast"}), testing::HasSubstr("ast"));
}
#endif

} // namespace
} // namespace warplens::toolchain
