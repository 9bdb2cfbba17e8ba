// The key of a compilation, what is recorded of one, and whether a record still holds: in this order. What
// counts and what is never kept, compile_cache.h says.
#include "toolchain/compile_cache.h"
#include "os/environment.h"
#include "os/file.h"
#include "toolchain/arguments.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace warplens::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* variables[] = {"CPATH",
                                     "C_INCLUDE_PATH",
                                     "CPLUS_INCLUDE_PATH",
                                     "LIBRARY_PATH",
                                     "COMPILER_PATH",
                                     "GCC_EXEC_PREFIX",
                                     "SOURCE_DATE_EPOCH",
                                     "NVCC_PREPEND_FLAGS",
                                     "NVCC_APPEND_FLAGS",
                                     "NVCC_CCBIN",
                                     "CCC_OVERRIDE_OPTIONS",
                                     "CLANG_CONFIG_FILE_SYSTEM_DIR",
                                     "LC_ALL",
                                     "LC_MESSAGES",
                                     "LANG"};

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return text.starts_with(s); });
}

// Options that name no input but headers, which the compiler lists.
bool is_harmless(std::string_view option) {
  for (std::string_view exact : {"-g",
                                 "-G",
                                 "-lineinfo",
                                 "--generate-line-info",
                                 "--device-debug",
                                 "-use_fast_math",
                                 "--use_fast_math",
                                 "-extended-lambda",
                                 "--extended-lambda",
                                 "-expt-extended-lambda",
                                 "--expt-extended-lambda",
                                 "-expt-relaxed-constexpr",
                                 "--expt-relaxed-constexpr",
                                 "-restrict",
                                 "--restrict",
                                 "-rdc=true",
                                 "-rdc=false",
                                 "--relocatable-device-code=true",
                                 "-forward-unknown-to-host-compiler",
                                 "--forward-unknown-to-host-compiler",
                                 "-m64",
                                 "-w",
                                 "-pthread",
                                 "-fopenmp",
                                 "-ffast-math",
                                 "-fPIC",
                                 "-fpermissive",
                                 "-lm",
                                 "-lpthread",
                                 "-ldl",
                                 "-lrt",
                                 "-lgomp",
                                 "-lstdc++",
                                 "-lcudart",
                                 "-lcudart_static",
                                 "-lcuda",
                                 "-lcudadevrt"})
    if (option == exact) return true;
  if (starts_with_one_of(option, {"-Wl,", "-Wp,", "-Wa,"})) return false;
  return starts_with_one_of(option,
                            {"-D", "-U", "-I", "-O", "-W", "-fno-", "-ffp-contract=", "-std=", "--std=",
                             "-isystem=", "-arch=", "--gpu-architecture=", "-gencode=", "--generate-code=",
                             "-maxrregcount=", "--maxrregcount=", "-diag-suppress=", "--diag-suppress="});
}

// Options of that kind whose value is the next argument.
bool takes_harmless_value(std::string_view option) {
  for (std::string_view name : {"-D", "-U", "-I", "-include", "-isystem", "-iquote", "-std", "--std", "-arch",
                                "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
                                "-maxrregcount", "--maxrregcount", "-diag-suppress", "--diag-suppress"})
    if (option == name) return true;
  return false;
}

bool are_harmless(const std::vector<std::string>& options, bool sources_too) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string_view option = options[i];
    if (takes_harmless_value(option)) {
      ++i;
    } else if (std::string_view host = option.substr(0, option.find('='));
               host == "-Xcompiler" || host == "--compiler-options") {
      if (host == option && ++i == options.size()) return false;
      std::string value = host == option ? options[i] : std::string(option.substr(host.size() + 1));
      std::replace(value.begin(), value.end(), ',', ' ');
      std::istringstream words(value);
      for (std::string word; words >> word;)
        if (!is_harmless(word) || word.starts_with("-I")) return false;
    } else if (!option.starts_with('-')) {
      if (!sources_too || !option.ends_with(".cu")) return false;
    } else if (!is_harmless(option)) {
      return false;
    }
  }
  return true;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(std::move(word));
  return out;
}

