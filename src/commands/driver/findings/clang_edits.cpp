// Starts warplens-edits with a question in a file. See clang_edits.h.
#include "driver/findings/clang_edits.h"
#include "driver/findings/compile_command.h"
#include "driver/findings/gates.h"
#include "os/captured.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include "toolchain/arguments.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using fix::Answered;

// It lies beside the runtime libraries; empty where it was not built.
std::string program() {
  std::error_code error;
  const fs::path binary = fs::path(os::executable()).parent_path();
  for (const char* place :
       {"../lib/warplens/warplens-edits", "lib/warplens/warplens-edits", "lib/warplens-edits"})
    if (fs::exists(binary / place, error)) return (binary / place).lexically_normal().string();
  return {};
}

// Messages name the file as it is called from here, and take one line.
std::string told(std::string text, const std::string& file, const std::string& name) {
  if (const std::size_t at = text.find(file); at != text.npos) text.replace(at, file.size(), name);
  return text.substr(0, text.find('\n'));
}

Answered ask(const fix::Asked& asked, const std::string& name, const std::stop_token& stop) {
  const std::string editor = program();
  if (editor.empty())
    return {"edits need clang's libraries, and this build of WarpLens has none: install libclang-19-dev and "
            "llvm-19-dev, and build it again"};
  Result<os::TempDir> folder = os::TempDir::create();
  if (!folder) return {folder.error().message};
  const std::string question = folder->path() + "/asked.json", answer = folder->path() + "/answered.json";
  std::ofstream(question, std::ios::binary) << fix::json(asked);
  Result<os::Captured> end = os::run_captured({editor, question, answer}, {}, stop);
  if (!end) return {end.error().message};
  std::optional<Answered> out = fix::read_answered(os::read_file(answer).value_or(""));
  if (end->exit_code != 0 || !out)
    return {fmt::format("{} ended with {}: {}", editor, end->exit_code, told(end->output, asked.file, name))};
  if (!out->problem.empty())
    out->problem = fmt::format("clang cannot parse {}: {}", name, told(out->problem, asked.file, name));
  return *out;
}

} // namespace

fix::Editor clang_editor(std::vector<CheckInput> inputs, u32 sm, findings::SourceText text_of,
                         std::stop_token stop) {
  return [inputs = std::move(inputs), sm, text_of = std::move(text_of),
          stop = std::move(stop)](const std::string& name, const std::vector<fix::Wish>& wishes) -> Answered {
    fix::Asked asked{{}, {}, std::string(text_of(name)), wishes};
    for (const CheckInput& input :
         inputs) { // a source may be compiled in several ways: an edit is one for all of them
      if (from_here(input.path) != name || !is_source(input) || name.ends_with(".cuh")) continue;
      std::error_code error;
      asked.file = fs::canonical(input.path, error).string();
      Result<std::vector<std::string>> options = without_response_files(input.options, "");
      if (!options) return {options.error().message};
      Result<std::vector<std::vector<std::string>>> passes =
          toolchain::clang_passes(sm, toolchain::header_folder(), *options, asked.file);
      if (!passes) return {passes.error().message};
      asked.commands.insert(asked.commands.end(), passes->begin(), passes->end());
    }
    if (!asked.commands.empty()) return ask(asked, name, stop);
    return {fmt::format("{} is no source that was given, and other files may use what it declares", name)};
  };
}

} // namespace warplens::driver
