// WarpLens's own NVRTC, the part that compiles: clang, with the CUDA headers that `warplens run FILE.cu` gives it.
#pragma once
#include "nvrtc/options.h"
#include <map>

namespace warplens::runtime {

struct NvrtcSource {
  std::string name, text;
  std::vector<std::pair<std::string, std::string>> headers; // by the name that #include gives, content
  std::vector<std::string> expressions;                     // whose mangled names are asked for
};

struct NvrtcOutput {
  bool compiled = false;
  bool no_compiler = false; // there is no clang, or none of WarpLens's headers: why is in the log
  std::string log;          // what the compiler said
  std::string ptx;
  std::map<std::string, std::string> lowered; // by expression
};

NvrtcOutput compile_nvrtc(const NvrtcSource&, const NvrtcOptions&);

} // namespace warplens::runtime
