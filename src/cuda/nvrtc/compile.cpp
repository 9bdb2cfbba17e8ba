// The source goes into a file of a private folder, behind a line marker that gives it the program's name, and the headers that
// were handed over beside it, so that #include finds them first.
//
// A name expression is any expression that means a kernel or a variable: `n::mul<3, float>`, `&n::shift`. Each becomes the
// initial value of a constant at the end of the source, which makes the compiler instantiate it and write its mangled name
// into the PTX: `.visible .const .align 8 .u64 __warplens_name_0 = _ZN1n3mulILi3EfEEvPT0_i;`. These lines are read and taken
// out.
#include "nvrtc/compile.h"
#include "os/no_write_signals.h"
#include "os/temp_dir.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <charconv>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace warplens::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "__warplens_name_";

// share/warplens/cuda, found from this library: the running program is the user's.
std::string headers_beside_library() {
  Dl_info info{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&headers_beside_library), &info) == 0 || !info.dli_fname)
    return {};
  const fs::path folder = fs::path(info.dli_fname).parent_path();
  for (const char* place : {"../share/warplens/cuda", "../../share/warplens/cuda"}) // build tree, installed
    if (fs::exists(folder / place / "warplens_cuda.h", error)) return (folder / place).lexically_normal();
  return toolchain::header_folder(); // linked into a program of WarpLens's own: a test
}

bool write(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

// Whether `name` stays in the folder that it is put into.
bool stays_inside(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  return !name.empty() && path.is_relative() && *path.begin() != "..";
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

std::string whole_text(const NvrtcSource& source, const NvrtcOptions& options) {
  std::string out;
  if (options.device_by_default) out += "#pragma clang force_cuda_host_device begin\n";
  out += fmt::format("#line 1 {}\n{}\n", in_quotes(source.name), source.text);
  if (options.device_by_default) out += "#pragma clang force_cuda_host_device end\n";
  for (std::size_t i = 0; i < source.expressions.size(); ++i)
    out +=
        fmt::format("#line 1 {}\nextern \"C\" __attribute__((used)) __device__ const void* const {}{} = "
                    "(const void*)({});\n",
                    in_quotes("name expression " + source.expressions[i]), prefix, i, source.expressions[i]);
  return out;
}

// "….u64 __warplens_name_0 = generic(_ZN1n5shiftE);" → index 0, "_ZN1n5shiftE". False: the line is another.
bool read_name(std::string_view line, std::size_t& index, std::string_view& name) {
  const std::size_t at = line.find(prefix), equals = line.find(" = ");
  if (at == line.npos || equals == line.npos || equals < at) return false;
  const char *begin = line.data() + at + prefix.size(), *end = line.data() + equals;
  if (auto [rest, error] = std::from_chars(begin, end, index); error != std::errc() || rest != end)
    return false;
  name = line.substr(equals + 3);
  if (name.starts_with("generic(")) name.remove_prefix(std::string_view("generic(").size());
  name = name.substr(0, name.find_first_of(");"));
  return true;
}

void take_names(const NvrtcSource& source, std::string_view text, NvrtcOutput& out) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    std::size_t index = 0;
    std::string_view name;
    if (!read_name(line, index, name))
      out.ptx += line;
    else if (index < source.expressions.size())
      out.lowered[source.expressions[index]] = name;
  }
}

NvrtcOutput stopped(const diag::Diagnostic& why) {
  NvrtcOutput out;
  out.no_compiler = true;
  out.log = why.message + (why.help.empty() ? "" : "; " + why.help) + '\n';
  return out;
}

} // namespace

NvrtcOutput compile_nvrtc(const NvrtcSource& source, const NvrtcOptions& options) {
  const os::NoWriteSignals guard;
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return stopped(folder.error());
  const fs::path here = folder->path();
  NvrtcOutput out;
  for (const auto& [name, text] : source.headers)
    if (!stays_inside(name) || !write(here / "headers" / name, text))
      out.log += fmt::format("nvrtc: warning: the header '{}' cannot be put into a file\n", name);
  write(here / "source" / "program.cu", whole_text(source, options));

  toolchain::CompileRequest request;
  request.source = here / "source" / "program.cu";
  request.compiler = toolchain::Compiler::clang;
  request.sm = options.sm;
  request.options = {"-D__CUDACC_RTC__=1", "-I" + (here / "headers").string(), "-fno-caret-diagnostics",
                     "-fno-color-diagnostics"};
  request.options.insert(request.options.end(), options.words.begin(), options.words.end());
  request.folder = here;
  request.headers = headers_beside_library();
  request.on_output = [&](std::string_view said) { out.log += said; };
  Result<std::string> ptx = toolchain::compile_to_ptx(request);
  if (!ptx && ptx.error().kind != "toolchain-compile-failed") return stopped(ptx.error());
  out.compiled = ptx.has_value();
  if (ptx) take_names(source, *ptx, out);
  return out;
}

} // namespace warplens::runtime
