#include "base/launch_limits.h"
#include <gtest/gtest.h>

namespace warplens {
namespace {

using Of = LaunchProblem::Of;

TEST(LaunchLimits, EachSizeAndTheNumberOfThreadsCount) {
  LaunchLimits limits{512, {512, 512, 64}, {65535, 65535, 1}};
  Dim3 one;
  for (Dim3 block : {Dim3{1, 1, 1}, Dim3{512, 1, 1}, Dim3{1, 512, 1}, Dim3{8, 1, 64}, Dim3{32, 16, 1}})
    EXPECT_FALSE(launch_problem(limits, one, block).has_value());
  for (Dim3 block : {Dim3{0, 1, 1}, Dim3{1, 0, 1}, Dim3{1, 1, 0}, Dim3{513, 1, 1}, Dim3{1, 1, 65},
                     Dim3{32, 17, 1}, Dim3{1u << 31, 1u << 31, 4}}) // a product of 0 modulo 2^64
    EXPECT_EQ(launch_problem(limits, one, block).value().of, Of::block);
  for (Dim3 grid : {Dim3{65535, 1, 1}, Dim3{1, 65535, 1}})
    EXPECT_FALSE(launch_problem(limits, grid, one).has_value());
  for (Dim3 grid : {Dim3{0, 1, 1}, Dim3{65536, 1, 1}, Dim3{1, 1, 2}})
    EXPECT_EQ(launch_problem(limits, grid, one).value().of, Of::grid);
}

TEST(LaunchLimits, TheReasonNamesTheSizesAndTheLimits) {
  LaunchProblem problem = launch_problem({}, {}, {32, 33, 1}).value();
  EXPECT_EQ(problem.what, "a block of 32×33×1 threads cannot be launched");
  EXPECT_EQ(problem.most, "a block has at least 1 and at most 1024×1024×64 threads, 1024 in all");
}

} // namespace
} // namespace warplens
