// One reader for each kind of input. See check_inputs.h; what of a compile command matters: compile_command.h.
#include "driver/findings/check_inputs.h"
#include "driver/findings/compile_command.h"
#include "driver/program/source_program.h"
#include "machine_code/fatbin.h"
#include "os/elf.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest = std::size_t{1} << 30;

diag::Diagnostic unreadable(const std::string& path, std::string_view why) {
  return diag::error("no-input", fmt::format("'{}' {}", path, why), {},
                     "give a .ptx, .cu or .cuh file, a folder of them, a program, or compile_commands.json");
}

// The text that is not in the file, in a file of ours whose lines and messages are said to be those of the real one.
Result<std::string> written_aside(const CheckInput& input, const std::string& folder) {
  std::string name;
  for (char c : input.path) name += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  const std::string path = folder + "/" + fs::path(input.path).filename().string();
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("#line 1 \"{}\"\n", name) << *input.text;
  file.close();
  if (file) return path;
  return failure(diag::error("no-input", fmt::format("cannot write '{}'", path), {},
                             "check the space on the disk, or set TMPDIR"));
}

Result<std::vector<PtxText>> compiled(const CheckInput& input, const CompileFor& how,
                                      const std::function<void(std::string_view)>& said) {
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return failure(folder.error());
  toolchain::CompileRequest request;
  request.source = input.path;
  request.stop = how.stop;
  if (input.text) {
    Result<std::string> copy = written_aside(input, folder->path());
    if (!copy) return failure(copy.error());
    request.source = *copy;
    request.quoted = fs::absolute(input.path).parent_path().string();
  }
  const bool automatic = how.compiler == toolchain::Compiler::automatic;
  request.compiler =
      automatic && input.compiler == toolchain::Compiler::clang ? *input.compiler : how.compiler;
  request.sm = how.sm;
  Result<std::vector<std::string>> options = without_response_files(input.options, "");
  if (!options) return failure(options.error());
  request.options = std::move(*options);
  request.folder = folder->path();
  request.headers = toolchain::header_folder();
  request.on_output = said;
  const cache::Store store(how.cache);
  if (store.enabled() && !input.text) request.cache = &store; // what is aside has another name each time
  Result<std::string> ptx = toolchain::compile_to_ptx(request);
  if (!ptx) return failure(ptx.error());
  return std::vector<PtxText>{{input.path, std::move(*ptx)}};
}

// The kernels that PTX text defines, by their mangled names.
std::set<std::string> kernels_of(std::string_view text) {
  constexpr std::string_view word = ".entry";
  std::set<std::string> out;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos;) {
    at = text.find_first_not_of(" \t\r\n", at + word.size());
    if (at == text.npos) break;
    out.emplace(text.substr(at, text.find_first_of(" \t\r\n(", at) - at));
  }
  return out;
}

// One version of each: the highest not above the wanted one; and of a cubin the copy that -lineinfo leaves in it, where it has
// kernels that no PTX has.
std::vector<PtxText> chosen(const fatbin::Fatbin& images, u32 sm, const std::string& path) {
  u32 best = 0;
  for (const fatbin::PtxImage& image : images.ptx)
    if (image.sm <= sm) best = std::max(best, image.sm);
  std::vector<PtxText> out;
  std::set<std::string> known;
  for (const bool copies : {false, true})
    for (const fatbin::PtxImage& image : images.ptx) {
      if (image.from_cubin != copies || (best != 0 && image.sm != best && image.sm != 0)) continue;
      std::set<std::string> kernels = kernels_of(image.text);
      if (copies && std::ranges::includes(known, kernels)) continue;
      known.merge(kernels);
      out.push_back({path, image.text});
    }
  return out;
}

// Every fat binary of a program, or what a fat binary or cubin is itself.
Result<std::vector<PtxText>> embedded(const std::string& path, u32 sm) {
  std::optional<std::string> content = os::read_file(path, largest);
  if (!content) return failure(unreadable(path, fs::exists(path) ? "cannot be read" : "does not exist"));
  fatbin::Fatbin images;
  std::optional<os::Elf> elf = os::Elf::parse(std::as_bytes(std::span(*content)));
  bool program = false;
  if (elf)
    for (const os::Elf::Section& section : elf->sections())
      if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin" || section.name == ".hip_fatbin") {
        program = true;
        fatbin::append(images, fatbin::read_fatbin(section.data));
      }
  if (!program) images = fatbin::read_fatbin(std::as_bytes(std::span(*content)));
  std::vector<PtxText> out = chosen(images, sm, path);
  if (!out.empty()) return out;
  return failure(diag::error(
      "no-ptx", fmt::format("'{}' holds no PTX", path), {},
      "check reads PTX, which nvcc keeps with -gencode arch=compute_80,code=compute_80; or give the source"));
}

