// What a process start costs where the program carries megabytes of PTX: finding, decompressing, parsing and
// linking it. The outcome depends on nothing but the bytes of the fat binaries, the device's capability, the
// program's name and this very library, so these name the entry of the cache; a hit reads the module and
// skips all of it. Small code is parsed faster than a file is opened and never gets there.
#include "runtime/device_code.h"
#include "ir/binary.h"
#include "machine_code/assembled.h"
#include "ptx/parse.h"
#include "translate/translate.h"
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

constexpr const char* rebuild_flags =
    R"(rebuild with NVCC_APPEND_FLAGS="-lineinfo -cudart shared -gencode arch=compute_80,code=compute_80" set, so that the program carries PTX)";

constexpr u64 worth_keeping = u64{32} << 10; // bytes of fat binaries; about a millisecond's work
constexpr std::string_view kind = "module";

cache::Digest key_of(std::span<const Bytes> fatbins, const Wanted& wanted, const std::string& program) {
  cache::Hasher hasher;
  hasher.add(wanted.sm).add(static_cast<u32>(wanted.code)).add(program).add(fatbins.size());
  for (Bytes fatbin : fatbins) hasher.add(fatbin);
  return hasher.digest();
}

u64 size_of(std::span<const Bytes> fatbins) {
  u64 size = 0;
  for (Bytes fatbin : fatbins) size += fatbin.size();
  return size;
}

// An entry is a text, "90 90 0\n" (machine code, PTX, above) and a line "NAME REGISTERS" per kernel, a NUL, and the module.
std::vector<std::byte> pack(const DeviceCode& code) {
  std::string text = fmt::format("{} {} {:d}\n", code.machine_code, code.ptx_sm, code.above);
  for (const auto& [kernel, count] : code.registers) text += fmt::format("{} {}\n", kernel, count);
  std::vector<std::byte> module = ir::encode(code.module), out(text.size() + 1);
  std::memcpy(out.data(), text.c_str(), text.size() + 1);
  out.insert(out.end(), module.begin(), module.end());
  return out;
}

// "NAME 17" → name and number.
bool split_line(std::string_view line, std::string_view& name, u32& number) {
  std::size_t blank = line.rfind(' ');
  if (blank == line.npos) return false;
  name = line.substr(0, blank);
  auto [end, error] = std::from_chars(line.data() + blank + 1, line.data() + line.size(), number);
  return error == std::errc() && end == line.data() + line.size();
}

std::optional<DeviceCode> unpack(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t end = text.find('\0');
  if (end == text.npos) return {};
  text = text.substr(0, end);
  DeviceCode code;
  for (bool first = true; !text.empty(); first = false) {
    std::size_t newline = text.find('\n');
    std::string_view name;
    u32 number = 0;
    if (newline == text.npos || !split_line(text.substr(0, newline), name, number)) return {};
    text.remove_prefix(newline + 1);
    if (first) {
      code.above = number != 0;
      const char* end_of_name = name.data() + name.size();
      const char* blank = std::from_chars(name.data(), end_of_name, code.machine_code).ptr;
      if (blank != end_of_name) std::from_chars(blank + 1, end_of_name, code.ptx_sm);
    } else {
      code.registers.emplace(name, number);
    }
  }
  std::optional<ir::Module> module = ir::decode(bytes.subspan(end + 1));
  if (!module) return {};
  code.module = std::move(*module);
  return code;
}

CodeProblem no_code(const std::string& program, bool damaged) {
  if (damaged)
    return {cudaErrorInvalidKernelImage,
            diag::error("no-device-code", fmt::format("no device code of '{}' could be read", program))};
  return {cudaErrorNoKernelImageForDevice,
          diag::error("no-ptx",
                      fmt::format("'{}' holds device code only as machine code, not as PTX", program), {},
                      rebuild_flags)};
}

// Says of the module's accesses what machine code makes of them.
void hold_against_machine_code(DeviceCode& code, ir::Module& module, const fatbin::Fatbin& fatbin, u32 sm) {
  const fatbin::CubinImage* image = fatbin::choose_machine_code(fatbin, sm);
  if (image == nullptr) return;
  const fatbin::MachineCode machine{Bytes(image->bytes)};
  if (assembly::apply(module, machine).functions != 0) code.machine_code = image->sm;
}

diag::Diagnostic no_machine_code(const std::string& program, u32 sm) {
  return diag::warning(
      "no-machine-code",
      fmt::format("'{}' has no machine code for {}.{}: its PTX runs", program, sm / 10, sm % 10), {},
      fmt::format("build with -arch=sm_{}", sm));
}

constexpr u64 most_machine_code = u64{8} << 20; // bytes of one cubin: seconds, and half a gigabyte

