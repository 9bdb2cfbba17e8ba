// Which CUDA compilers this machine has: nvcc of a toolkit, or clang, which needs none.
#pragma once
#include "base/diagnostic.h"
#include <optional>
#include <string>
#include <vector>

namespace warplens::toolchain {

enum class Compiler : u8 { automatic, nvcc, clang };

// Where to look, as data, so that a test can look in folders of its own.
struct Search {
  std::string nvcc;                  // $WARPLENS_NVCC: used as it is
  std::string clang;                 // $WARPLENS_CLANG: used as it is
  std::vector<std::string> toolkits; // $CUDA_HOME, $CUDA_PATH, /usr/local/cuda
  std::vector<std::string> path;     // the folders of $PATH
  std::string ptxas = {};            // $WARPLENS_PTXAS: that or none
  static Search from_environment();
};

struct FoundCompiler {
  Compiler kind = Compiler::clang;
  std::string path;    // absolute, or as the environment variable gives it
  std::string version; // "13.0.88", "19.1.7"
  u32 major = 0;
  std::vector<u32> architectures; // ascending: 75, 80, 86 …: those it can emit PTX for
};

// The compiler to use: with `automatic` nvcc where there is one, else clang. Fails with what to install.
Result<FoundCompiler> find_compiler(Compiler wanted, const Search& search);

// Ascending: those that clang of that release knows.
std::vector<u32> clang_architectures(u32 major);

// Where that compiler is and of which kind, without starting it; none where there is none.
struct LocatedCompiler {
  Compiler kind = Compiler::clang;
  std::string path;
};
std::optional<LocatedCompiler> locate_compiler(Compiler wanted, const Search& search);

// ptxas beside nvcc, in a toolkit or in PATH; it alone makes machine code.
std::optional<std::string> find_ptxas(const Search& search);

// The folder with warplens_cuda.h: share/warplens/cuda beside the running binary (build tree) or one folder
// up (installed). Empty where neither exists.
std::string header_folder();

// The architecture to compile for: the highest not above `sm`, else the lowest. `available` is ascending, not
// empty.
u32 choose_architecture(const std::vector<u32>& available, u32 sm);

} // namespace warplens::toolchain
