#include "launcher/kernel_file.h"
#include "machine_code/fatbin.h"
#include "os/file.h"
#include "ptx/parse.h"
#include "translate/translate.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::launcher {
namespace {

namespace fs = std::filesystem;

Result<std::string> content_of(const std::string& path) {
  auto fail = [&](std::string_view what, std::string help) {
    return failure(
        diag::error("kernel-file-unreadable", fmt::format("'{}' {}", path, what), {}, std::move(help)));
  };
  constexpr std::size_t largest = std::size_t{1} << 30;
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return fail("does not exist", "check the path");
  if (!fs::is_regular_file(status)) return fail("is not a file", "give the file with the kernel");
  errno = 0;
  std::optional<std::string> content = os::read_file(path, largest);
  if (!content && fs::file_size(path, error) > largest) return fail("is larger than 1 GiB", "");
  if (!content) return fail(fmt::format("cannot be read: {}", std::strerror(errno)), "");
  if (content->empty()) return fail("is empty", "was it written to the end?");
  return std::move(*content);
}

Result<ir::Module> of_machine_code(const fatbin::Fatbin& images, const std::string& path, u32 sm) {
  const fatbin::CubinImage* image = fatbin::choose_machine_code(images, sm);
  if (images.machine_code.empty())
    return failure(diag::error("no-ptx", fmt::format("'{}' holds neither PTX nor linked machine code", path),
                               {}, "give the PTX: nvcc -ptx"));
  if (image == nullptr) {
    const u32 other = images.machine_code[0].sm;
    return failure(
        diag::error("no-ptx",
                    fmt::format("'{}' has machine code for {}.{} and no PTX, and the device is of {}.{}",
                                path, other / 10, other % 10, sm / 10, sm % 10),
                    {}, fmt::format("--sm {}, before the file; or give the PTX: nvcc -ptx", other)));
  }
  translate::MachineModule made = translate::translate(image->bytes, image->sm, path);
  if (made.module.functions.empty() && !made.refused.empty()) {
    const auto& [kernel, why] = *made.refused.begin();
    return failure(diag::error("no-ptx",
                               fmt::format("'{}' has only machine code, and it is not run: '{}': {}", path,
                                           ptx::demangle(kernel), why),
                               {}, "give the PTX: nvcc -ptx"));
  }
  return std::move(made.module);
}

} // namespace

Result<ir::Module> read_kernel_file(const std::string& path, u32 sm) {
  Result<std::string> content = content_of(path);
  if (!content) return failure(content.error());
  fatbin::Fatbin images;
  if (path.ends_with(".ptx")) // whatever it looks like, so that the parser says what is wrong with it
    images.ptx.push_back({0, std::move(*content), false});
  else
    images = fatbin::read_fatbin(std::as_bytes(std::span(*content)), true);
  const fatbin::PtxChoice choice = fatbin::choose_ptx(images, sm);
  if (choice.image == nullptr && !images.diagnostics.empty())
    return failure(diag::error("kernel-file-damaged",
                               fmt::format("'{}': {}", path, images.diagnostics[0].message), {},
                               "give a .ptx file, a fat binary or a cubin, written to the end"));
  if (choice.image == nullptr) return of_machine_code(images, path, sm);
  Result<ptx::Parsed> parsed = ptx::parse(choice.image->text, {path, false});
  if (!parsed) return failure(parsed.error());
  return std::move(parsed->module);
}

} // namespace warplens::launcher
