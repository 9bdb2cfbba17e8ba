// `warplens doctor`: what this machine has of what WarpLens needs, tried rather than looked up where that can be done, and
// what is missing for what.
#pragma once
#include "base/types.h"
#include <string>
#include <vector>

namespace warplens::driver {

enum class Health : u8 { good, missing, broken }; // missing: something else does, or few need it

struct HealthRow {
  std::string name;
  Health health = Health::good;
  std::string found;  // what is there, or what went wrong
  std::string serves; // what it is for; told where it is not there
  std::string help;   // the command that mends it; may be empty
};

// Takes seconds: compiles and runs a small program with each compiler that there is.
std::vector<HealthRow> examine_machine();

struct DoctorOutput {
  std::string out;
  int exit_code = 0; // 1: something is broken
};
DoctorOutput doctor(const std::string& version, bool json);

} // namespace warplens::driver
