// Turning a .cu file into an executable that runs under WarpLens, with nvcc or with clang and no toolkit.
#pragma once
#include "os/captured.h"
#include "os/store.h"
#include "toolchain/find.h"

namespace warplens::toolchain {

struct CompileRequest {
  std::string source; // the .cu file
  Compiler compiler = Compiler::automatic;
  u32 sm = 90;                      // compute capability × 10
  std::vector<std::string> options; // as for nvcc; may name further sources
  std::string folder;               // where the results go, *.ptx too: exists, private (see TempDir)
  std::string headers;              // clang: folder of warplens_cuda.h (header_folder())
  std::string cudart;               // clang: the file libcudart.so.13 to link with
  Search search = Search::from_environment();
  os::OnOutput on_output;              // sees what the compilers say, verbatim
  const cache::Store* cache = nullptr; // of compilations; null: none
  std::string quoted{};   // compile_to_ptx: a folder where #include "…" looks as in the source's own
  std::stop_token stop{}; // requested: the compiler is ended, and the compilation fails
};

struct Compiled {
  std::string executable;
  std::string description; // "nvcc 13.0.88, compute_90" or "clang 19.1.7, sm_90, no CUDA toolkit"
};

// A failed compilation has been relayed through `on_output`; the diagnostic says what to do next.
Result<Compiled> compile(const CompileRequest&);

// The PTX text of `source` alone (`headers` matters for clang, `cudart` does not).
Result<std::string> compile_to_ptx(const CompileRequest&);

} // namespace warplens::toolchain
