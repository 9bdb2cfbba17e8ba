// What kind of program `run` was given, read from its first bytes and ELF tables, so that the right variant
// of the runtime is preloaded and a program that cannot work is told so before it starts.
#pragma once
#include "base/diagnostic.h"
#include <string>
#include <vector>

namespace warplens::driver {

enum class Linkage : u8 {
  shared,  // needs libcudart.so.<major>
  static_, // contains the CUDA runtime, with its symbols
  none,    // neither is visible: no CUDA, a stripped static runtime, or CUDA in a library it loads
  script   // an interpreter starts it; the preload is inherited
};

struct Program {
  std::string path;
  Linkage linkage = Linkage::none;
  std::string soname;       // shared: "libcudart.so.12"
  bool device_code = false; // has a section .nv_fatbin
  bool symbols = false;     // has a symbol table
  bool dynamic = false;     // the dynamic linker starts it, which is who preloads
  std::string driver_api;   // the library by which it goes past the runtime: "libcuda.so.1", "libnvrtc.so.12"
  std::vector<std::string> libraries; // of CUDA's that it needs and that have a stand-in: "libcublas.so.13"
  bool loses_preload = false; // it is setuid, setgid or has capabilities: then the dynamic linker does not
};

// The file that a shell would start for `name`; `name` itself where there is none in PATH, or where it has a slash.
std::string find_in_path(const std::string& name);

// Looks `name` up as a shell would (PATH, unless it has a slash) and inspects it. Fails with what is wrong:
// missing, a folder, not executable, a 32-bit or foreign program, neither a program nor a script.
Result<Program> inspect_program(const std::string& name);

// Why no launch may have been seen, and what to do next. `runtime_loaded`: a process said that it has WarpLens's runtime.
// `unsupported`: functions that it called and that are not implemented. `exit_code`: its own; `killed`: by a
// signal.
diag::Diagnostic no_launch_seen(const Program&, bool runtime_loaded,
                                const std::vector<std::string>& unsupported = {}, int exit_code = 0,
                                bool killed = false);

} // namespace warplens::driver
