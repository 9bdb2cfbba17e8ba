// Kernels as people call them, and files that can be told apart.
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

} // namespace
} // namespace warplens::source