// Machine code as modules. None: there is none, or the PTX stands in for it where some of its kernels are not translated. Notes say
// so.
std::vector<ir::Module> machine_modules(const fatbin::Fatbin& fatbin, u32 sm, bool has_ptx,
                                        const std::string& program, std::vector<diag::Diagnostic>& notes) {
  const fatbin::CubinImage* chosen = fatbin::choose_machine_code(fatbin, sm);
  if (chosen == nullptr) {
    if (has_ptx) notes.push_back(no_machine_code(program, sm));
    return {};
  }
  std::vector<ir::Module> out;
  std::map<std::string, std::string> refused;
  for (const fatbin::CubinImage& image : fatbin.machine_code) {
    if (image.sm != chosen->sm) continue;
    if (image.bytes.size() > most_machine_code) {
      refused[program] = fmt::format("{} MiB are more than the {} that are translated",
                                     image.bytes.size() >> 20, most_machine_code >> 20);
      continue;
    }
    translate::MachineModule made =
        translate::translate(Bytes(image.bytes), image.sm, fmt::format("{} (sm_{})", program, image.sm));
    refused.merge(made.refused);
    if (!made.module.functions.empty()) out.push_back(std::move(made.module));
  }
  for (const auto& [kernel, why] : refused)
    notes.push_back(diag::warning("machine-code-not-translated",
                                  fmt::format("machine code of '{}' does not run{}: {}",
                                              ptx::demangle(kernel), has_ptx ? ", its PTX does" : "", why),
                                  {},
                                  has_ptx ? "--code auto counts PTX as machine code has it" : rebuild_flags));
  if (has_ptx && !refused.empty()) return {};
  return out;
}

} // namespace

ResultOr<DeviceCode, CodeProblem> read_device_code(std::span<const Bytes> fatbins, const Wanted& wanted,
                                                   const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes) {
  DeviceCode code;
  std::vector<ir::Module> modules;
  bool damaged = false;
  for (Bytes data : fatbins) {
    fatbin::Fatbin fatbin = fatbin::read_fatbin(data, wanted.code != Code::ptx);
    code.registers.merge(fatbin.registers);
    damaged |= !fatbin.diagnostics.empty();
    for (diag::Diagnostic& diagnostic : fatbin.diagnostics) notes.push_back(std::move(diagnostic));
    fatbin::PtxChoice choice = fatbin::choose_ptx(fatbin, wanted.sm);
    // Machine code runs where it is asked for, and where there is nothing else.
    if (wanted.code == Code::machine || (wanted.code == Code::best && choice.image == nullptr))
      if (std::vector<ir::Module> machine =
              machine_modules(fatbin, wanted.sm, choice.image != nullptr, program, notes);
          !machine.empty()) {
        code.machine_code = code.ptx_sm = fatbin::choose_machine_code(fatbin, wanted.sm)->sm;
        std::ranges::move(machine, std::back_inserter(modules));
        continue;
      }
    if (!choice.image) continue;
    code.ptx_sm = choice.image->sm;
    code.above |= choice.above;
    std::vector<std::string_view> texts{choice.image->text};
    texts.insert(texts.end(), choice.image->linked.begin(), choice.image->linked.end());
    for (std::string_view text : texts) {
      Result<ptx::Parsed> parsed =
          ptx::parse(text, {fmt::format("{} (compute_{})", program, code.ptx_sm), false});
      if (!parsed) return failure(CodeProblem{cudaErrorInvalidPtx, parsed.error()});
      for (diag::Diagnostic& warning : parsed->warnings) notes.push_back(std::move(warning));
      if (wanted.code != Code::ptx) hold_against_machine_code(code, parsed->module, fatbin, wanted.sm);
      modules.push_back(std::move(parsed->module));
    }
  }
  if (modules.empty()) return failure(no_code(program, damaged));
  if (modules.size() == 1) {
    code.module = std::move(modules[0]);
    return code;
  }
  Result<ir::Module> linked = ptx::link(std::move(modules));
  if (!linked) return failure(CodeProblem{cudaErrorInvalidPtx, linked.error()});
  code.module = std::move(*linked);
  return code;
}

ResultOr<DeviceCode, CodeProblem> read_device_code(const cache::Store& store, std::span<const Bytes> fatbins,
                                                   const Wanted& wanted, const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes) {
  if (!store.enabled() || size_of(fatbins) < worth_keeping)
    return read_device_code(fatbins, wanted, program, notes);
  cache::Digest key = key_of(fatbins, wanted, program);
  if (std::optional<cache::Blob> blob = store.find(kind, key))
    if (std::optional<DeviceCode> code = unpack(blob->bytes())) return std::move(*code);
  std::size_t noted = notes.size();
  ResultOr<DeviceCode, CodeProblem> code = read_device_code(fatbins, wanted, program, notes);
  if (code && notes.size() == noted) store.put(kind, key, pack(*code));
  return code;
}

} // namespace warplens::runtime
