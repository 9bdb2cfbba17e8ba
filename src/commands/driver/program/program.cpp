// What the file's ELF tables tell about its CUDA runtime. A damaged file is a program without CUDA.
#include "driver/program/program.h"
#include "os/elf.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/process.h"
#include <algorithm>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

bool defines_runtime(const os::Elf& elf) {
  std::vector<os::Elf::Symbol> symbols = elf.symbols();
  return std::any_of(symbols.begin(), symbols.end(), [](const os::Elf::Symbol& symbol) {
    return symbol.defined && symbol.name == "__cudaRegisterFatBinary";
  });
}

void read_elf(const os::Elf& elf, Program& program) {
  program.device_code = elf.find(".nv_fatbin") != nullptr || elf.find("__nv_relfatbin") != nullptr;
  program.symbols = elf.has(SHT_SYMTAB);
  program.dynamic = elf.has(SHT_DYNAMIC);
  for (std::string_view name : elf.needed())
    if (name.starts_with("libcuda.so") || name.starts_with("libnvrtc.so")) program.driver_api = name;
  for (std::string_view name : elf.needed())
    for (std::string_view prefix : {"libcublas.so", "libcublasLt.so", "libcufft.so", "libcurand.so",
                                    "libcusolver.so", "libcusparse.so", "libnccl.so"})
      if (name.starts_with(prefix)) program.libraries.emplace_back(name);
  for (std::string_view name : elf.needed())
    if (name.starts_with("libcudart.so")) program.linkage = Linkage::shared, program.soname = name;
  if (program.linkage == Linkage::none && defines_runtime(elf)) program.linkage = Linkage::static_;
}

// Of a program in which no CUDA runtime was found.
std::string_view why_no_runtime(const Program& program) {
  if (program.device_code && !program.symbols)
    return "it is stripped and has device code: a CUDA runtime that is linked statically cannot be replaced "
           "without symbols";
  if (!program.dynamic) return "it is linked statically as a whole: no library can be preloaded into it";
  if (program.device_code) return "it has device code, but the CUDA runtime was not found in it";
  return "it neither needs libcudart.so nor contains the CUDA runtime";
}

tl::unexpected<diag::Diagnostic> refuse(const char* kind, const std::string& name, std::string_view why,
                                        std::string help) {
  return failure(diag::error(kind, fmt::format("'{}' {}", name, why), {}, std::move(help)));
}

// The program that a script names behind "#!"; empty where it names none.
std::string interpreter_of(std::string_view script) {
  const std::string_view line = script.substr(2, script.find('\n') - 2);
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  return std::string(line.substr(begin, line.find_first_of(" \t\r", begin) - begin));
}

// What to do with a file that is no program yet, or never one.
std::string help_for(const std::string& name, std::string otherwise) {
  if (name.ends_with(".cu")) return "compile it first: nvcc -lineinfo -cudart shared -o app " + name;
  if (name.ends_with(".py")) return "warplens run python3 " + name;
  if (fs::path(name).has_extension() && !name.ends_with(".sh"))
    return fmt::format(
        "a kernel is read from a .ptx, .cubin or .fatbin file, which compilers keep beside others; "
        "if it is a program: {}",
        otherwise);
  return otherwise;
}

} // namespace

std::string find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  std::string_view rest = os::is_set("PATH") ? os::variable("PATH") : "/usr/bin:/bin";
  while (true) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error)) return candidate;
    if (folder.size() == rest.size()) return name;
    rest.remove_prefix(folder.size() + 1);
  }
}

