// Kernels as people call them: "fb" for "void fb<float>(float*, int)".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::source {

// A demangled name in its parts.
struct NameParts {
  std::string qualified;              // "ns::fb": no return type, no arguments
  std::string base;                   // "fb"
  std::vector<std::string> templates; // arguments of the innermost template
  std::vector<std::string> parameters;
};
NameParts name_parts(std::string_view demangled);

// For each name its base; where several names share it, with the template arguments or else the parameters in which they
// differ, "…" for the others: "sort<…, int>". Equal names get equal answers, different names different ones.
std::vector<std::string> short_names(const std::vector<std::string>& demangled);

// "_ZN2ns6kernelIfEEvPf" → "kernel", for functions that nobody demangled; what cannot be read is given back.
std::string function_name(std::string_view mangled);

} // namespace warplens::source
