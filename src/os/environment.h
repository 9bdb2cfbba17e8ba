// What this process was started with: its environment variables and the file that it runs.
#pragma once
#include <string>

namespace warplens::os {

// The variable's value; "" where it is not set, which to almost everybody means the same as empty.
const char* variable(const char* name);
bool is_set(const char* name); // even if empty

// The path of the running program's file; empty where /proc is missing.
std::string executable();

} // namespace warplens::os