Result<Program> inspect_program(const std::string& name) {
  Program program;
  if (name.empty())
    return refuse("program-missing", name, "is no name of a program", "give a program or a .cu file");
  program.path = find_in_path(name);
  std::error_code error;
  fs::file_status status = fs::status(program.path, error);
  if (error == std::errc::too_many_symbolic_link_levels)
    return refuse("program-missing", name, "is a symbolic link that leads to itself",
                  "give the program itself");
  if (!fs::exists(status)) {
    bool here = name.find('/') == std::string::npos && fs::exists("./" + name, error);
    return refuse("program-missing", name, "does not exist",
                  here ? help_for(name, fmt::format("write ./{}", name)) : "check the path");
  }
  if (fs::is_directory(status))
    return refuse("program-is-folder", name, "is a folder", "give the program in it");
  if (name.find('/') == std::string::npos && program.path == name)
    return refuse("program-missing", name, "is not in PATH", help_for(name, fmt::format("write ./{}", name)));
  if (!fs::is_regular_file(status))
    return refuse("program-unknown-format", name, "is a device or a pipe, not a program",
                  "give the file of a program");
  if (::access(program.path.c_str(), R_OK) != 0)
    return refuse("program-unreadable", name, "cannot be read, so WarpLens does not find its device code",
                  fmt::format("chmod u+r {}", name));
  if (fs::file_size(program.path, error) == 0)
    return refuse("program-unknown-format", name, "is empty", "was it built to the end?");
  program.loses_preload = os::gives_more_rights(program.path);
  os::MappedFile file(program.path.c_str());
  const std::string_view text = os::as_text(file.bytes());
  const bool script = text.starts_with("#!");
  const os::ElfKind kind = os::elf_kind(file.bytes());
  if (!script && kind == os::ElfKind::none)
    return refuse(
        "program-unknown-format", name, "is neither an ELF program nor a script with a #! line",
        help_for(name, "give the program itself, or start it by its interpreter: warplens run sh " + name));
  if (::access(program.path.c_str(), X_OK) != 0)
    return refuse("program-not-executable", name, "is not executable", fmt::format("chmod +x {}", name));
  if (script) {
    const std::string interpreter = interpreter_of(text);
    if (!interpreter.empty() && !fs::exists(interpreter, error))
      return refuse("program-missing", name,
                    fmt::format("begins with #!{0}, and '{0}' does not exist", interpreter),
                    "install it, or correct the first line of the script");
    program.linkage = Linkage::script;
    return program;
  }
  if (kind == os::ElfKind::foreign)
    return refuse("program-foreign", name, "is not a 64-bit x86 program", "build it for x86-64 Linux");
  if (os::is_cut_off(file.bytes()))
    return refuse("program-unknown-format", name, "is cut off: tables of its sections lie behind its end",
                  "build or copy it again");
  if (std::optional<os::Elf> elf = os::Elf::parse(file.bytes())) read_elf(*elf, program);
  return program;
}

diag::Diagnostic no_launch_seen(const Program& program, bool runtime_loaded,
                                const std::vector<std::string>& unsupported, int exit_code, bool killed) {
  diag::Diagnostic out =
      diag::warning("no-launch-seen", "the program launched no CUDA kernel that WarpLens could see");
  out.help = "rebuild with NVCC_APPEND_FLAGS=\"-lineinfo -cudart shared -gencode "
             "arch=compute_80,code=compute_80\" in the "
             "environment, and run with the arguments that make it use the GPU";
  const bool is_python = std::filesystem::path(program.path).filename().string().starts_with("python");
  if (is_python)
    out.help = "was a kernel of PyTorch, JAX, Triton, CuPy or numba launched, with its arrays on the GPU? "
               "docs/do/python.md says what is counted";
  if (!unsupported.empty()) { // what a program does after such an error is its own affair
    out.notes.push_back(
        fmt::format("it called {}, which WarpLens does not implement: the call returned an error",
                    fmt::join(unsupported, ", ")));
    out.help = "where the program can do without, run it so";
    return out;
  }
  if (constexpr int not_found = 127; exit_code == not_found && !runtime_loaded) {
    out.notes.emplace_back("its exit code is 127: it did not start, as a program or a library was not found");
    out.help = "make it run without WarpLens first";
    return out;
  }
  // The interpreter or the loader has said why.
  if (exit_code != 0 && (is_python || program.linkage == Linkage::script ||
                         (!runtime_loaded && program.linkage == Linkage::shared))) {
    out.notes.push_back(fmt::format("it ended with exit code {} before it launched one", exit_code));
    out.help = "make it run without an error first";
    return out;
  }
  if (killed && runtime_loaded) {
    out.notes.emplace_back("it was killed before it launched one");
    out.help.clear();
    return out;
  }
  if (!program.driver_api.empty()) {
    out.notes.push_back(
        fmt::format("it uses {}: with these arguments it may not reach a launch", program.driver_api));
    out.help = "run it with the arguments that make it use the GPU";
    return out;
  }
  if (program.loses_preload) {
    out.notes.emplace_back("it is setuid, setgid or has capabilities: nothing can be preloaded into it");
    out.help = "run a copy without these rights: cp makes one";
    return out;
  }
  switch (program.linkage) {
  case Linkage::shared:
  case Linkage::static_:
    out.notes.push_back(
        !runtime_loaded
            ? "it uses the CUDA runtime, but WarpLens's was not loaded: it did not get so far, or something "
              "on the way to it clears LD_PRELOAD"
        : program.device_code
            ? "it uses the CUDA runtime and has device code: with these arguments it may not reach a launch"
            : "it uses the CUDA runtime, but has no device code of its own");
    break;
  case Linkage::none:
    out.notes.emplace_back(why_no_runtime(program));
    if (program.dynamic)
      out.notes.emplace_back(
          "of a stripped library with kernels that it loads while it runs only a shared CUDA runtime can be "
          "replaced: link the library with -cudart shared");
    break;
  case Linkage::script:
    out.notes.emplace_back(runtime_loaded
                               ? "it is a script: no program that it started launched a kernel"
                               : "it is a script: it started no program with CUDA, or cleared LD_PRELOAD");
    break;
  }
  if (runtime_loaded && program.linkage != Linkage::none)
    out.help = "run it with the arguments that make it use the GPU";
  return out;
}

} // namespace warplens::driver
