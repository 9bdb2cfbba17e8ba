// Finding compilers. Order: the environment variable, then the usual names in PATH, then the usual folders.
// A compiler counts as found when it starts and says its version; one that an environment variable names but
// that does not run is an error, not a reason to fall back silently.
#include "toolchain/find.h"
#include "os/captured.h"
#include "os/environment.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace warplens::toolchain {
namespace {

constexpr const char* clang_names[] = {"clang-19", "clang-18", "clang-17", "clang-16",
                                       "clang-15", "clang-14", "clang"};

bool is_program(const std::string& path) {
  std::error_code error;
  return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error);
}

std::optional<std::string> in_folders(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders)
    if (std::string path = folder + "/" + name; is_program(path)) return path;
  return std::nullopt;
}

std::optional<std::string> tool_of_toolkit(const Search& search, const std::string& name) {
  if (auto path = in_folders(search.path, name)) return path;
  for (const std::string& toolkit : search.toolkits)
    if (std::string path = toolkit + "/bin/" + name; is_program(path)) return path;
  return std::nullopt;
}

// "…release 13.0, V13.0.88" → "13.0.88"; "Debian clang version 19.1.7 (…)" → "19.1.7".
std::string version_after(std::string_view text, std::string_view marker) {
  std::size_t at = text.find(marker);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + marker.size());
  auto end = std::find_if(rest.begin(), rest.end(),
                          [](char c) { return !std::isdigit(static_cast<unsigned char>(c)) && c != '.'; });
  return std::string(rest.begin(), end);
}

u32 leading_number(std::string_view text) {
  u32 value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// `nvcc --list-gpu-arch` prints one compute_NN a line.
std::vector<u32> nvcc_architectures(const std::string& nvcc) {
  std::vector<u32> result;
  auto listed = os::run_captured({nvcc, "--list-gpu-arch"});
  if (!listed) return result;
  std::string_view text = listed->output;
  constexpr std::string_view marker = "compute_";
  for (std::size_t at = text.find(marker); at != text.npos; at = text.find(marker, at + 1))
    result.push_back(leading_number(text.substr(at + marker.size())));
  std::sort(result.begin(), result.end());
  return result;
}

Result<FoundCompiler> inspect(Compiler kind, const std::string& path) {
  auto said = os::run_captured({path, "--version"});
  if (!said) return failure(said.error());
  FoundCompiler found{
      kind, path, version_after(said->output, kind == Compiler::nvcc ? ", V" : "clang version "), 0, {}};
  found.major = leading_number(found.version);
  found.architectures = kind == Compiler::nvcc ? nvcc_architectures(path) : clang_architectures(found.major);
  if (said->exit_code != 0 || found.major == 0 || found.architectures.empty())
    return failure(diag::error("toolchain-unknown-compiler",
                               fmt::format("'{}' does not answer --version as {} does", path,
                                           kind == Compiler::nvcc ? "nvcc" : "clang"),
                               {}, "check WARPLENS_NVCC and WARPLENS_CLANG, or unset them"));
  constexpr u32 oldest_clang = 14;
  if (kind == Compiler::clang && found.major < oldest_clang)
    return failure(diag::error(
        "toolchain-old-compiler",
        fmt::format("'{}' is clang {}; CUDA without a toolkit needs clang 14 or newer", path, found.version),
        {}, "apt-get install clang-19 g++"));
  return found;
}

std::optional<std::string> locate_nvcc(const Search& search) {
  if (!search.nvcc.empty()) return search.nvcc;
  return tool_of_toolkit(search, "nvcc");
}

std::optional<std::string> locate_clang(const Search& search) {
  if (!search.clang.empty()) return search.clang;
  for (const char* name : clang_names)
    if (auto path = in_folders(search.path, name)) return path;
  return std::nullopt;
}

} // namespace

// From clang's lib/Basic/Cuda.cpp. Below 6.0 our headers' warp functions do not exist, so 5.0 ends the list.
std::vector<u32> clang_architectures(u32 major) {
  std::vector<u32> result = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
  if (major >= 16) result.insert(result.end(), {87, 89, 90});
  return result;
}

Search Search::from_environment() {
  Search search;
  search.nvcc = os::variable("WARPLENS_NVCC");
  search.clang = os::variable("WARPLENS_CLANG");
  search.ptxas = os::variable("WARPLENS_PTXAS");
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string value = os::variable(name); !value.empty()) search.toolkits.push_back(value);
  search.toolkits.push_back("/usr/local/cuda");
  std::string path = os::variable("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) search.path.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return search;
}

std::optional<LocatedCompiler> locate_compiler(Compiler wanted, const Search& search) {
  if (wanted != Compiler::clang)
    if (auto path = locate_nvcc(search)) return LocatedCompiler{Compiler::nvcc, *path};
  if (wanted != Compiler::nvcc)
    if (auto path = locate_clang(search)) return LocatedCompiler{Compiler::clang, *path};
  return std::nullopt;
}

Result<FoundCompiler> find_compiler(Compiler wanted, const Search& search) {
  if (auto located = locate_compiler(wanted, search)) return inspect(located->kind, located->path);
  if (wanted == Compiler::nvcc)
    return failure(
        diag::error("toolchain-no-nvcc", "nvcc is not in PATH, $CUDA_HOME or /usr/local/cuda", {},
                    "set WARPLENS_NVCC to it, or use --compiler clang, which needs no CUDA toolkit"));
  return failure(
      diag::error("toolchain-no-compiler",
                  wanted == Compiler::clang ? "clang is not in PATH" : "neither nvcc nor clang is in PATH",
                  {}, "apt-get install clang-19 g++ (no CUDA toolkit is needed)"));
}

std::optional<std::string> find_ptxas(const Search& search) {
  if (!search.ptxas.empty()) return is_program(search.ptxas) ? std::optional(search.ptxas) : std::nullopt;
  if (auto nvcc = locate_nvcc(search)) {
    std::string beside = std::filesystem::path(*nvcc).parent_path() / "ptxas";
    if (is_program(beside)) return beside;
  }
  return tool_of_toolkit(search, "ptxas");
}

std::string header_folder() {
  std::error_code error;
  const std::filesystem::path binary = os::executable();
  for (const char* place : {"share/warplens/cuda", "../share/warplens/cuda"}) {
    std::filesystem::path folder = binary.parent_path() / place;
    if (std::filesystem::exists(folder / "warplens_cuda.h", error)) return folder.lexically_normal();
  }
  return {};
}

u32 choose_architecture(const std::vector<u32>& available, u32 sm) {
  auto above = std::upper_bound(available.begin(), available.end(), sm);
  return above == available.begin() ? available.front() : *std::prev(above);
}

} // namespace warplens::toolchain
