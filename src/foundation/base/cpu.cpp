// The levels of x86-64 that compilers and libraries know as v1, v3 and v4, by what the processor says of itself.
#include "base/cpu.h"
#include <cstdlib>

namespace warplens::cpu {

std::string_view name(Target target) {
  switch (target) {
  case Target::avx512: return "avx512";
  case Target::avx2: return "avx2";
  default: return "baseline";
  }
}

Target best_target() {
  __builtin_cpu_init(); // this may be asked before the compiler's own constructor has run
  if (__builtin_cpu_supports("x86-64-v4")) return Target::avx512;
  return __builtin_cpu_supports("x86-64-v3") ? Target::avx2 : Target::baseline;
}

ResultOr<Target, std::string> target_named(std::string_view wanted, Target best) {
  for (Target target : targets) {
    if (name(target) != wanted) continue;
    if (target <= best) return target;
    return failure("this processor cannot run '" + std::string(wanted) + "'; the most it has is '" +
                   std::string(name(best)) + "'");
  }
  return failure("there is no target '" + std::string(wanted) + "'; there are baseline, avx2 and avx512");
}

ResultOr<Target, std::string> wanted_target() {
  const char* wanted = secure_getenv("WARPLENS_TARGET");
  return wanted == nullptr || *wanted == 0 ? best_target() : target_named(wanted, best_target());
}

Target target() {
  static const Target chosen = wanted_target().value_or(best_target());
  return chosen;
}

} // namespace warplens::cpu
