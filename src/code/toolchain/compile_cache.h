// Compiling a .cu file takes most of a second, and most runs of `run FILE.cu` compile what the run before
// did. A compilation is kept under everything that it depends on: the compiler (by path, size and time of the
// binaries that make it up), the command, the environment variables that compilers read, the contents of
// every file that it read, and the absence of every file that it would have read instead (inputs.h).
//
// Two entries make one result: "sources", under the command, lists the inputs that the last such compilation
// had; "program", under the command and the contents of those inputs, holds what came out and what the
// compiler said.
//
// What is not understood is not kept: options beyond those known to name no further input (a list), objects
// and libraries of the user, a compiler that is a script which does more than call another, sources that ask
// for the time of day.
#pragma once
#include "os/store.h"
#include "toolchain/compile.h"
#include "toolchain/inputs.h"
#include <filesystem>

namespace warplens::toolchain {

class CompileCache {
public:
  enum class Made : u8 { program, ptx };
  // `compiler` is located, but need not have been started.
  CompileCache(const CompileRequest&, Compiler kind, const std::string& compiler, Made = Made::program);
  bool enabled() const { return key_.has_value(); }

  // Puts the results into the request's folder and says again what the compiler said.
  std::optional<Compiled> find() const;
  // Keeps what lies in the request's folder now. `files` are those that the compiler read.
  void put(const Compiled&, std::string_view said, const std::vector<std::string>& files,
           const SearchPath&) const;

private:
  const CompileRequest& request_;
  std::optional<cache::Digest> key_; // of the command
  u64 start_;
};

// The binary behind the name of a program, found without running it. `identity` changes when the binary does:
// path, size, time and inode of it and of every script on the way.
struct Binary {
  std::filesystem::path path; // canonical
  std::string identity;
};
// Follows symbolic links and scripts that are nothing but `exec /another/program "$@"`, as installations put
// into /usr/local/bin. None for other scripts: what they run is not known.
std::optional<Binary> binary_behind(const std::string& program);

} // namespace warplens::toolchain
