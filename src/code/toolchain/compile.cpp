// The two ways to compile: nvcc in one command; clang in two per .cu file (arguments.h says why), then a
// link. Everything is written under the request's folder; the source folder is only read.
#include "toolchain/compile.h"
#include "os/file.h"
#include "toolchain/arguments.h"
#include "toolchain/compile_cache.h"
#include "toolchain/relocatable.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace warplens::toolchain {
namespace {

Result<void> check_source(const std::string& source) {
  std::error_code error;
  if (source.find('\0') != source.npos)
    return failure(diag::error("toolchain-bad-name", "the name of the source file contains a NUL character"));
  if (!std::filesystem::exists(source, error))
    return failure(diag::error("toolchain-no-source", fmt::format("'{}' does not exist", source)));
  if (!std::filesystem::is_regular_file(source, error))
    return failure(diag::error("toolchain-no-source", fmt::format("'{}' is not a file", source)));
  constexpr std::uintmax_t most = std::uintmax_t{64} << 20; // bytes: compilers take hours for less
  if (std::filesystem::file_size(source, error) > most && !error)
    return failure(diag::error(
        "toolchain-too-large",
        fmt::format("'{}' is too large for a source: it has more than {} MiB", source, most >> 20), {},
        "give a source that a person wrote, or the program that was made of it"));
  return {};
}

diag::Diagnostic compilation_failed(const CompileRequest& request, const FoundCompiler& compiler,
                                    const std::string& what) {
  const char* other =
      compiler.kind == Compiler::clang
          ? "options for the compiler go after --compile-options; if the program needs the CUDA "
            "toolkit (Thrust, CUB, cuBLAS), use --compiler nvcc where it is installed"
          : "options for the compiler go after --compile-options; --compiler clang compiles with "
            "WarpLens's own CUDA headers instead";
  return diag::error("toolchain-compile-failed",
                     fmt::format("{} {} could not {}", compiler.kind == Compiler::clang ? "clang" : "nvcc",
                                 compiler.version, what),
                     {request.source, 0, 0, 0}, other);
}

Result<void> run_step(const CompileRequest& request, const FoundCompiler& compiler,
                      const std::vector<std::string>& arguments, const std::string& what) {
  auto result = os::run_captured(arguments, request.on_output, request.stop);
  if (!result) return failure(result.error());
  if (result->exit_code != 0) return failure(compilation_failed(request, compiler, what));
  return {};
}

Result<void> check_headers(const CompileRequest& request) {
  std::error_code error;
  if (std::filesystem::exists(request.headers + "/warplens_cuda.h", error)) return {};
  return failure(diag::error("toolchain-no-headers",
                             fmt::format("WarpLens's CUDA headers are not in '{}'", request.headers), {},
                             "install WarpLens with 'cmake --install', which puts them beside the binary"));
}

// Object files by number: two sources may have the same name in different folders.
std::string numbered(const CompileRequest& request, std::size_t number, const char* extension) {
  return fmt::format("{}/{}{}", request.folder, number, extension);
}

Result<std::string> read_output(const std::string& path) {
  if (std::optional<std::string> text = os::read_file(path)) return std::move(*text);
  return failure(diag::error("toolchain-no-output", fmt::format("the compiler left no '{}'", path)));
}

Result<void> write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return {};
  return failure(diag::error("toolchain-no-output", fmt::format("cannot write '{}'", path), {},
                             "check the space on the disk"));
}

// clang embeds the bytes of a file as they are, and the runtime needs to see where the text ends.
Result<void> terminate_text(const std::string& ptx, const std::string& embedded) {
  auto text = read_output(ptx);
  if (!text) return failure(text.error());
  return write_text(embedded, {text->c_str(), text->size() + 1});
}

// For its line tables clang writes ".target sm_90, debug", and ptxas optimises no such code.
Result<void> leave_debug_out(const std::string& ptx) {
  auto text = read_output(ptx);
  if (!text) return failure(text.error());
  static constexpr std::string_view word = ", debug";
  const std::size_t target = text->find("\n.target "),
                    end = target == text->npos ? target : text->find('\n', target + 1);
  if (end == text->npos || !std::string_view(*text).substr(0, end).ends_with(word)) return {};
  return write_text(ptx, text->erase(end - word.size(), word.size()));
}

// Has clang write the files that it reads as a make rule.
std::vector<std::string> with_rule(std::vector<std::string> arguments, const std::string& rule) {
  arguments.insert(arguments.begin() + 1, {"-MD", "-MF", rule});
  return arguments;
}

// One of several files of device code; things of the same name in two of them are told apart by the file's number.
Options as_part(Options options, std::size_t number) {
  options.both.insert(options.both.end(), {"-fgpu-rdc", fmt::format("-cuid={}", number)});
  return options;
}