std::string stamp(const fs::path& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return {};
  return fmt::format("{} {} {}.{} {}\n", path.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_ino);
}

// The binaries that do the work behind the one that is called, where `compiler` is canonical.
std::string parts_of(Compiler kind, const fs::path& compiler, const Search& search) {
  std::string out;
  fs::path root = compiler.parent_path().parent_path();
  std::error_code error;
  if (kind == Compiler::nvcc) {
    for (const char* part : {"nvvm/bin/cicc", "bin/cudafe++", "bin/fatbinary", "bin/nvcc.profile"})
      out += stamp(root / part);
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(root / "lib", error))
      if (entry.path().filename().string().find(".so") != std::string::npos) out += stamp(entry.path());
  }
  // All in PATH: the first may be ccache, which calls the next.
  for (const char* tool : {"gcc", "g++", "ld", "as"})
    for (const std::string& folder : search.path)
      if (fs::path found = fs::canonical(folder + "/" + tool, error); !error) out += stamp(found);
  // clang takes the newest C++ library that is installed.
  std::vector<std::string> releases;
  for (const char* folder : {"/usr/lib/gcc/x86_64-linux-gnu", "/usr/lib/gcc/x86_64-redhat-linux"})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      releases.push_back(entry.path().string());
  std::sort(releases.begin(), releases.end());
  for (const std::string& release : releases) out += release + '\n';
  return out;
}

std::optional<cache::Digest> key_of(const CompileRequest& request, CompileCache::Made made, Compiler kind,
                                    const std::string& compiler) {
  std::optional<Binary> binary = binary_behind(compiler);
  bool nvcc = kind == Compiler::nvcc;
  if (!binary || !are_harmless(request.options, true)) return {};
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (nvcc && !are_harmless(words_of(os::variable(name)), false)) return {};
  if (nvcc && *os::variable("NVCC_CCBIN") != 0) return {};
  std::error_code error;
  cache::Hasher hasher;
  hasher.add(made == CompileCache::Made::ptx ? "ptx" : "program");
  hasher.add(nvcc ? "nvcc" : "clang").add(compiler).add(binary->identity);
  hasher.add(parts_of(kind, binary->path, request.search));
  hasher.add(request.sm).add(request.source).add(fs::current_path(error).string());
  hasher.add(request.headers).add(nvcc ? "" : request.cudart).add(request.options.size());
  for (const std::string& option : request.options) hasher.add(option);
  for (const char* name : variables) hasher.add(os::variable(name));
  return hasher.digest();
}

cache::Digest program_key(const cache::Digest& command, const cache::Digest& content) {
  return cache::Hasher()
      .add(command.words[0])
      .add(command.words[1])
      .add(content.words[0])
      .add(content.words[1])
      .digest();
}

// PackedStrings in a row, each behind its length.
class PackedStrings {
public:
  void add(std::string_view text) {
    u64 size = text.size();
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_ += text;
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }
  static std::optional<std::vector<std::string_view>> split(std::span<const std::byte> bytes) {
    std::vector<std::string_view> out;
    while (!bytes.empty()) {
      u64 size = 0;
      if (bytes.size() < sizeof size) return {};
      std::memcpy(&size, bytes.data(), sizeof size);
      bytes = bytes.subspan(sizeof size);
      if (size > bytes.size()) return {};
      out.emplace_back(reinterpret_cast<const char*>(bytes.data()), size);
      bytes = bytes.subspan(size);
    }
    return out;
  }

private:
  std::string bytes_;
};

bool write_file(const fs::path& path, std::string_view text, bool executable) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;
  if (executable) fs::permissions(path, fs::perms::owner_all, error);
  return !file.fail() && !error;
}

