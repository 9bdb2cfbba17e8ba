// Command lines as data: what is passed, translated, dropped.
#include "toolchain/arguments.h"
#include <gmock/gmock.h>

namespace warplens::toolchain {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

FoundCompiler clang(u32 major) {
  return {Compiler::clang, "/usr/bin/clang", std::to_string(major) + ".0.0", major, {90}};
}
const FoundCompiler nvcc{Compiler::nvcc, "/cuda/bin/nvcc", "13.0.88", 13, {75, 80, 90}};
const Paths paths{"/share/cuda", "/lib/libcudart.so.13"};

TEST(SortOptions, KeepsWhatBothCompilersKnow) {
  auto sorted = sort_options({"-Iinclude", "-I", "more", "-DN=3", "-std=c++20", "--std=c++14", "-O2"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->both,
              ElementsAre("-Iinclude", "-I", "more", "-DN=3", "-std=c++20", "-std=c++14", "-O2"));
}

TEST(SortOptions, DropsWhatConcernsMachineCode) {
  auto sorted =
      sort_options({"-arch=sm_80", "-gencode", "arch=compute_80,code=sm_80", "-Xptxas", "-v", "-lineinfo",
                    "--expt-relaxed-constexpr", "-maxrregcount=32", "-lcudart", "-ccbin", "g++"});
  ASSERT_TRUE(sorted);
  EXPECT_TRUE(sorted->both.empty());
  EXPECT_TRUE(sorted->host.empty());
  EXPECT_TRUE(sorted->link.empty());
}

TEST(SortOptions, SplitsValuesForTheHostCompilerAndTheLinker) {
  auto sorted = sort_options(
      {"-Xcompiler", "-fopenmp,-Wall", "-Xcompiler=-g", "-Xlinker", "--as-needed", "-lm", "-L/x"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->host, ElementsAre("-fopenmp", "-Wall", "-g"));
  EXPECT_THAT(sorted->link, ElementsAre("-Wl,--as-needed", "-lm", "-L/x"));
}

TEST(SortOptions, WhatGeneratorsGiveNvccIsUnderstood) {
  auto sorted =
      sort_options({"-forward-unknown-to-host-compiler", "-isystem=third party", "--include-path", "a",
                    "--system-include=b", "--pre-include=c.h", "--define-macro=X=1", "--std", "c++20",
                    "-default-stream=legacy", "-Xcompiler=-Wall,-DY=2,-include,d.h,-fPIC"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->both, ElementsAre("-isystem", "third party", "-I", "a", "-isystem", "b", "-include",
                                        "c.h", "-D", "X=1", "-std=c++20", "-DY=2", "-include", "d.h"))
      << "nvcc preprocesses device code with the host compiler's options, too";
  EXPECT_THAT(sorted->host, ElementsAre("-Wall", "-fPIC"));
}

// The last -o would win: the compiler would write over the source.
TEST(SortOptions, SayNotWhereToWrite) {
  for (const char* word : {"-o", "-o=a.cu", "--output-file", "--output-file=a.cu", "-odir"}) {
    auto sorted = sort_options({"-O2", word, "a.cu"});
    ASSERT_FALSE(sorted) << word;
    EXPECT_EQ(sorted.error().kind, "toolchain-output");
    EXPECT_FALSE(check_nvcc_words("a.cu", {"-O2", word, "a.cu"}, "/tmp")) << word;
  }
  EXPECT_TRUE(sort_options({"-openmp"}));
}

TEST(SortOptions, RecognisesFurtherSources) {
  auto sorted = sort_options({"b.cu", "c.cpp", "d.c", "e.o", "f.a"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->cuda, ElementsAre("b.cu"));
  EXPECT_THAT(sorted->cxx, ElementsAre("c.cpp", "d.c"));
  EXPECT_THAT(sorted->link, ElementsAre("e.o", "f.a"));
}

TEST(SortOptions, TranslatesFastMath) {
  auto sorted = sort_options({"-use_fast_math"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->both, Contains("-ffast-math"));
}

TEST(SortOptions, RelocatableDeviceCode) {
  EXPECT_TRUE(sort_options({"-rdc=true"})->relocatable);
  EXPECT_TRUE(sort_options({"-dc"})->relocatable);
  EXPECT_FALSE(sort_options({"-rdc=false"})->relocatable);
}

TEST(SortOptions, AnOptionWithoutItsValueIsAnError) {
  auto sorted = sort_options({"-Xcompiler"});
  ASSERT_FALSE(sorted);
  EXPECT_EQ(sorted.error().kind, "toolchain-option-value");
  EXPECT_THAT(sorted.error().message, testing::HasSubstr("'-Xcompiler'"));
}

TEST(NvccArguments, PtxOfOneArchitectureWithLineInfoAndTheSharedRuntime) {
  auto arguments = nvcc_executable(nvcc, 90, "a b.cu", {"-DX"}, "folder/out");
  EXPECT_THAT(arguments, ElementsAre("/cuda/bin/nvcc", "-O3", "-lineinfo", "-gencode",
                                     "arch=compute_90,code=[sm_90,compute_90]", "-cudart", "shared", "-o",
                                     "folder/out", "a b.cu", "-DX"));
}

TEST(NvccArguments, AFileNameIsNeverAnOption) {
  EXPECT_THAT(nvcc_ptx(nvcc, 90, "-v.cu", {}, "o"), Contains("./-v.cu"));
  EXPECT_THAT(nvcc_ptx(nvcc, 90, "@v.cu", {}, "o"), Contains("./@v.cu")) << "nor a file of options";
  EXPECT_THAT(clang_device(clang(19), 90, paths, {}, "-v.cu", "o"), Contains("./-v.cu"));
}

TEST(ClangArguments, UserOptionsComeAfterOurDefaults) {
  Options options;
  options.both = {"-std=c++20"};
  auto arguments = clang_device(clang(19), 90, paths, options, "a.cu", "a.ptx");
  auto ours = std::find(arguments.begin(), arguments.end(), "-std=c++17");
  auto users = std::find(arguments.begin(), arguments.end(), "-std=c++20");
  EXPECT_LT(ours, users);
  EXPECT_NE(users, arguments.end());
}

TEST(ClangArguments, FollowTheRelease) {
  EXPECT_THAT(clang_device(clang(19), 90, paths, {}, "a.cu", "a.ptx"),
              IsSupersetOf({"--cuda-feature=+ptx83", "-target-sdk-version=12.3", "--cuda-gpu-arch=sm_90"}));
  EXPECT_THAT(clang_device(clang(14), 80, paths, {}, "a.cu", "a.ptx"),
              IsSupersetOf({"-target-feature", "+ptx75", "-target-sdk-version=11.5"}));
  EXPECT_THAT(clang_device(clang(21), 90, paths, {}, "a.cu", "a.ptx"), Contains("--cuda-feature=+ptx83"));
}

TEST(ClangArguments, TheHostPassEmbedsThePtxAndTakesHostOptions) {
  Options options;
  options.host = {"-fopenmp"};
  EXPECT_THAT(clang_host(clang(19), 90, paths, options, "a.cu", "a.ptx", "a.o"),
              IsSupersetOf({"-fcuda-include-gpubinary", "a.ptx", "-fopenmp", "-fwrapv"}));
  EXPECT_THAT(clang_device(clang(19), 90, paths, options, "a.cu", "a.ptx"),
              testing::AllOf(Not(Contains("-fopenmp")), Not(Contains("-fwrapv"))));
}

TEST(ClangArguments, TheProgramFindsTheRuntimeByAnAbsolutePath) {
  EXPECT_THAT(clang_link(clang(19), paths, {}, {"a.o"}, "a"),
              IsSupersetOf({"/lib/libcudart.so.13", "-Wl,-rpath,/lib"}));
}

TEST(ChooseArchitecture, HighestNotAboveElseLowest) {
  EXPECT_EQ(choose_architecture({75, 80, 90}, 90), 90u);
  EXPECT_EQ(choose_architecture({75, 80, 90}, 86), 80u);
  EXPECT_EQ(choose_architecture({75, 80, 90}, 120), 90u);
  EXPECT_EQ(choose_architecture({75, 80, 90}, 10), 75u);
}

TEST(NvccWords, NoneReachesItsShellUnlessTheShellLeavesItAlone) {
  auto accepted = [](const std::string& source, std::vector<std::string> options,
                     const std::string& folder = "/tmp/x") {
    return check_nvcc_words(source, options, folder).has_value();
  };
  EXPECT_TRUE(accepted("a b;c&(d)'e'|f é.cu",
                       {"-DX=\"a b\"", "-D", "F(x)=x;", "-I", "a;b", "-Xcompiler", "-Wall,-g", "b.cu"}));
  for (const char* name : {"$(touch x).cu", "$x.cu", "`id`.cu", "a\".cu", "a\\.cu", "a\nb.cu"}) {
    EXPECT_FALSE(accepted(name, {})) << name;
    EXPECT_FALSE(accepted("a.cu", {}, name)) << name;
  }
  for (const char* option : {"-Xcompiler=-O2;touch x", "-lm|touch x", "-Xlinker=&x", "-Xcompiler=-O2>x",
                             "-DX=$(touch x)", "-I`touch x`", "-DX=1\ntouch x", "$x.cu", "-Xcompiler=(x)"})
    EXPECT_FALSE(accepted("a.cu", {option})) << option;
  EXPECT_FALSE(accepted("a.cu", {"-Xcompiler", ";touch x"}));
  EXPECT_FALSE(accepted("a.cu", {"-D", "X=$(touch x)"}));
  auto refused = check_nvcc_words("$(touch x).cu", {}, "/tmp/x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "toolchain-shell");
  EXPECT_THAT(refused.error().help, testing::HasSubstr("--compiler clang"));
}

} // namespace
} // namespace warplens::toolchain