// As much as a file may have: what never ends is neither PTX nor a source.
Result<std::string> from_stdin() {
  std::string text;
  char buffer[1 << 16];
  while (std::cin.read(buffer, sizeof buffer) || std::cin.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
    if (text[0] == '\0') break; // /dev/zero has no end; nothing begins so
    if (text.size() > largest) return failure(unreadable("-", "is too large for PTX"));
  }
  return text;
}

// PTX begins with a directive, behind comments; no CUDA source begins with a dot. What is empty or no text is not one, either.
bool is_source(std::string_view text) {
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != text.npos;) {
    const std::string_view rest = text.substr(at);
    const bool line = rest.starts_with("//");
    if (!line && !rest.starts_with("/*")) return rest[0] != '.' && rest[0] != '\0';
    const std::size_t end = text.find(line ? "\n" : "*/", at + 2);
    if (end == text.npos) return false;
    at = end + (line ? 1 : 2);
  }
  return false;
}

std::string_view what_it_is(const fs::path& path) {
  std::error_code error;
  switch (fs::status(path, error).type()) {
  case fs::file_type::directory: return "a folder";
  case fs::file_type::fifo: return "a pipe";
  case fs::file_type::socket: return "a socket";
  case fs::file_type::block:
  case fs::file_type::character: return "a device";
  case fs::file_type::not_found: return "a link that leads nowhere";
  default: return "nothing that can be read";
  }
}

// Called like a source, and none, or a folder that cannot be read: it is named, and fails nothing.
CheckInput left_out(const fs::path& path, std::string_view why) {
  CheckInput out{.path = path.lexically_normal().string(), .options = {}};
  out.error = diag::warning("left-out", fmt::format("'{}' is left out: it {}", out.path, why));
  return out;
}

Result<std::vector<CheckInput>> sources_below(const std::string& folder,
                                              const std::vector<std::string>& options) {
  std::vector<CheckInput> out;
  std::error_code error;
  for (std::vector<fs::path> folders{folder}; !folders.empty();) {
    const fs::path here = std::move(folders.back());
    folders.pop_back();
    error.clear();
    for (fs::directory_iterator it(here, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with('.')) continue;
      std::error_code unknown;
      const bool source = it->path().extension() == ".cu";
      if (it->is_directory(unknown) && !it->is_symlink(unknown)) folders.push_back(it->path());
      if (source && it->is_regular_file(unknown))
        out.push_back({(it->path()).lexically_normal().string(), options});
      else if (source)
        out.push_back(left_out(it->path(), fmt::format("is {}", what_it_is(it->path()))));
    }
    if (error && here == fs::path(folder)) return failure(unreadable(folder, "cannot be read"));
    if (error && error != std::errc::no_such_file_or_directory) // which was removed in the meantime
      out.push_back(left_out(here, "cannot be read"));
  }
  if (std::ranges::all_of(out, [](const CheckInput& input) { return input.error.has_value(); })) {
    diag::Diagnostic none = unreadable(folder, "holds no .cu file");
    for (const CheckInput& input : out) none.notes.push_back(input.error->message);
    if (const fs::path commands = fs::path(folder) / "compile_commands.json"; fs::exists(commands, error))
      none.help = fmt::format("its compile commands name sources: give '{}'", commands.string());
    return failure(std::move(none));
  }
  std::ranges::sort(out, {}, &CheckInput::path);
  return out;
}

// A file by the name that messages show: without "..", where that leads to the same.
std::string tidy(const fs::path& file) {
  std::error_code error;
  const fs::path normal = file.lexically_normal();
  return !fs::exists(file, error) || fs::equivalent(file, normal, error) ? normal.string() : file.string();
}

