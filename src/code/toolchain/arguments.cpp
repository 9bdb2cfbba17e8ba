// Command lines for nvcc and clang.
//
// nvcc: PTX, and machine code, whose accesses are what is counted; -lineinfo for `.loc` and for the table from machine code to
// PTX; the shared runtime, which WarpLens's own replaces at run time.
//
// clang, without a toolkit, needs two compilations of a .cu file, because its one-step driver insists on
// NVIDIA's ptxas and fatbinary: first the device pass to PTX text, then the host pass, which embeds that text
// where a fatbinary would be (-fcuda-include-gpubinary). Each flag that is not obvious:
//   --cuda-path=/nonexistent   or clang picks up a toolkit that happens to be there: results would differ by machine
//   -nocudainc -nocudalib      our headers, and no libdevice
//   -target-sdk-version        decides which launch function <<<>>> calls; without it a pre-9.2 one
//   +ptxNN                     or the warp-synchronous builtins do not exist in the default PTX 4.2
//   -debug-info-kind=…         after -gline-tables-only: textual DWARF in the PTX, which holds the inline stacks
//   -fwrapv                    host code was written for nvcc's, which does not optimise it: i * i goes round
//   -gdwarf-4                  of the host: addr2line up to 2.40 misses inlined calls in clang's DWARF 5
//   -Wno-register              older programs say `register`, which nvcc accepts
//   --driver-mode=g++          `clang-19` may be installed without a `clang++-19`
#include "toolchain/arguments.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace warplens::toolchain {
namespace {

using Strings = std::vector<std::string>;

enum class Fate : u8 { drop, drop_value, host, link, relocatable, fast_math, keep_value, standard };

// nvcc's options that clang does not know ("NVIDIA CUDA Compiler Driver" manual, option reference), by what becomes of them.
// `…_value`, host and link take the next argument, unless the option is written with '='. nvcc takes an option of one dash and several
// letters with two, too. -g is of the host, where it stands anyway.
constexpr std::string_view to_host[] = {"-Xcompiler", "--compiler-options"};
constexpr std::string_view to_linker[] = {"-Xlinker", "--linker-options", "-L", "-l"};
constexpr std::string_view dropped[] = {"-lineinfo",
                                        "-g",
                                        "--generate-line-info",
                                        "-G",
                                        "--device-debug",
                                        "-extended-lambda",
                                        "-expt-extended-lambda",
                                        "-expt-relaxed-constexpr",
                                        "-restrict",
                                        "-keep",
                                        "-v",
                                        "-forward-unknown-to-host-compiler",
                                        "-forward-unknown-to-host-linker",
                                        "-forward-unknown-opts",
                                        "-allow-unsupported-compiler",
                                        "-extra-device-vectorization",
                                        "-res-usage",
                                        "--resource-usage",
                                        "-src-in-ptx",
                                        "--source-in-ptx",
                                        "-Wno-deprecated-gpu-targets",
                                        "--disable-warnings",
                                        "-display-error-number",
                                        "-no-display-error-number",
                                        "-lcudart",
                                        "-lcudart_static",
                                        "-lcuda",
                                        "-lnvrtc",
                                        "-lcudadevrt"};
constexpr std::string_view dropped_with_value[] = {"-Xptxas",
                                                   "--ptxas-options",
                                                   "-Xnvlink",
                                                   "-gencode",
                                                   "--generate-code",
                                                   "-arch",
                                                   "--gpu-architecture",
                                                   "-code",
                                                   "--gpu-code",
                                                   "-ccbin",
                                                   "--compiler-bindir",
                                                   "-cudart",
                                                   "-maxrregcount",
                                                   "-diag-suppress",
                                                   "-t",
                                                   "--threads",
                                                   "-split-compile",
                                                   "-Xcudafe",
                                                   "-Xarchive",
                                                   "--archive-options",
                                                   "-Xnvcc",
                                                   "-diag-warn",
                                                   "-diag-error",
                                                   "-default-stream",
                                                   "-ftz",
                                                   "-prec-div",
                                                   "-prec-sqrt",
                                                   "-fmad"};
constexpr std::string_view makes_relocatable[] = {"-rdc", "--relocatable-device-code", "-dc"};
// clang's own options whose value may be the next argument
constexpr std::string_view kept_with_value[] = {"-I",      "-D",         "-U",       "-include", "-isystem",
                                                "-iquote", "-idirafter", "-imacros", "-Xclang",  "-mllvm"};
constexpr std::string_view fast_math[] = {"-use_fast_math"};
constexpr std::string_view of_standard[] = {"-std"};

struct NvccOption {
  std::string_view name;
  Fate fate;
  std::string_view clangs{}; // what clang calls it; empty: the same
};
constexpr NvccOption renamed[] = {
    {"--include-path", Fate::keep_value, "-I"},      {"--system-include", Fate::keep_value, "-isystem"},
    {"--pre-include", Fate::keep_value, "-include"}, {"--define-macro", Fate::keep_value, "-D"},
    {"--undefine-macro", Fate::keep_value, "-U"},
};

std::optional<NvccOption> find_option(std::string_view name) {
  auto is_called = [&](std::string_view known) {
    return known == name || (known.size() > 2 && name.starts_with("--") && known == name.substr(1));
  };
  const std::pair<Fate, std::span<const std::string_view>> lists[] = {{Fate::host, to_host},
                                                                      {Fate::link, to_linker},
                                                                      {Fate::drop, dropped},
                                                                      {Fate::drop_value, dropped_with_value},
                                                                      {Fate::relocatable, makes_relocatable},
                                                                      {Fate::keep_value, kept_with_value},
                                                                      {Fate::fast_math, fast_math},
                                                                      {Fate::standard, of_standard}};
  for (const auto& [fate, names] : lists)
    if (auto found = std::ranges::find_if(names, is_called); found != names.end())
      return NvccOption{*found, fate};
  auto row = std::ranges::find_if(renamed, is_called, &NvccOption::name);
  return row == std::end(renamed) ? std::nullopt : std::optional(*row);
}

bool has_extension(std::string_view file, std::initializer_list<std::string_view> extensions) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](std::string_view e) { return file.ends_with(e); });
}