Result<void> check_names(const std::string& source, const std::string& ptx) {
  auto text = read_output(ptx);
  if (!text) return failure(text.error());
  std::string name = name_that_differs(*text);
  if (name.empty()) return {};
  return failure(diag::error("toolchain-static-name",
                             fmt::format("clang gives '{}', which is static and used by host code, another "
                                         "name in the device code of several files",
                                         name),
                             {source, 0, 0, 0}, "leave out 'static', or use --compiler nvcc"));
}

// What brings the parts of device code together, as a source.
Result<std::string> write_registration(const CompileRequest& request,
                                       const std::vector<std::string>& objects) {
  const std::string path = request.folder + "/registration.c";
  if (auto ok = write_text(path, registration_source(missing_registrations(objects))); !ok)
    return failure(ok.error());
  return path;
}

Result<Compiled> compile_with_clang(const CompileRequest& request, const FoundCompiler& compiler,
                                    u32 architecture) {
  if (auto ok = check_headers(request); !ok) return failure(ok.error());
  auto options = sort_options(request.options);
  if (!options) return failure(options.error());
  const bool relocatable = options->relocatable && !options->cuda.empty();
  const Paths paths{request.headers, request.cudart};
  std::vector<std::string> sources = {request.source}, objects;
  sources.insert(sources.end(), options->cuda.begin(), options->cuda.end());
  for (const std::string& source : sources) {
    const Options with_rest = relocatable ? as_part(*options, objects.size()) : *options;
    std::string ptx = numbered(request, objects.size(), ".ptx"),
                embedded = numbered(request, objects.size(), ".embedded"),
                object = numbered(request, objects.size(), ".o");
    if (auto ok = run_step(
            request, compiler,
            with_rule(clang_device(compiler, architecture, paths, with_rest, source, ptx), ptx + ".d"),
            fmt::format("compile the device code of '{}'", source));
        !ok)
      return failure(ok.error());
    if (auto ok = leave_debug_out(ptx); !ok) return failure(ok.error());
    if (auto ok = terminate_text(ptx, embedded); !ok) return failure(ok.error());
    if (auto ok = relocatable ? check_names(source, ptx) : Result<void>(); !ok) return failure(ok.error());
    if (auto ok =
            run_step(request, compiler,
                     with_rule(clang_host(compiler, architecture, paths, with_rest, source, embedded, object),
                               object + ".d"),
                     fmt::format("compile the host code of '{}'", source));
        !ok)
      return failure(ok.error());
    objects.push_back(object);
  }
  std::vector<std::string> plain = options->cxx;
  if (relocatable) {
    auto source = write_registration(request, objects);
    if (!source) return failure(source.error());
    plain.push_back(*source);
  }
  for (const std::string& source : plain) {
    std::string object = numbered(request, objects.size(), ".o");
    if (auto ok = run_step(request, compiler, clang_cxx(compiler, paths, *options, source, object),
                           fmt::format("compile '{}'", source));
        !ok)
      return failure(ok.error());
    objects.push_back(object);
  }
  std::string executable = request.folder + "/program";
  if (auto ok = run_step(request, compiler, clang_link(compiler, paths, *options, objects, executable),
                         "link the program");
      !ok)
    return failure(ok.error());
  return Compiled{executable,
                  fmt::format("clang {}, sm_{}, no CUDA toolkit", compiler.version, architecture)};
}

// Whether two sources are called alike but for their folders and extensions. What nvcc keeps (--keep) is named after the
// source, objects that are to be linked, too: of two such sources one object would overwrite the other.
bool share_a_name(const CompileRequest& request) {
  std::set<std::string> stems;
  auto is_second = [&](const std::string& file) {
    return !stems.insert(std::filesystem::path(file).stem().string()).second;
  };
  auto is_source = [](const std::string& word) {
    constexpr std::string_view extensions[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    return std::any_of(std::begin(extensions), std::end(extensions),
                       [&](std::string_view extension) { return word.ends_with(extension); });
  };
  is_second(request.source);
  return std::any_of(request.options.begin(), request.options.end(),
                     [&](const std::string& word) { return is_source(word) && is_second(word); });
}

Result<Compiled> compile_with_nvcc(const CompileRequest& request, const FoundCompiler& compiler,
                                   u32 architecture) {
  if (auto ok = check_nvcc_words(request.source, request.options, request.folder); !ok)
    return failure(ok.error());
  std::string executable = request.folder + "/program";
  std::vector<std::string> command =
      nvcc_executable(compiler, architecture, request.source, request.options, executable);
  // For the PTX, and for the line markers of the preprocessed text, which name every header of both passes. Without, spilled
  // registers stay unknown, and the next run compiles again.
  if (!share_a_name(request)) command.insert(command.end(), {"--keep", "--keep-dir", request.folder});
  if (auto ok = run_step(request, compiler, command, fmt::format("compile '{}'", request.source)); !ok)
    return failure(ok.error());
  return Compiled{executable, fmt::format("nvcc {}, compute_{}", compiler.version, architecture)};
}

// The files that the compilation in the request's folder read, as the compiler left word there.
std::vector<std::string> files_read(const CompileRequest& request) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(request.folder, error)) {
    std::string extension = entry.path().extension();
    if (extension != ".d" && extension != ".ii") continue;
    Result<std::string> text = read_output(entry.path());
    if (!text) return {};
    std::vector<std::string> files = extension == ".d" ? files_of_rule(*text) : files_of_line_markers(*text);
    if (files.empty()) return {};
    out.insert(out.end(), files.begin(), files.end());
  }
  return out;
}

