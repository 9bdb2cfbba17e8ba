// Words of nvcc's, clang's and gcc's command lines, told apart by tables: what goes, what names a path, what is kept as it is.
// nvcc splits the values of its list options at commas ("NVIDIA CUDA Compiler Driver", command options), the others do not.
#include "driver/findings/compile_command.h"
#include "driver/program/source_program.h"
#include "os/file.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using toolchain::Compiler;

// What is made, and where; for which GPU; how to debug it.
constexpr std::string_view dropped[] = {"-c",
                                        "--compile",
                                        "-ptx",
                                        "--ptx",
                                        "-cubin",
                                        "--cubin",
                                        "-fatbin",
                                        "--fatbin",
                                        "-E",
                                        "--preprocess",
                                        "-S",
                                        "-M",
                                        "-MM",
                                        "-MD",
                                        "-MMD",
                                        "-MP",
                                        "--generate-dependencies",
                                        "--generate-dependencies-with-compile",
                                        "--generate-nonsystem-dependencies",
                                        "--generate-nonsystem-dependencies-with-compile",
                                        "-dw",
                                        "--device-w",
                                        "-G",
                                        "--device-debug",
                                        "-dlto",
                                        "--dlink-time-opt",
                                        "-keep",
                                        "--keep",
                                        "-save-temps",
                                        "--save-temps",
                                        "-objtemp",
                                        "--objdir-as-tempdir",
                                        "-dryrun",
                                        "--dryrun",
                                        "--cuda-device-only",
                                        "--cuda-host-only"};
constexpr std::string_view dropped_with_value[] = {"-o",
                                                   "--output-file",
                                                   "-odir",
                                                   "--output-directory",
                                                   "-MF",
                                                   "-MT",
                                                   "-MQ",
                                                   "--dependency-output",
                                                   "--dependency-target-name",
                                                   "-x",
                                                   "--x",
                                                   "-keep-dir",
                                                   "--keep-dir",
                                                   "-time",
                                                   "--time",
                                                   "-gencode",
                                                   "--generate-code",
                                                   "-arch",
                                                   "--gpu-architecture",
                                                   "-code",
                                                   "--gpu-code",
                                                   "--cuda-gpu-arch",
                                                   "--offload-arch",
                                                   "--cuda-path"};
// A warning is no reason not to judge. clang's stands alone, or with the warning behind '='.
constexpr std::string_view warnings_as_errors[] = {"-Werror", "--Werror"};

// Options whose value is a path: nvcc's are lists.
struct PathOption {
  std::string_view name;
  bool joined; // the value may follow at once: -Ifolder
  bool a_file; // that is looked for in the folders of -I, too
};
constexpr PathOption path_options[] = {
    {"-I", true, false},       {"--include-path", false, false},
    {"-isystem", true, false}, {"--system-include", false, false},
    {"-iquote", true, false},  {"-idirafter", true, false},
    {"-include", false, true}, {"--pre-include", false, true},
    {"-imacros", false, true},
};
constexpr std::string_view host_options[] = {"-Xcompiler", "--compiler-options"},
                           response_options[] = {"--options-file", "-optf"};

template <std::size_t n> bool is_one_of(std::string_view word, const std::string_view (&names)[n]) {
  return std::ranges::find(names, word) != std::end(names);
}

// "-I", "-I=" or, of one word with its value, "-Ifolder"; empty: the word is not this option.
struct Match {
  std::string_view spelled; // what of the word stands before the value
  bool next = false;        // the value is the next word
};
std::optional<Match> match(std::string_view word, std::string_view name, bool joined = false) {
  if (!word.starts_with(name)) return {};
  if (word.size() == name.size()) return Match{word, true};
  if (word[name.size()] == '=') return Match{word.substr(0, name.size() + 1), false};
  return joined ? std::optional(Match{word.substr(0, name.size()), false}) : std::nullopt;
}

template <std::size_t n>
std::optional<Match> match(std::string_view word, const std::string_view (&names)[n]) {
  for (std::string_view name : names)
    if (std::optional<Match> out = match(word, name)) return out;
  return {};
}

const PathOption* path_option(std::string_view word) {
  auto found = std::ranges::find_if(path_options, [&](const PathOption& option) {
    return match(word, option.name, option.joined).has_value();
  });
  return found == std::end(path_options) ? nullptr : found;
}

// At commas that no backslash stands before.
Words pieces_of(std::string_view list) {
  Words out{""};
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',') {
      out.emplace_back();
      continue;
    }
    if (list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',') out.back() += list[i++];
    out.back() += list[i];
  }
  return out;
}

std::string absolute(const std::string& path, const std::string& folder, bool a_file) {
  if (path.empty() || path.starts_with('/')) return path;
  const fs::path out = fs::path(folder) / path;
  std::error_code error;
  return a_file && !fs::exists(out, error) ? path : out.string();
}

// A value of paths, of which nvcc takes several.
std::string absolute_all(const std::string& value, const std::string& folder, bool a_file, bool nvcc) {
  if (!nvcc) return absolute(value, folder, a_file);
  Words out = pieces_of(value);
  for (std::string& path : out) path = absolute(path, folder, a_file);
  return fmt::format("{}", fmt::join(out, ","));
}

// The first word that is no name of a program: before it stand the compiler and what starts it.
std::size_t first_option(const CompileCommand& command, const std::string& source) {
  std::size_t i = std::min<std::size_t>(1, command.words.size());
  while (i < command.words.size() && !command.words[i].starts_with('-') &&
         !command.words[i].starts_with('@') &&
         fs::path(command.words[i]).extension() != fs::path(source).extension())
    ++i;
  return i;
}