// The program that a shell script consists of calling, by an absolute path and with the script's own
// arguments; empty if the script does anything else.
std::string forwarded_to(std::string_view script) {
  constexpr std::string_view path_characters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
  constexpr std::string_view interpreters[] = {"#!/bin/sh\n", "#!/bin/bash\n"}, call = "exec ",
                             arguments = " \"$@\"";
  auto interpreter = std::find_if(std::begin(interpreters), std::end(interpreters),
                                  [&](std::string_view line) { return script.starts_with(line); });
  if (interpreter == std::end(interpreters)) return {};
  script.remove_prefix(interpreter->size());
  if (script.ends_with('\n')) script.remove_suffix(1);
  if (!script.starts_with(call) || !script.ends_with(arguments)) return {};
  script.remove_prefix(call.size());
  script.remove_suffix(arguments.size());
  if (!script.starts_with('/') || script.find_first_not_of(path_characters) != script.npos) return {};
  return std::string(script);
}

// A clock that files are stamped with: never ahead of it.
u64 file_clock() {
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec);
}

} // namespace

std::optional<Binary> binary_behind(const std::string& program) {
  constexpr int most_scripts = 4;
  Binary out{program, {}};
  for (int i = 0; i <= most_scripts; ++i) {
    std::error_code error;
    out.path = fs::canonical(out.path, error);
    if (error) return {};
    out.identity += stamp(out.path);
    constexpr std::size_t longest_script = 4096;
    std::string start(longest_script, '\0');
    std::ifstream file(out.path, std::ios::binary);
    start.resize(static_cast<std::size_t>(file.read(start.data(), longest_script).gcount()));
    if (start.starts_with("\177ELF")) return out;
    std::string next = forwarded_to(start);
    if (next.empty()) return {};
    out.path = next;
  }
  return {};
}

CompileCache::CompileCache(const CompileRequest& request, Compiler kind, const std::string& compiler,
                           Made made)
    : request_(request), start_(file_clock()) {
  if (request.cache != nullptr && request.cache->enabled()) key_ = key_of(request, made, kind, compiler);
}

std::optional<Compiled> CompileCache::find() const {
  if (!key_) return {};
  std::optional<cache::Blob> list = request_.cache->find("sources", *key_);
  if (!list) return {};
  std::optional<Inputs> inputs =
      inputs_of_text({reinterpret_cast<const char*>(list->data.get()), list->size});
  std::optional<cache::Digest> content = inputs ? content_of(*inputs) : std::nullopt;
  if (!content) return {};
  std::optional<cache::Blob> program = request_.cache->find("program", program_key(*key_, *content));
  if (!program) return {};
  // description, what the compiler said, then name and content of each file; the program is the first
  std::optional<std::vector<std::string_view>> parts = PackedStrings::split(program->bytes());
  if (!parts || parts->size() < 4 || parts->size() % 2 != 0) return {};
  for (std::size_t i = 2; i < parts->size(); i += 2) {
    std::string_view name = (*parts)[i];
    if (name.find('/') != name.npos) return {};
    if (!write_file(fs::path(request_.folder) / name, (*parts)[i + 1], i == 2)) return {};
  }
  if (std::string_view said = (*parts)[1]; !said.empty() && request_.on_output) request_.on_output(said);
  return Compiled{request_.folder + "/" + std::string((*parts)[2]), std::string((*parts)[0])};
}

void CompileCache::put(const Compiled& compiled, std::string_view said, const std::vector<std::string>& files,
                       const SearchPath& path) const {
  if (!key_ || files.empty() || path.folders.empty()) return;
  std::optional<Inputs> inputs = gather_inputs(files, path, start_);
  std::optional<cache::Digest> content = inputs ? content_of(*inputs) : std::nullopt;
  std::optional<std::string> program = os::read_file(compiled.executable);
  if (!content || !program) return;
  PackedStrings strings;
  strings.add(compiled.description);
  strings.add(said);
  strings.add(fs::path(compiled.executable).filename().string());
  strings.add(*program);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(request_.folder, error)) {
    if (entry.path().extension() != ".ptx" || entry.path() == compiled.executable) continue;
    std::optional<std::string> ptx = os::read_file(entry.path());
    if (!ptx) return;
    strings.add(entry.path().filename().string());
    strings.add(*ptx);
  }
  request_.cache->put("program", program_key(*key_, *content), strings.bytes());
  const std::string list = to_text(*inputs);
  request_.cache->put("sources", *key_, std::as_bytes(std::span(list)));
}

} // namespace warplens::toolchain
