// What this process was started with: its environment variables, the file that it runs, and the machine.
#pragma once
#include "base/types.h"
#include <string>

namespace warplens::os {

// The variable's value; "" where it is not set, which to almost everybody means the same as empty.
const char* variable(const char* name);
bool is_set(const char* name); // even if empty

// The path of the running program's file; empty where /proc is missing.
std::string executable();

u64 physical_memory(); // of the machine, bytes

} // namespace warplens::os