// "-fopenmp,-Wall" → two arguments, as nvcc splits the value of -Xcompiler.
void append_commas(Strings& list, std::string_view value) {
  for (std::size_t begin = 0; begin <= value.size();) {
    std::size_t end = std::min(value.find(',', begin), value.size());
    if (end > begin) list.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Words for the host compiler. Those of its preprocessor hold for device code, too: nvcc preprocesses with it.
void sort_host(Options& sorted, std::string_view value) {
  constexpr std::string_view preprocessors[] = {"-D",         "-U",       "-I",       "-isystem", "-iquote",
                                                "-idirafter", "-include", "-imacros", "-std="};
  Strings words;
  append_commas(words, value);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto name =
        std::ranges::find_if(preprocessors, [&](std::string_view n) { return words[i].starts_with(n); });
    const bool separate = name != std::end(preprocessors) && words[i] == *name;
    Strings& to =
        name != std::end(preprocessors) && (!separate || i + 1 < words.size()) ? sorted.both : sorted.host;
    to.push_back(words[i]);
    if (separate && i + 1 < words.size()) to.push_back(words[++i]);
  }
}

void sort_plain(Options& sorted, const std::string& argument) {
  if (argument.starts_with("-l") || argument.starts_with("-L") || argument.starts_with("-Wl,"))
    sorted.link.push_back(argument);
  else if (argument.starts_with("-"))
    sorted.both.push_back(argument);
  else if (has_extension(argument, {".cu"}))
    sorted.cuda.push_back(argument);
  else if (has_extension(argument, {".cpp", ".cc", ".cxx", ".c"}))
    sorted.cxx.push_back(argument);
  else
    sorted.link.push_back(argument);
}

void apply(Options& sorted, const NvccOption& option, const std::string& value) {
  switch (option.fate) {
  case Fate::drop:
  case Fate::drop_value: break;
  case Fate::host: sort_host(sorted, value); break;
  case Fate::link:
    if (option.name == "-L" || option.name == "-l") {
      sorted.link.push_back(std::string(option.name) + value);
    } else {
      Strings pieces;
      append_commas(pieces, value);
      for (const std::string& piece : pieces) sorted.link.push_back("-Wl," + piece);
    }
    break;
  case Fate::relocatable: sorted.relocatable = value != "false"; break;
  case Fate::fast_math:
    sorted.both.insert(sorted.both.end(), {"-ffast-math", "-fgpu-approx-transcendentals"});
    break;
  case Fate::keep_value:
    sorted.both.insert(sorted.both.end(),
                       {std::string(option.clangs.empty() ? option.name : option.clangs), value});
    break;
  case Fate::standard: sorted.both.push_back("-std=" + value); break;
  }
}

bool takes_value(Fate fate) {
  return fate == Fate::drop_value || fate == Fate::host || fate == Fate::link || fate == Fate::keep_value ||
         fate == Fate::standard;
}

// A path that an option parser cannot take for an option or for a file with more options.
std::string as_file(const std::string& path) {
  return path.starts_with("-") || path.starts_with("@") ? "./" + path : path;
}

// nvcc puts most words in double quotes, where a shell still acts on these; into a definition it puts the other quotes and
// backslashes so that they arrive.
constexpr std::string_view quoted_specials = "$`\n", name_specials = "$`\n\"\\",
                           bare_specials = "$`\n;|&<>()";

bool is_definition(std::string_view word) {
  return word.starts_with("-D") || word.starts_with("-U") || word.starts_with("-I");
}

tl::unexpected<diag::Diagnostic> refuse_word(const std::string& word, char special, std::string help) {
  std::string name = special == '\n' ? "a line end" : fmt::format("the character {}", special);
  return failure(
      diag::error("toolchain-shell",
                  fmt::format("nvcc starts its passes by a shell, which would act on {} in '{}'", name, word),
                  {}, std::move(help)));
}

// What each clang release supports: PTX version, and the newest CUDA release that it knows.
struct ClangRelease {
  u32 major;
  const char* ptx;
  const char* sdk;
};
constexpr ClangRelease clang_releases[] = {{14, "ptx75", "11.5"}, {15, "ptx75", "11.5"},
                                           {16, "ptx78", "11.8"}, {17, "ptx80", "12.1"},
                                           {18, "ptx82", "12.3"}, {19, "ptx83", "12.3"}};

const ClangRelease& release_of(u32 major) {
  const ClangRelease* best = &clang_releases[0];
  for (const ClangRelease& release : clang_releases)
    if (release.major <= major) best = &release;
  return *best;
}

Strings clang_common(const FoundCompiler& compiler, u32 architecture, const Paths& paths,
                     const Options& options) {
  Strings arguments = {compiler.path,
                       "--driver-mode=g++",
                       "-x",
                       "cuda",
                       "--cuda-path=/nonexistent",
                       "-nocudainc",
                       "-nocudalib",
                       "-Wno-unknown-cuda-version",
                       "-Wno-register",
                       fmt::format("--cuda-gpu-arch=sm_{}", architecture),
                       "-Xclang",
                       fmt::format("-target-sdk-version={}", release_of(compiler.major).sdk),
                       "-O3",
                       "-std=c++17",
                       "-isystem",
                       paths.headers,
                       "-include",
                       "warplens_cuda.h"};
  arguments.insert(arguments.end(), options.both.begin(), options.both.end());
  return arguments;
}

void append(Strings& list, const Strings& more) { list.insert(list.end(), more.begin(), more.end()); }

Strings nvcc_common(const FoundCompiler& compiler, u32 architecture) {
  return {compiler.path, "-O3", "-lineinfo", "-gencode",
          fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", architecture)};
}

// Where the compiler writes is not for its options to say: the last of them would win, and may name the source.
Result<void> check_output(const Strings& options) {
  for (const std::string& word : options)
    if (const std::string_view name = std::string_view(word).substr(0, word.find('='));
        name == "-o" || name == "--output-file" || name == "-odir" || name == "--output-directory")
      return failure(
          diag::error("toolchain-output",
                      fmt::format("the compile option '{}' says where the compiler is to write", word), {},
                      "leave it out: what is compiled goes to a temporary folder"));
  return {};
}

// Does the extension tell compilers that it is CUDA? Not of a header of device code.
bool is_cuda_by_name(const std::string& source) { return source.ends_with(".cu"); }

} // namespace

Result<Options> sort_options(const Strings& options) {
  if (Result<void> fine = check_output(options); !fine) return failure(fine.error());
  Options sorted;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& argument = options[i];
    std::size_t equals = argument.find('=');
    std::optional<NvccOption> option = find_option(argument);
    std::string value;
    bool has_value = false;
    if (!option && argument.starts_with("-") && equals != argument.npos) {
      option = find_option(std::string_view(argument).substr(0, equals));
      if (option) value = argument.substr(equals + 1), has_value = true;
    }
    if (!option) {
      sort_plain(sorted, argument);
      continue;
    }
    if (takes_value(option->fate) && !has_value) {
      if (i + 1 == options.size())
        return failure(diag::error("toolchain-option-value",
                                   fmt::format("the compile option '{}' needs a value", argument)));
      value = options[++i];
    }
    apply(sorted, *option, value);
  }
  return sorted;
}