// A source, an object or a library among the words: it is no part of how this source is compiled.
bool is_input(const std::string& word, const std::string& source) {
  constexpr std::string_view extensions[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a", ".so"};
  return !word.starts_with('-') && (fs::path(word).filename() == fs::path(source).filename() ||
                                    is_one_of(fs::path(word).extension().string(), extensions));
}

// Words of a response file. nvcc's know double quotes and backslashes; of gcc's and clang's single quotes, too.
Result<Words> words_in(const std::string& name, const std::string& folder, bool nvcc) {
  const std::string path = absolute(name, folder, false);
  constexpr std::size_t largest = std::size_t{1} << 24;
  std::optional<std::string> text = os::read_file(path, largest);
  if (!text)
    return failure(diag::error("bad-response-file", fmt::format("cannot read the response file '{}'", path),
                               {}, "configure the build again: its generator makes the file"));
  Result<Words> out = split_words(*text, nvcc ? "\"" : "\"'");
  if (!out)
    return failure(diag::error("bad-response-file",
                               fmt::format("a quote of the response file '{}' is not closed", path), {},
                               "configure the build again: its generator makes the file"));
  return out;
}

Result<void> append_expanded(Words& out, const Words& words, const std::string& folder, u32 depth) {
  constexpr u32 deepest = 16;
  auto append_file = [&](const std::string& name, bool nvcc) -> Result<void> {
    if (depth == deepest)
      return failure(diag::error("bad-response-file",
                                 fmt::format("the response file '{}' names itself", name), {},
                                 "configure the build again: its generator makes the file"));
    Result<Words> inside = words_in(name, folder, nvcc);
    return inside ? append_expanded(out, *inside, folder, depth + 1) : failure(inside.error());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    Result<void> done;
    if (std::optional<Match> found = match(words[i], response_options)) {
      const std::string value = !found->next           ? words[i].substr(found->spelled.size())
                                : i + 1 < words.size() ? words[++i]
                                                       : "";
      for (const std::string& name : pieces_of(value))
        if (done) done = append_file(name, true);
    } else if (words[i].starts_with('@')) {
      done = append_file(words[i].substr(1), false);
    } else {
      out.push_back(words[i]);
    }
    if (!done) return done;
  }
  return {};
}

} // namespace

Words with_absolute_paths(Words words, const std::string& folder, bool nvcc) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto change_value = [&](const Match& found, auto&& change) {
      if (!found.next) {
        const std::string spelled(found.spelled);
        words[i] = spelled + change(words[i].substr(spelled.size()));
      } else if (i + 1 < words.size()) {
        ++i;
        words[i] = change(words[i]);
      }
    };
    if (std::optional<Match> host = nvcc ? match(words[i], host_options) : std::nullopt) {
      change_value(*host, [&](const std::string& value) {
        return fmt::format("{}", fmt::join(with_absolute_paths(pieces_of(value), folder, false), ","));
      });
      continue;
    }
    const PathOption* option = path_option(words[i]);
    if (option == nullptr) continue;
    const Match found = *match(words[i], option->name, option->joined);
    if (nvcc || !found.spelled.ends_with('=')) // gcc's and clang's -I= is about a sysroot
      change_value(
          found, [&](const std::string& value) { return absolute_all(value, folder, option->a_file, nvcc); });
  }
  return words;
}

Result<Words> without_response_files(const Words& words, const std::string& folder) {
  Words out;
  if (Result<void> done = append_expanded(out, words, folder, 0); !done) return failure(done.error());
  return out;
}

std::optional<Compiler> cuda_compiler(const CompileCommand& command, const std::string& source) {
  bool cuda = is_cuda_source(source);
  for (std::size_t i = 0; i < command.words.size(); ++i)
    if (std::optional<Match> language = match(command.words[i], "-x", true)) {
      const std::string_view word = command.words[i], next = i + 1 < command.words.size()
                                                                 ? std::string_view(command.words[i + 1])
                                                                 : "";
      const std::string_view name = language->next ? next : word.substr(language->spelled.size());
      cuda = name == "cu" || name == "cuda";
    }
  if (!cuda) return {};
  const std::size_t before = std::min(first_option(command, source), command.words.size());
  const bool clang = std::any_of(
      command.words.begin(), command.words.begin() + static_cast<std::ptrdiff_t>(before),
      [](const std::string& word) { return fs::path(word).filename().string().starts_with("clang"); });
  return clang ? Compiler::clang : Compiler::nvcc;
}

Result<Words> options_of(const CompileCommand& command, const std::string& source) {
  const auto begin = command.words.begin() + static_cast<std::ptrdiff_t>(first_option(command, source));
  Result<Words> all = without_response_files({begin, command.words.end()}, command.folder);
  if (!all) return all;
  const bool nvcc = cuda_compiler(command, source) != Compiler::clang;
  const Words words = with_absolute_paths(std::move(*all), command.folder, nvcc);
  Words out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    std::optional<Match> found = match(word, dropped_with_value);
    if (!found && nvcc) found = match(word, warnings_as_errors);
    if (found) {
      i += found->next;
    } else if (const PathOption* option = path_option(word)) {
      out.push_back(word);
      if (word == option->name && i + 1 < words.size()) out.push_back(words[++i]);
    } else if (word == "-dc" || word == "--device-c") {
      out.emplace_back("-rdc=true"); // -c is not
    } else if (is_one_of(word, dropped) || word.starts_with("-MF") || word.starts_with("-MT") ||
               word.starts_with("-MQ") || word.starts_with("-x") || word.starts_with("-Werror") ||
               is_input(word, source)) {
      continue;
    } else {
      out.push_back(word);
    }
  }
  return out;
}

} // namespace warplens::driver