SearchPath search_path(const CompileRequest& request, const FoundCompiler& compiler, u32 architecture) {
  std::vector<std::string> command;
  if (compiler.kind == Compiler::nvcc) {
    command = nvcc_search_path(compiler, architecture, request.options);
  } else {
    auto options = sort_options(request.options);
    if (!options) return {};
    command = clang_search_path(compiler, architecture, {request.headers, request.cudart}, *options);
  }
  auto result = os::run_captured(command);
  if (!result || result->exit_code != 0) return {};
  return search_path_of(result->output);
}

// With -iquote, which nvcc does not know, but the compiler that preprocesses for it does.
std::vector<std::string> options_with_quoted(const CompileRequest& request, Compiler kind) {
  std::vector<std::string> out = request.options;
  if (request.quoted.empty()) return out;
  if (kind == Compiler::clang) {
    out.push_back("-iquote" + request.quoted);
    return out;
  }
  std::string folder; // nvcc splits at commas
  for (char c : request.quoted) folder += c == ',' ? "\\," : std::string(1, c);
  out.insert(out.end(), {"-Xcompiler", "-iquote" + folder});
  return out;
}

// The file with the PTX.
Result<Compiled> compile_device_code(const CompileRequest& request, const FoundCompiler& compiler,
                                     u32 architecture) {
  std::string ptx = numbered(request, 0, ".ptx");
  std::vector<std::string> command, words = options_with_quoted(request, compiler.kind);
  if (compiler.kind == Compiler::nvcc) {
    if (auto ok = check_nvcc_words(request.source, words, request.folder); !ok) return failure(ok.error());
    command = nvcc_ptx(compiler, architecture, request.source, words, ptx);
    if (request.cache != nullptr) // as for a program
      command.insert(command.end(), {"--keep", "--keep-dir", request.folder});
  } else {
    if (auto ok = check_headers(request); !ok) return failure(ok.error());
    auto options = sort_options(words);
    if (!options) return failure(options.error());
    command =
        with_rule(clang_device(compiler, architecture, {request.headers, {}}, *options, request.source, ptx),
                  ptx + ".d");
  }
  if (auto ok = run_step(request, compiler, command,
                         fmt::format("compile the device code of '{}'", request.source));
      !ok)
    return failure(ok.error());
  if (auto ok = compiler.kind == Compiler::clang ? leave_debug_out(ptx) : Result<void>(); !ok)
    return failure(ok.error());
  return Compiled{ptx, {}};
}

// One of the two, out of the cache where it is there, and kept where it was not.
Result<Compiled> compiled(const CompileRequest& user, CompileCache::Made made) {
  if (auto ok = check_source(user.source); !ok) return failure(ok.error());
  std::string said;
  CompileRequest request = user;
  std::optional<CompileCache> cache;
  if (auto located = locate_compiler(request.compiler, request.search))
    cache.emplace(request, located->kind, located->path, made);
  if (cache)
    if (std::optional<Compiled> known = cache->find()) return *known; // never of what is refused below
  request.on_output = [&](std::string_view text) {
    said += text;
    if (user.on_output) user.on_output(text);
  };
  auto compiler = find_compiler(request.compiler, request.search);
  if (!compiler) return failure(compiler.error());
  u32 architecture = choose_architecture(compiler->architectures, request.sm);
  auto* way = made == CompileCache::Made::ptx    ? compile_device_code
              : compiler->kind == Compiler::nvcc ? compile_with_nvcc
                                                 : compile_with_clang;
  Result<Compiled> out = way(request, *compiler, architecture);
  if (out && cache && cache->enabled())
    cache->put(*out, said, files_read(request), search_path(request, *compiler, architecture));
  return out;
}

} // namespace

Result<Compiled> compile(const CompileRequest& request) {
  return compiled(request, CompileCache::Made::program);
}

Result<std::string> compile_to_ptx(const CompileRequest& request) {
  Result<Compiled> out = compiled(request, CompileCache::Made::ptx);
  if (!out) return failure(out.error());
  return read_output(out->executable);
}

} // namespace warplens::toolchain