Result<void> check_nvcc_words(const std::string& source, const Strings& options, const std::string& folder) {
  if (Result<void> fine = check_output(options); !fine) return fine;
  const std::string other = "or use --compiler clang, which starts no shell";
  if (std::size_t at = source.find_first_of(name_specials); at != source.npos)
    return refuse_word(source, source[at], "give the file another name, " + other);
  if (std::size_t at = folder.find_first_of(name_specials); at != folder.npos)
    return refuse_word(folder, folder[at], "set TMPDIR to another folder, " + other);
  for (std::size_t i = 0; i < options.size(); ++i) {
    bool definition =
        is_definition(options[i]) || (i > 0 && options[i - 1].size() == 2 && is_definition(options[i - 1]));
    std::size_t at = options[i].find_first_of(definition ? quoted_specials : bare_specials);
    if (at != options[i].npos)
      return refuse_word(options[i], options[i][at], "leave it out of --compile-options, " + other);
  }
  return {};
}

Strings nvcc_executable(const FoundCompiler& compiler, u32 architecture, const std::string& source,
                        const Strings& options, const std::string& output) {
  Strings arguments = nvcc_common(compiler, architecture);
  append(arguments, {"-cudart", "shared", "-o", output, as_file(source)});
  append(arguments, options);
  return arguments;
}

