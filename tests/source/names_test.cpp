// Kernels as people call them, files that can be told apart, and what declarations call parameters and arrays.
#include "source/declarations.h"
#include "source/names.h"
#include "source/places.h"
#include <gtest/gtest.h>

namespace warplens::source {
namespace {

using Strings = std::vector<std::string>;

TEST(Names, AreWhatStandsBeforeTheParameters) {
  EXPECT_EQ(short_names({"fb(double*, int)"}), Strings{"fb"});
  EXPECT_EQ(short_names({"void ns::scale<float, 4>(float*)"}), Strings{"scale"});
  EXPECT_EQ(short_names({"saxpy"}), Strings{"saxpy"});
  EXPECT_EQ(short_names({"(anonymous namespace)::run(int)"}), Strings{"run"});
  EXPECT_EQ(short_names({"void cub::sort<cub::policy<int>::type, (bool)1>(int const*)"}), Strings{"sort"});
  EXPECT_EQ(short_names({"_Z3odd"}), Strings{"_Z3odd"});
  EXPECT_EQ(short_names({""}), Strings{""});
  EXPECT_EQ(short_names({")"}), Strings{")"});
}

TEST(Names, AreToldApartByWhatDiffers) {
  EXPECT_EQ(short_names({"void sort<int, float, 4>(int*)", "void sort<int, double, 4>(int*)"}),
            (Strings{"sort<…, float, …>", "sort<…, double, …>"}));
  EXPECT_EQ(short_names({"add(float*, int)", "add(double*, int)"}),
            (Strings{"add(float*, …)", "add(double*, …)"}));
  EXPECT_EQ(short_names({"a::f(int)", "b::f(int)"}), (Strings{"a::f", "b::f"}));
  EXPECT_EQ(short_names({"f(int)", "f(int)", "g(int)"}), (Strings{"f", "f", "g"}));
}

TEST(Names, OfFunctionsThatNobodyDemangled) {
  EXPECT_EQ(function_name("_Z8move_soa9Particlesif"), "move_soa");
  EXPECT_EQ(function_name("_ZN2ns6kernelIfEEvPf"), "kernel");
  EXPECT_EQ(function_name("plain"), "plain");
  EXPECT_EQ(function_name("_Z99short"), "_Z99short");
}

TEST(Places, FilesAreCalledByTheirPathFromHereOrByTheShortestEnd) {
  std::map<std::string, std::string> names = file_names(
      {"/home/a/src/x.cu", "/opt/m/a/kernel.cu", "/opt/m/b/kernel.cu", "/opt/m/b/own.cuh", "plain.cu"},
      "/home/a");
  EXPECT_EQ(names["/home/a/src/x.cu"], "src/x.cu");
  EXPECT_EQ(names["/opt/m/a/kernel.cu"], "a/kernel.cu");
  EXPECT_EQ(names["/opt/m/b/kernel.cu"], "b/kernel.cu");
  EXPECT_EQ(names["/opt/m/b/own.cuh"], "own.cuh");
  EXPECT_EQ(names["plain.cu"], "plain.cu");
}

TEST(Places, WhatIsALibrarysOwn) {
  auto is = [](std::vector<access::SourceFrame> frames, std::string function = "k") {
    access::Site site;
    site.frames = std::move(frames), site.function = std::move(function);
    return is_library_code(site);
  };
  const access::SourceFrame mine{"/home/a/x.cu", 7},
      cub{"/usr/local/cuda/include/cub/block/block_load.cuh", 90},
      copy{"/usr/local/cuda/include/cuda_pipeline_helpers.h", 80}, own_copy{"/home/a/cub/block_load.cuh", 90};
  EXPECT_FALSE(is({mine}));
  EXPECT_FALSE(is({copy, mine})); // which the line calls in order to copy what is its own
  EXPECT_FALSE(is({own_copy, mine}));
  EXPECT_TRUE(is({cub, mine}));
  EXPECT_TRUE(is({cub}));
  EXPECT_TRUE(is({copy}));
  EXPECT_TRUE(is({}, "_ZN3cub17CUB_300001_SM_90013static_kernelEv"));
  EXPECT_FALSE(is({}, "_Z6kernelv"));
}

std::optional<Definition> definition(const std::string& text, const std::string& name) {
  std::string clean = without_comments(text);
  return definition_of(clean, name, clean.size());
}

TEST(Declarations, ParametersHaveTheNamesOfTheDefinition) {
  std::optional<Definition> found =
      definition("void k(const float* x);\n"
                 "__global__ void __launch_bounds__(256) k(const float* __restrict__ in, /* to */ "
                 "float *out, unsigned n = 3, int a[4]) {\n k2(in, out); }\n",
                 "k");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->parameters.size(), 4u);
  EXPECT_EQ(found->parameters[0].name, "in");
  EXPECT_TRUE(found->parameters[0].pointer);
  EXPECT_EQ(found->parameters[1].name, "out");
  EXPECT_EQ(found->parameters[2].name, "n");
  EXPECT_FALSE(found->parameters[2].pointer);
  EXPECT_EQ(found->parameters[3].name, "a");
  EXPECT_TRUE(definition("void k() { }", "k")->parameters.empty());
  EXPECT_FALSE(definition("int y = k(a, b);", "k"));
  EXPECT_FALSE(definition("void k(int (*f)(int)) { }", "k"));
  EXPECT_FALSE(definition("void k(int", "k"));
  EXPECT_FALSE(definition("// void k(int a) { }", "k"));
}

TEST(Declarations, OnlyAThreadsOwnArraysAreListed) {
  std::optional<Definition> found =
      definition("__global__ void k(float* p) {\n"
                 "  __shared__ float tile[32];\n  float counts[16] = {0};\n"
                 "  for (int i = 0; i < 4; ++i) { counts[i] = p[i]; p[i] += 1; }\n"
                 "  return p[0];\n}\n",
                 "k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->arrays, std::vector<std::string>{"counts"});
}

TEST(Declarations, MembersAreFoundByTheirOffsets) {
  std::string text =
      "struct Bodies { float *x, *y; int n; double* mass; };\nstruct Odd { Other o; float* p; };";
  EXPECT_EQ(pointer_member(text, "Bodies", 0), "x");
  EXPECT_EQ(pointer_member(text, "const Bodies", 8), "y");
  EXPECT_EQ(pointer_member(text, "Bodies", 16), std::nullopt); // n is no pointer
  EXPECT_EQ(pointer_member(text, "Bodies", 24), "mass");
  EXPECT_EQ(pointer_member(text, "Odd", 8), std::nullopt);
  EXPECT_EQ(pointer_member(text, "Elsewhere", 0), std::nullopt);
}

} // namespace
} // namespace warplens::source
