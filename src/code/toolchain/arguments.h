// The command lines, as data: what to run to turn CUDA sources into an executable that carries PTX.
//
// Users write compile options for the compiler they have, usually nvcc. With clang those of nvcc's options
// that have a counterpart are translated, and those that concern only machine code (ptxas, gencode) are
// dropped; the PTX is what counts.
#pragma once
#include "toolchain/find.h"

namespace warplens::toolchain {

// Compile options sorted by what they are for. The order inside each list is the user's.
struct Options {
  std::vector<std::string> both; // host and device passes: -I, -D, -std, -O …
  std::vector<std::string> host; // host pass alone: from -Xcompiler
  std::vector<std::string> link; // -l, -L, objects, archives, from -Xlinker
  std::vector<std::string> cuda; // further .cu files
  std::vector<std::string> cxx;  // .cpp, .cc, .cxx, .c files
  bool relocatable = false;      // -rdc=true, -dc: device code of several files calls each other
};
// Fails on an option that lacks its value.
Result<Options> sort_options(const std::vector<std::string>& options);

struct Paths {
  std::string headers; // folder of warplens_cuda.h
  std::string cudart;  // the library libcudart.so.13, a file
};

// Whether nvcc can be given these words. It makes command lines of them for a shell (13.0 does, by system(3)) and quotes
// some: a file '$(reboot).cu' would be a command. Fails with the word and what to do about it.
Result<void> check_nvcc_words(const std::string& source, const std::vector<std::string>& options,
                              const std::string& folder);

// nvcc does everything in one command; `options` are passed as they are, last, so that they win.
std::vector<std::string> nvcc_executable(const FoundCompiler&, u32 architecture, const std::string& source,
                                         const std::vector<std::string>& options, const std::string& output);
std::vector<std::string> nvcc_ptx(const FoundCompiler&, u32 architecture, const std::string& source,
                                  const std::vector<std::string>& options, const std::string& output);

// clang: device code to PTX, host code to an object that embeds the PTX, plain C++ to an object, then the
// link.
std::vector<std::string> clang_device(const FoundCompiler&, u32 architecture, const Paths&, const Options&,
                                      const std::string& source, const std::string& ptx);
std::vector<std::string> clang_host(const FoundCompiler&, u32 architecture, const Paths&, const Options&,
                                    const std::string& source, const std::string& ptx,
                                    const std::string& object);
std::vector<std::string> clang_cxx(const FoundCompiler&, const Paths&, const Options&,
                                   const std::string& source, const std::string& object);

// What clang 19's parser is told of a source, as device code and as host code: commands whose last word is the source.
// `options` are as for nvcc. Errors: those of sort_options().
Result<std::vector<std::vector<std::string>>> clang_passes(u32 sm, const std::string& headers,
                                                           const std::vector<std::string>& options,
                                                           const std::string& source);

// Preprocess nothing with the same options, to have the compiler say (-v) where it looks for headers.
std::vector<std::string> nvcc_search_path(const FoundCompiler&, u32 architecture,
                                          const std::vector<std::string>& options);
std::vector<std::string> clang_search_path(const FoundCompiler&, u32 architecture, const Paths&,
                                           const Options&);
std::vector<std::string> clang_link(const FoundCompiler&, const Paths&, const Options&,
                                    const std::vector<std::string>& objects, const std::string& output);

} // namespace warplens::toolchain
