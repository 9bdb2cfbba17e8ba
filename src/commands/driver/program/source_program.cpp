// A .cu file as a program: compiled into a temporary folder, with the compiler's own words passed through,
// and asked for stack and spill bytes where there is a ptxas.
#include "driver/program/source_program.h"
#include "base/characters.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "toolchain/compile.h"
#include "toolchain/ptxas.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;

// What a compiler says, a line at a time: file names and source lines in it may hold what a terminal would obey.
class Relay {
public:
  explicit Relay(const RunOutput& output) : output_(output) {}
  ~Relay() { pass(rest_.size()); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  void say(std::string_view text) {
    rest_ += text;
    pass(rest_.rfind('\n') + 1); // 0 where there is none
  }

private:
  void pass(std::size_t size) {
    if (size != 0) output_.err(diag::without_controls(rest_.substr(0, size)));
    rest_.erase(0, size);
  }
  const RunOutput& output_;
  std::string rest_;
};

// "Compiling" on a terminal, erased by the compiler's first words or at the end.
class CompilingLine {
public:
  CompilingLine(const RunOptions& options, const RunOutput& output) : output_(output) {
    if (options.no_progress || isatty(STDERR_FILENO) == 0) return;
    shown_ = true;
    output_.err(
        one_line("warplens: compiling " + options.command[0]).substr(0, std::max(2u, options.width) - 1));
  }
  ~CompilingLine() { erase(); }
  void erase() {
    if (shown_) output_.err("\r\x1b[K");
    shown_ = false;
  }

private:
  const RunOutput& output_;
  bool shown_ = false;
};

} // namespace

toolchain::Compiler compiler_named(const std::string& name) {
  return name == "nvcc"    ? toolchain::Compiler::nvcc
         : name == "clang" ? toolchain::Compiler::clang
                           : toolchain::Compiler::automatic;
}

bool is_source_file(std::string_view name) { return name.ends_with(".cu"); }
bool is_cuda_source(std::string_view name) { return is_source_file(name) || name.ends_with(".cuh"); }

Result<SourceProgram> compile_source(const RunOptions& options, u32 sm, const std::string& runtime,
                                     const cache::Store& cache, const RunOutput& output) {
  Result<std::vector<std::string>> words = split_words(options.compile_options);
  if (!words) return failure(words.error());
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  CompilingLine line(options, output);
  toolchain::CompileRequest request;
  request.source = options.command.at(0);
  request.compiler = compiler_named(options.compiler);
  request.sm = sm;
  request.options = std::move(*words);
  request.options.push_back("-g"); // of the host: places of calls have lines
  request.options.insert(request.options.end(), options.more_sources.begin(), options.more_sources.end());
  request.folder = folder->path();
  request.headers = toolchain::header_folder();
  request.cudart = runtime + "/libcudart.so.13";
  request.cache = &cache;
  std::string said;
  Result<toolchain::Compiled> compiled = [&] {
    Relay relay(output);
    request.on_output = [&](std::string_view text) { line.erase(), relay.say(text), said += text; };
    return toolchain::compile(request);
  }();
  if (os::DelayedSignals::seen())
    return failure(diag::error("interrupted", "the compilation was interrupted", {request.source, 0, 0, 0}));
  if (!compiled && said.find("undefined reference to `main'") != said.npos)
    return failure(diag::error(
        "no-main",
        fmt::format("'{}' has no main(): WarpLens runs programs, not kernels alone", request.source), {},
        "give the source with main() first, the others after it; or compile the kernel alone, nvcc -lineinfo "
        "-ptx, and launch it from the .ptx file: warplens run FILE.ptx --grid …"));
  if (!compiled) return failure(compiled.error());
  return SourceProgram{std::move(*folder), std::move(compiled->executable)};
}

std::map<std::string, summary::LocalUse> local_use(const SourceProgram& program, u32 sm,
                                                   const cache::Store& cache) {
  std::map<std::string, summary::LocalUse> out;
  std::optional<std::string> ptxas = toolchain::find_ptxas(toolchain::Search::from_environment());
  if (!ptxas) return out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(program.folder.path(), error)) {
    if (entry.path().extension() != ".ptx") continue;
    Result<std::vector<toolchain::PtxasInfo>> all =
        toolchain::ptxas_info(*ptxas, os::read_file(entry.path()).value_or(""), sm, &cache);
    if (!all) return {}; // of a part of the program nothing can be said that holds for all of it
    for (const toolchain::PtxasInfo& info : *all)
      if (info.entry) out[info.function] = {info.stack_frame, info.spill_stores, info.spill_loads};
  }
  return out;
}

Result<std::vector<std::string>> split_words(std::string_view line, std::string_view quotes) {
  constexpr std::string_view special = "$`\"\\\n"; // what a backslash between double quotes escapes
  std::vector<std::string> out;
  bool inside = false; // a word
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n');
    if (blank) {
      inside = false;
      continue;
    }
    if (!inside) out.emplace_back(), inside = true;
    const bool escapes = c == '\\' && i + 1 < line.size() &&
                         (quote == 0 || (quote == '"' && special.find(line[i + 1]) != special.npos));
    if (quote == 0 && quotes.find(c) != quotes.npos)
      quote = c;
    else if (c == quote)
      quote = 0;
    else if (escapes)
      out.back() += line[++i];
    else
      out.back() += c;
  }
  if (quote != 0)
    return failure(diag::error("bad-option", fmt::format("a {} of --compile-options is not closed", quote),
                               {},
                               "quote as for a shell, e.g. --compile-options '-DNAME=\"a b\" -Iinclude'"));
  return out;
}

} // namespace warplens::driver