Strings nvcc_ptx(const FoundCompiler& compiler, u32 architecture, const std::string& source,
                 const Strings& options, const std::string& output) {
  Strings arguments = {compiler.path, "-O3", "-lineinfo", fmt::format("-arch=compute_{}", architecture),
                       "-ptx",        "-o",  output,      as_file(source)};
  if (!is_cuda_by_name(source)) append(arguments, {"-x", "cu"});
  append(arguments, options);
  return arguments;
}

Strings clang_device(const FoundCompiler& compiler, u32 architecture, const Paths& paths,
                     const Options& options, const std::string& source, const std::string& ptx) {
  Strings arguments = clang_common(compiler, architecture, paths, options);
  // clang 14 and 15 have no --cuda-feature; there the feature goes to the device compilation directly.
  std::string feature = fmt::format("+{}", release_of(compiler.major).ptx);
  if (compiler.major >= 16)
    arguments.push_back("--cuda-feature=" + feature);
  else
    append(arguments, {"-Xclang", "-target-feature", "-Xclang", feature});
  append(arguments,
         {"--cuda-device-only", "-S", "-gline-tables-only", "-Xclang", "-debug-info-kind=line-tables-only"});
  if (!is_cuda_by_name(source)) append(arguments, {"-x", "cuda"});
  append(arguments, {as_file(source), "-o", ptx});
  return arguments;
}

