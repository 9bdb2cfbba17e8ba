// The functions of the stand-ins by name, which the libraries libcublas.so.*, … jump through (shim/library.S).
#pragma once

namespace warplens::runtime {

struct LibraryExport {
  using Function = void (*)();
  const char* name;
  Function function;
};

} // namespace warplens::runtime
