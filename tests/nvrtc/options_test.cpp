// NVRTC's options: which there are, in which forms they are written, and what clang is told of them.
#include "arch/table.h"
#include "nvrtc/options.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <vector>

namespace warplens::runtime {
namespace {

using ::testing::ElementsAre;

ResultOr<NvrtcOptions, std::string> read(std::vector<const char*> options) { return nvrtc_options(options); }

TEST(NvrtcOptions, TheArchitectureIsVirtualOrReal) {
  EXPECT_EQ(read({})->sm, 75u);
  EXPECT_EQ(read({"--gpu-architecture=compute_90"})->sm, 90u);
  EXPECT_FALSE(read({"--gpu-architecture=compute_90"})->machine_code);
  EXPECT_TRUE(read({"-arch=sm_90a"})->machine_code);
  EXPECT_EQ(read({"-arch", "sm_103"})->sm, 103u);
  for (const arch::Architecture* row : arch::all()) // a new one is known at once
    EXPECT_EQ(read({fmt::format("-arch=sm_{}", row->sm).c_str()})->sm, row->sm);
  for (const char* wrong : {"-arch=sm_", "-arch=90", "-arch=sm_90b", "-arch=sm_1", "-arch=sm_91",
                            "-arch=sm_99999999999", "-arch"})
    EXPECT_FALSE(read({wrong})) << wrong;
}

TEST(NvrtcOptions, WhatTheProgramTextDependsOnIsPassedOn) {
  EXPECT_THAT(read({"-DN=4", "-D", "M", "--define-macro=K=a b", " -I/x ", "--include-path=/y", "-UQ"})->words,
              ElementsAre("-D", "N=4", "-D", "M", "-D", "K=a b", "-I", "/x", "-I", "/y", "-U", "Q"));
  EXPECT_THAT(read({"--std=c++20", "-w", "--pre-include=a.h"})->words,
              ElementsAre("-std=c++20", "-w", "-include", "a.h"));
  EXPECT_THAT(read({"--fmad=false", "-ftz=true", "--use_fast_math", "--fmad=true"})->words,
              ElementsAre("-ffp-contract=off", "-fgpu-flush-denormals-to-zero", "-use_fast_math"));
  EXPECT_TRUE(read({"-default-device"})->device_by_default);
}

TEST(NvrtcOptions, WhatConcernsMachineCodeAloneIsDropped) {
  EXPECT_TRUE(read({"-G", "-lineinfo", "--maxrregcount=32", "-Xptxas", "-v", "-rdc=true",
                    "--relocatable-device-code=false", "--device-c", "--restrict", "-prec-div=false"})
                  ->words.empty());
}

TEST(NvrtcOptions, OthersAreRefusedByName) {
  EXPECT_EQ(read({"-w", "--no-such-option"}).error(),
            "nvrtc: error: unrecognized option --no-such-option found");
  for (const char* wrong :
       {"", "file.cu", "--std=c++99", "--fmad=perhaps", "-dlto", "--optix-ir", "-lineinfo=yes", "-D"})
    EXPECT_FALSE(read({wrong})) << wrong;
  EXPECT_FALSE(read({nullptr}));
}

} // namespace
} // namespace warplens::runtime
