// Every function of the CUDA Runtime by name: exports.def as a table.
#pragma once
#include <span>
#include <string_view>

namespace warplens::runtime {

struct Export {
  std::string_view name;
  void (*address)();
  bool implemented; // else it returns cudaErrorNotSupported and is reported
};
std::span<const Export> exports(); // in the order of exports.def

} // namespace warplens::runtime
