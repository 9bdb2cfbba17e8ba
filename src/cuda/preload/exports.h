// Every function of the CUDA Runtime by name: runtime/exports.def as a table. It is all that the library with the code
// exports: the libraries libcudart.so.* jump through it (preload/shim/library.S), and a runtime that is linked into
// the program is redirected to it (preload/preload.cpp).
#pragma once
#include <span>

namespace warplens::runtime {

struct Export {
  using Function = void (*)();
  const char* name;
  Function in_major[3]; // of CUDA 11, 12, 13
};
std::span<const Export> exports(); // in the order of exports.def

} // namespace warplens::runtime
