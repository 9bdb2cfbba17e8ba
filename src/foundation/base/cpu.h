// Which instruction set the loops over lanes use. They are compiled once for each of these targets (the folders
// named target/), and every room asks here which one to run, so that one process never mixes them.
//
// The choice is made once: the best target that the processor has, or a lower one that the environment variable
// WARPLENS_TARGET names, which is how tests run what other processors would. A name that is unknown, or a target
// that the processor lacks, is an error with exit code 2 of every `warplens` command. Library code, which runs inside
// the user's program and neither prints nor exits, takes the best target then.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include <array>
#include <string>
#include <string_view>

namespace warplens::cpu {

enum class Target : u8 {
  baseline, // x86-64: SSE2
  avx2,     // x86-64-v3: with FMA, BMI, F16C
  avx512,   // x86-64-v4: F, BW, CD, DQ, VL
};
inline constexpr std::array targets{Target::baseline, Target::avx2, Target::avx512};

std::string_view name(Target);

Target best_target(); // that this processor has

// The target that `name` asks for on a processor whose best one is `best`, or what is wrong with the name.
ResultOr<Target, std::string> target_named(std::string_view name, Target best);

// What the environment asks for, the best target where it says nothing; or what is wrong with it.
ResultOr<Target, std::string> wanted_target();

Target target(); // the one in use, for the whole life of the process

} // namespace warplens::cpu
