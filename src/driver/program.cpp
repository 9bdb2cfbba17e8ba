// A reader of as much ELF as program.h needs: section headers, .dynamic, names of symbols. Every offset is
// checked against the file; a damaged file is a program without CUDA, not a crash. Follows the System V ABI,
// chapter 4.
#include "driver/program.h"
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// The bytes of a file, mapped for reading; empty when that fails.
class FileView {
public:
  explicit FileView(const std::string& path) {
    int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    off_t size = lseek(descriptor, 0, SEEK_END);
    if (size > 0) {
      void* mapped = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (mapped != MAP_FAILED) bytes_ = {static_cast<const char*>(mapped), static_cast<std::size_t>(size)};
    }
    close(descriptor);
  }
  ~FileView() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;
  std::string_view bytes() const { return bytes_; }

private:
  std::string_view bytes_;
};

// A copy of the n-th T at `offset`, when the file is that long.
template <class T> std::optional<T> at(std::string_view bytes, u64 offset, u64 index = 0) {
  if (offset > bytes.size() || (bytes.size() - offset) / sizeof(T) <= index) return {};
  T out;
  std::memcpy(&out, bytes.data() + offset + index * sizeof(T), sizeof(T));
  return out;
}

std::string_view string_at(std::string_view table, u64 offset) {
  if (offset >= table.size()) return {};
  std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

class Elf {
public:
  explicit Elf(std::string_view bytes)
      : bytes_(bytes), header_(at<Elf64_Ehdr>(bytes, 0).value_or(Elf64_Ehdr{})) {}

  template <class F> void for_each_section(F&& f) const {
    std::optional<Elf64_Shdr> names = section(header_.e_shstrndx);
    for (u32 i = 0; i < header_.e_shnum; ++i)
      if (std::optional<Elf64_Shdr> s = section(i))
        f(*s, names ? string_at(content(*names), s->sh_name) : std::string_view{});
  }
  std::string_view content(const Elf64_Shdr& s) const {
    if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes_.size()) return {};
    return bytes_.substr(s.sh_offset, s.sh_size);
  }
  std::string_view strings_of(const Elf64_Shdr& s) const {
    std::optional<Elf64_Shdr> strings = section(s.sh_link);
    return strings ? content(*strings) : std::string_view{};
  }

private:
  std::optional<Elf64_Shdr> section(u32 index) const {
    return at<Elf64_Shdr>(bytes_, header_.e_shoff, index);
  }
  std::string_view bytes_;
  Elf64_Ehdr header_;
};

void read_needed(const Elf& elf, const Elf64_Shdr& dynamic, Program& program) {
  std::string_view strings = elf.strings_of(dynamic), bytes = elf.content(dynamic);
  for (u64 i = 0; std::optional<Elf64_Dyn> entry = at<Elf64_Dyn>(bytes, 0, i); ++i) {
    if (entry->d_tag != DT_NEEDED) continue;
    std::string_view name = string_at(strings, entry->d_un.d_val);
    if (name.starts_with("libcudart.so")) program.linkage = Linkage::shared, program.soname = name;
  }
}

bool defines_runtime(const Elf& elf, const Elf64_Shdr& symbols) {
  std::string_view strings = elf.strings_of(symbols), bytes = elf.content(symbols);
  for (u64 i = 0; std::optional<Elf64_Sym> symbol = at<Elf64_Sym>(bytes, 0, i); ++i)
    if (symbol->st_shndx != SHN_UNDEF && string_at(strings, symbol->st_name) == "__cudaRegisterFatBinary")
      return true;
  return false;
}

void read_elf(std::string_view bytes, Program& program) {
  Elf elf(bytes);
  elf.for_each_section([&](const Elf64_Shdr& section, std::string_view name) {
    if (name == ".nv_fatbin" || name == "__nv_relfatbin") program.device_code = true;
    if (section.sh_type == SHT_DYNAMIC) program.dynamic = true, read_needed(elf, section, program);
    if (section.sh_type != SHT_SYMTAB) return;
    program.symbols = true;
    if (program.linkage == Linkage::none && defines_runtime(elf, section)) program.linkage = Linkage::static_;
  });
}

std::string find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (true) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    std::error_code error;
    if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error)) return candidate;
    if (folder.size() == rest.size()) return name;
    rest.remove_prefix(folder.size() + 1);
  }
}

tl::unexpected<diag::Diagnostic> refuse(const char* kind, const std::string& name, std::string_view why,
                                        std::string help) {
  return failure(diag::error(kind, fmt::format("'{}' {}", name, why), {}, std::move(help)));
}

} // namespace

Result<Program> inspect_program(const std::string& name) {
  Program program;
  program.path = find_in_path(name);
  std::error_code error;
  fs::file_status status = fs::status(program.path, error);
  if (!fs::exists(status)) {
    bool here = name.find('/') == std::string::npos && fs::exists("./" + name, error);
    return refuse("program-missing", name, "does not exist",
                  here ? fmt::format("write ./{}", name) : "check the path");
  }
  if (name.find('/') == std::string::npos && program.path == name)
    return refuse("program-missing", name, "is not in PATH", fmt::format("write ./{}", name));
  if (fs::is_directory(status))
    return refuse("program-is-folder", name, "is a folder", "give the program in it");
  if (access(program.path.c_str(), X_OK) != 0)
    return refuse("program-not-executable", name, "is not executable",
                  name.ends_with(".cu")    ? "compile it first: nvcc -lineinfo -cudart shared -o app " + name
                  : name.ends_with(".ptx") ? "give a program that launches its kernels"
                                           : fmt::format("chmod +x {}", name));
  FileView file(program.path);
  std::string_view bytes = file.bytes();
  if (bytes.starts_with("#!")) {
    program.linkage = Linkage::script;
    return program;
  }
  if (!bytes.starts_with("\177ELF") || bytes.size() < sizeof(Elf64_Ehdr))
    return refuse("program-unknown-format", name, "is neither an ELF program nor a script with a #! line",
                  "");
  if (bytes[EI_CLASS] != ELFCLASS64 || at<Elf64_Ehdr>(bytes, 0)->e_machine != EM_X86_64)
    return refuse("program-foreign", name, "is not a 64-bit x86 program", "build it for x86-64 Linux");
  read_elf(bytes, program);
  return program;
}

diag::Diagnostic no_launch_seen(const Program& program) {
  diag::Diagnostic out =
      diag::warning("no-launch-seen", "the program launched no CUDA kernel that WarpLens could see");
  out.help = "rebuild with NVCC_APPEND_FLAGS=\"-lineinfo -cudart shared -gencode "
             "arch=compute_80,code=compute_80\" in the "
             "environment, and run with the arguments that make it use the GPU";
  switch (program.linkage) {
  case Linkage::shared:
  case Linkage::static_:
    out.notes.push_back(
        program.device_code
            ? "it uses the CUDA runtime and has device code: with these arguments it may not reach a launch"
            : "it uses the CUDA runtime, but has no device code of its own");
    break;
  case Linkage::none:
    out.notes.push_back(
        program.device_code && !program.symbols ? "it is stripped and has device code: a CUDA runtime that "
                                                  "is linked statically cannot be replaced without symbols"
        : !program.dynamic    ? "it is linked statically as a whole: no library can be preloaded into it"
        : program.device_code ? "it has device code, but the CUDA runtime was not found in it"
                              : "it neither needs libcudart.so nor contains the CUDA runtime");
    break;
  case Linkage::script:
    out.notes.push_back("it is a script: no program that it started launched a kernel");
    break;
  }
  return out;
}

} // namespace warplens::driver
