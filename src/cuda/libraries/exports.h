// The functions of the stand-ins by name, which the libraries libcublas.so.*, … jump through (preload/shim/library.S).
#pragma once
#include <span>
#include <string_view>

namespace warplens::runtime {

struct LibraryExport {
  using Function = void (*)();
  const char* name;
  Function function;
};

// What stands in for NVIDIA's library of that name ("libcublas.so.13"); none for other libraries.
std::span<const LibraryExport> stand_ins_for(std::string_view soname);

} // namespace warplens::runtime