// One entry of compile_commands.json; none where it compiles no CUDA source. `here`: the folder of that file.
Result<std::optional<CheckInput>> entry(const nlohmann::json& one, const fs::path& here) {
  auto malformed = [](std::string_view what) {
    return failure(diag::error("bad-compile-commands", std::string(what)));
  };
  if (!one.is_object()) return malformed("is not an object");
  for (const char* name : {"file", "directory", "command"})
    if (one.contains(name) && !one[name].is_string())
      return malformed(fmt::format("has a \"{}\" that is no text", name));
  const std::string file = one.value("file", std::string());
  if (file.empty()) return malformed("names no file");
  CompileCommand command;
  command.folder = (here / one.value("directory", std::string())).lexically_normal().string();
  if (auto arguments = one.find("arguments"); arguments != one.end()) {
    const bool texts = arguments->is_array() && std::ranges::all_of(*arguments, &nlohmann::json::is_string);
    if (!texts) return malformed("has \"arguments\" that are no list of texts");
    command.words = arguments->get<std::vector<std::string>>();
  } else {
    Result<std::vector<std::string>> words = split_words(one.value("command", std::string()));
    if (!words) return malformed("has a \"command\" with a quote that is not closed");
    command.words = std::move(*words);
  }
  std::optional<toolchain::Compiler> compiler = cuda_compiler(command, file);
  if (!compiler) return std::optional<CheckInput>();
  CheckInput out{.path = tidy(fs::path(command.folder) / file), .options = {}, .compiler = compiler};
  if (Result<std::vector<std::string>> options = options_of(command, file))
    out.options = std::move(*options);
  else
    out.error = options.error();
  return std::optional(std::move(out));
}

} // namespace

bool is_source(const CheckInput& input) { return input.compiler || is_cuda_source(input.path); }

Result<std::vector<CheckInput>> compile_commands(std::string_view text, const std::string& path) {
  const char* help = "CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
  nlohmann::json commands = nlohmann::json::parse(text, nullptr, false);
  if (!commands.is_array())
    return failure(diag::error("bad-compile-commands",
                               fmt::format("'{}' is not a list of compile commands", path), {}, help));
  std::vector<CheckInput> out;
  std::set<std::pair<std::string, std::vector<std::string>>> known;
  std::error_code error;
  const fs::path here = fs::absolute(path, error).parent_path();
  for (const nlohmann::json& one : commands) {
    Result<std::optional<CheckInput>> input = entry(one, here);
    if (!input)
      return failure(diag::error(
          "bad-compile-commands",
          fmt::format("entry {} of '{}' {}", &one - &commands[0] + 1, path, input.error().message), {},
          help));
    if (*input && known.emplace((*input)->path, (*input)->options).second) out.push_back(std::move(**input));
  }
  if (out.empty()) return failure(unreadable(path, "names no CUDA source"));
  return out;
}

Result<std::vector<CheckInput>> inputs_in(const std::string& path, const std::vector<std::string>& options,
                                          const std::function<bool(const std::string&)>& wanted) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && !path.ends_with(".json")) return std::vector<CheckInput>{{path, options}};
  std::optional<std::string> text = folder ? std::nullopt : os::read_file(path, largest);
  if (!folder && !text)
    return failure(unreadable(path, fs::exists(path, error) ? "cannot be read" : "does not exist"));
  Result<std::vector<CheckInput>> out = folder ? sources_below(path, options) : compile_commands(*text, path);
  if (!out) return out;
  if (wanted) std::erase_if(*out, [&](const CheckInput& input) { return !wanted(input.path); });
  if (!folder)
    for (CheckInput& input : *out) input.options.insert(input.options.end(), options.begin(), options.end());
  return out;
}

Result<std::vector<PtxText>> read_ptx(const CheckInput& input, const CompileFor& how,
                                      const std::function<void(std::string_view)>& said) {
  if (input.error) return failure(*input.error);
  if (input.path == "-") {
    Result<std::string> text = from_stdin();
    if (!text) return failure(text.error());
    if (!is_source(*text)) return std::vector<PtxText>{{"<stdin>", std::move(*text)}};
    return compiled({"<stdin>.cu", input.options, std::move(*text)}, how, said);
  }
  if (input.text && input.path.ends_with(".ptx")) return std::vector<PtxText>{{input.path, *input.text}};
  if (input.text && is_source(input)) return compiled(input, how, said);
  std::error_code error;
  if (!fs::exists(input.path, error)) return failure(unreadable(input.path, "does not exist"));
  if (!fs::is_regular_file(input.path, error)) return failure(unreadable(input.path, "is not a file"));
  if (is_source(input)) return compiled(input, how, said);
  if (!input.path.ends_with(".ptx")) return embedded(input.path, how.sm);
  std::optional<std::string> text = os::read_file(input.path, largest);
  if (!text) return failure(unreadable(input.path, "cannot be read"));
  return std::vector<PtxText>{{input.path, std::move(*text)}};
}

} // namespace warplens::driver