Strings clang_host(const FoundCompiler& compiler, u32 architecture, const Paths& paths,
                   const Options& options, const std::string& source, const std::string& ptx,
                   const std::string& object) {
  Strings arguments = clang_common(compiler, architecture, paths, options);
  append(arguments, options.host);
  append(arguments, {"--cuda-host-only", "-gdwarf-4", "-fwrapv", "-Xclang", "-fcuda-include-gpubinary",
                     "-Xclang", ptx, "-c", as_file(source), "-o", object});
  return arguments;
}

Result<std::vector<Strings>> clang_passes(u32 sm, const std::string& headers, const Strings& words,
                                          const std::string& source) {
  Result<Options> options = sort_options(words);
  if (!options) return failure(options.error());
  if (options->relocatable) options->both.push_back("-fgpu-rdc");
  const FoundCompiler parser{Compiler::clang, "clang", "19", 19, clang_architectures(19)};
  const Strings common =
      clang_common(parser, choose_architecture(parser.architectures, sm), {headers, {}}, *options);
  Strings device = common, host = common;
  append(device, {fmt::format("--cuda-feature=+{}", release_of(parser.major).ptx), "--cuda-device-only"});
  append(host, options->host);
  host.push_back("--cuda-host-only");
  for (Strings* pass : {&device, &host}) {
    if (!is_cuda_by_name(source)) append(*pass, {"-x", "cuda"});
    pass->push_back(as_file(source));
  }
  return std::vector{std::move(device), std::move(host)};
}

Strings nvcc_search_path(const FoundCompiler& compiler, u32 architecture, const Strings& options) {
  Strings arguments = nvcc_common(compiler, architecture);
  append(arguments, {"-x", "cu", "-E", "-Xcompiler", "-v", "/dev/null"});
  std::copy_if(options.begin(), options.end(), std::back_inserter(arguments),
               [](const std::string& option) { return !option.ends_with(".cu"); });
  return arguments;
}

Strings clang_search_path(const FoundCompiler& compiler, u32 architecture, const Paths& paths,
                          const Options& options) {
  Strings arguments = clang_common(compiler, architecture, paths, options);
  append(arguments, {"--cuda-device-only", "-E", "-v", "/dev/null", "-o", "/dev/null"});
  return arguments;
}

Strings clang_cxx(const FoundCompiler& compiler, const Paths& paths, const Options& options,
                  const std::string& source, const std::string& object) {
  Strings arguments = {
      compiler.path, has_extension(source, {".c"}) ? "--driver-mode=gcc" : "--driver-mode=g++",
      "-O2",         "-gdwarf-4",
      "-isystem",    paths.headers};
  append(arguments, options.both);
  append(arguments, options.host);
  append(arguments, {"-c", as_file(source), "-o", object});
  return arguments;
}

Strings clang_link(const FoundCompiler& compiler, const Paths& paths, const Options& options,
                   const Strings& objects, const std::string& output) {
  Strings arguments = {compiler.path, "--driver-mode=g++", "-o", output};
  append(arguments, objects);
  append(arguments, options.link);
  std::string folder = std::filesystem::absolute(paths.cudart).parent_path();
  // -fopenmp and the like from -Xcompiler concern the link too.
  for (const std::string& option : options.host)
    if (option.starts_with("-f")) arguments.push_back(option);
  append(arguments,
         {paths.cudart, "-Wl,--as-needed", folder + "/libcuda.so.1", folder + "/libraries/libnvrtc.so.13",
          "-Wl,--no-as-needed", "-Wl,-rpath," + folder, "-lm", "-lpthread"});
  return arguments;
}

} // namespace warplens::toolchain
