// Linked into test binaries that ctest runs once per instruction set: what WARPLENS_TARGET asks for is what runs, or
// nothing does. Library code would fall back to another target, and its tests would pass without having run this one.
#include "base/cpu.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

class TargetInUse : public testing::Environment {
  void SetUp() override {
    const char* name = std::getenv("WARPLENS_TARGET");
    ResultOr<cpu::Target, std::string> wanted = cpu::wanted_target();
    if (wanted || name == nullptr) return;
    // The same words as what the ctest entries look for (targets.cmake).
    if (cpu::target_named(name, cpu::targets.back())) GTEST_SKIP() << "skipped: " << wanted.error();
    FAIL() << wanted.error();
  }
};

[[maybe_unused]] const testing::Environment* const registered =
    testing::AddGlobalTestEnvironment(new TargetInUse);

} // namespace
} // namespace warplens::test
