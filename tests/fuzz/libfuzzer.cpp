// libFuzzer's way in: WARPLENS_FUZZ_TARGET names the target.
#include "fuzz/target.h"
#include <cstdint>
#include <cstdlib>

namespace {
const warplens::fuzz::Target* target = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("WARPLENS_FUZZ_TARGET");
  target = warplens::fuzz::find_target(name ? name : "");
  warplens::fuzz::require(target != nullptr, "WARPLENS_FUZZ_TARGET names a target");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
