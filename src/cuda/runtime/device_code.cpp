// What a process start costs where the program carries megabytes of PTX: finding, decompressing, parsing and
// linking it. The outcome depends on nothing but the bytes of the fat binaries, the device's capability, the
// program's name and this very library, so these name the entry of the cache; a hit reads the module and
// skips all of it. Small code is parsed faster than a file is opened and never gets there.
#include "runtime/device_code.h"
#include "ir/module_bytes.h"
#include "machine_code/cubin.h"
#include "os/no_write_signals.h"
#include "ptx/parse.h"
#include "toolchain/compile_cache.h"
#include "toolchain/ptxas.h"
#include "translate/translate.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

constexpr const char* rebuild_flags =
    R"(rebuild with NVCC_APPEND_FLAGS="-lineinfo -cudart shared -gencode arch=compute_80,code=compute_80" set, so that the program carries PTX)";

constexpr u64 worth_keeping = u64{32} << 10; // bytes of fat binaries; about a millisecond's work
constexpr std::string_view kind = "module";

// None where it is not known which ptxas that is.
std::optional<cache::Digest> key_of(std::span<const Bytes> fatbins, const Wanted& wanted,
                                    const std::string& program) {
  cache::Hasher hasher;
  if (!wanted.ptxas.empty()) {
    const std::optional<toolchain::Binary> ptxas = toolchain::binary_behind(wanted.ptxas);
    if (!ptxas) return {};
    hasher.add(ptxas->identity);
  }
  for (const std::string& option : wanted.ptxas_options) hasher.add(option);
  hasher.add(wanted.sm)
      .add(static_cast<u32>(wanted.code))
      .add(wanted.kernel)
      .add(program)
      .add(fatbins.size());
  for (Bytes fatbin : fatbins) hasher.add(fatbin);
  return hasher.digest();
}

u64 size_of(std::span<const Bytes> fatbins) {
  u64 size = 0;
  for (Bytes fatbin : fatbins) size += fatbin.size();
  return size;
}

// An entry is a text, "90 90 0\n" (machine code, PTX, above), a line "NAME REGISTERS" per kernel, a line "\tNAME WHY" per kernel whose
// machine code is not run, a line " NAME" per kernel to be asked for, a line "@ASSEMBLER", a NUL, and the module.
std::vector<std::byte> pack(const DeviceCode& code) {
  std::string text = fmt::format("{} {} {:d}\n", code.machine_code, code.ptx_sm, code.above);
  for (const auto& [kernel, count] : code.registers) text += fmt::format("{} {}\n", kernel, count);
  for (const auto& [kernel, why] : code.untranslated) text += fmt::format("\t{} {}\n", kernel, why);
  for (const std::string& kernel : code.others) text += fmt::format(" {}\n", kernel);
  text += fmt::format("@{}\n", code.assembler);
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
    if (newline == text.npos) return {};
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline + 1);
    if (line.starts_with('\t')) {
      const std::size_t blank = line.find(' ');
      if (blank == line.npos) return {};
      code.untranslated.emplace(line.substr(1, blank - 1), line.substr(blank + 1));
      continue;
    }
    if (line.starts_with('@')) {
      code.assembler = line.substr(1);
      continue;
    }
    if (line.starts_with(' ')) {
      code.others.emplace(line.substr(1));
      continue;
    }
    if (!split_line(line, name, number)) return {};
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

CodeProblem no_code(const std::string& program, bool damaged, const DeviceCode& code) {
  if (damaged)
    return {cudaErrorInvalidKernelImage,
            diag::error("no-device-code", fmt::format("no device code of '{}' could be read", program))};
  std::string what = fmt::format("'{}' holds device code only as machine code, not as PTX", program);
  if (!code.untranslated.empty()) {
    const auto& [kernel, why] = *code.untranslated.begin();
    what += fmt::format("; and it is not run: '{}': {}", ptx::demangle(kernel), why);
  }
  return {cudaErrorNoKernelImageForDevice, diag::error("no-ptx", what, {}, rebuild_flags)};
}

diag::Diagnostic no_machine_code(const std::string& program, u32 sm) {
  return diag::warning(
      "no-machine-code",
      fmt::format("'{}' has no machine code for {}.{}: its PTX runs", program, sm / 10, sm % 10), {},
      fmt::format("build with -arch=sm_{}", sm));
}

// A driver does not read debug information: the GPU refuses such code.
std::optional<diag::Diagnostic> only_in_debug_information(const fatbin::Fatbin& fatbin,
                                                          const fatbin::PtxChoice& choice, u32 sm,
                                                          const std::string& program) {
  if (!choice.image->from_cubin || choice.above || fatbin.machine_code.empty() ||
      fatbin::choose_machine_code(fatbin, sm) != nullptr)
    return {};
  const u32 other = fatbin.machine_code[0].sm;
  return diag::warning(
      "ptx-of-debug-information",
      fmt::format("a GPU of compute capability {}.{} refuses '{}': it has machine code for {}.{}. Counted is "
                  "what the PTX in its debug information (-lineinfo) gives for {}.{}",
                  sm / 10, sm % 10, program, other / 10, other % 10, sm / 10, sm % 10),
      {}, fmt::format("--sm {} counts its machine code; or build for this GPU: -arch=sm_{}", other, sm));
}

bool wants_machine_code(const Wanted& wanted) {
  return wanted.code == Code::best || wanted.code == Code::machine;
}

// Gives a fat binary that has PTX alone the machine code that a driver would make of it.
void make_machine_code(fatbin::Fatbin& fatbin, const fatbin::PtxChoice& choice, const Wanted& wanted,
                       const std::string& program, DeviceCode& code, std::vector<diag::Diagnostic>& notes,
                       const cache::Store* store) {
  if (wanted.ptxas.empty() || !wants_machine_code(wanted) || choice.above || !choice.image->linked.empty())
    return;
  const os::NoWriteSignals guard;
  Result<toolchain::Assembled> made =
      toolchain::assemble(wanted.ptxas, choice.image->text, wanted.sm, wanted.ptxas_options, store);
  if (!made) {
    // clang without a toolkit leaves the functions of nvcc's library to whoever links.
    const bool by_clang =
        made.error().message.find("extern function '__nv_") != std::string::npos &&
        std::filesystem::exists(std::filesystem::path(wanted.ptxas).replace_filename("nvcc"));
    notes.push_back(diag::note(
        "ptx-not-assembled", fmt::format("'{}' is counted as PTX: {}", program, made.error().message), {},
        by_clang ? "--compiler nvcc brings that function along; --code ptx asks for no machine code"
                 : "WARPLENS_PTXAS=/path/to/ptxas names another one; --code ptx asks for none"));
    return;
  }
  code.assembler = made->by;
  fatbin.machine_code.push_back({wanted.sm, std::move(made->cubin)});
}

constexpr u64 most_at_once = u64{8} << 20; // bytes of one cubin: seconds, and half a gigabyte

// Is there more machine code than is translated at once? Then kernels are read one by one, and PTX for those alone that need it.
bool is_large(const fatbin::Fatbin& fatbin, const Wanted& wanted) {
  const fatbin::CubinImage* image = fatbin::choose_machine_code(fatbin, wanted.sm);
  return image != nullptr && image->bytes.size() > most_at_once && wants_machine_code(wanted);
}

// The kernels of a fat binary's machine code for a capability, as modules; their registers go to `code`. Of those that are
// not translated, `why` says why. `only`: that kernel (translate.h).
std::vector<ir::Module> machine_modules(const fatbin::Fatbin& fatbin, u32 sm, const std::string& program,
                                        std::span<const ir::Module> ptx, DeviceCode& code,
                                        std::map<std::string, std::string>& why,
                                        std::optional<std::string_view> only) {
  std::vector<ir::Module> out;
  for (const fatbin::CubinImage& image : fatbin.machine_code) {
    if (image.sm != sm) continue;
    translate::MachineModule made = translate::translate(
        Bytes(image.bytes), image.sm, fmt::format("{} (sm_{})", program, image.sm), ptx, only);
    why.merge(made.refused);
    const bool none_yet = only && only->empty();
    if (none_yet) code.others.merge(made.others);
    // Those of other architectures' code are others.
    for (const auto& [kernel, count] : fatbin::registers_of(Bytes(image.bytes)))
      code.registers.insert_or_assign(kernel, count);
    if (!made.module.functions.empty() || (none_yet && !code.others.empty()))
      out.push_back(std::move(made.module));
  }
  return out;
}

// Adds the module of a text, or those that nvlink joined.
std::optional<diag::Diagnostic> parse(const fatbin::PtxImage& image, const std::string& program,
                                      std::vector<ir::Module>& modules,
                                      std::vector<diag::Diagnostic>& notes) {
  std::vector<std::string_view> texts{image.text};
  texts.insert(texts.end(), image.linked.begin(), image.linked.end());
  for (std::string_view text : texts) {
    Result<ptx::Parsed> parsed = ptx::parse(text, {fmt::format("{} (compute_{})", program, image.sm), false});
    if (!parsed) return parsed.error();
    for (diag::Diagnostic& warning : parsed->warnings) notes.push_back(std::move(warning));
    modules.push_back(std::move(parsed->module));
  }
  return {};
}

// Whether others define every function that these do, and there is one.
bool defines_nothing_new(const std::vector<ir::Module>& known, const std::vector<ir::Module>& modules) {
  std::set<std::string_view> names;
  for (const ir::Module& m : known)
    for (const ir::Function& f : m.functions)
      if (!f.external) names.insert(f.name);
  bool any = false;
  for (const ir::Module& m : modules)
    for (const ir::Function& f : m.functions) {
      if (f.external) continue;
      any = true;
      if (!names.contains(f.name)) return false;
    }
  return any;
}

// Kernels of the PTX that the machine code has not.
void note_missing(const std::vector<ir::Module>& ptx, const std::vector<ir::Module>& machine,
                  std::map<std::string, std::string>& why) {
  std::set<std::string_view> there;
  for (const ir::Module& m : machine)
    for (const ir::Function& f : m.functions) there.insert(f.name);
  for (const ir::Module& m : ptx)
    for (const ir::Function& f : m.functions)
      if (f.entry && !there.contains(f.name)) why.try_emplace(f.name, "it is not in the machine code");
}

// Kernels as machine code has them, the others as PTX has them, in one module. No modules of PTX: machine code alone.
Result<ir::Module> together(std::vector<ir::Module> ptx, std::vector<ir::Module> machine) {
  Result<ir::Module> out = ptx.empty()       ? ptx::link(std::exchange(machine, {}))
                           : ptx.size() == 1 ? Result<ir::Module>(std::move(ptx[0]))
                                             : ptx::link(std::move(ptx));
  if (!out || machine.empty()) return out;
  return translate::join(std::move(*out), std::move(machine));
}

} // namespace

ResultOr<DeviceCode, CodeProblem> read_device_code(std::span<const Bytes> fatbins, const Wanted& wanted,
                                                   const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes,
                                                   const cache::Store* store) {
  DeviceCode code;
  std::vector<ir::Module> ptx, machine;
  std::vector<fatbin::Fatbin> read;
  bool damaged = false, large = false;
  for (Bytes data : fatbins) {
    fatbin::Fatbin& fatbin = read.emplace_back(fatbin::read_fatbin(data, wanted.code != Code::ptx));
    code.registers.merge(fatbin.registers);
    damaged |= !fatbin.diagnostics.empty();
    for (diag::Diagnostic& diagnostic : fatbin.diagnostics) notes.push_back(std::move(diagnostic));
    large |= is_large(fatbin, wanted);
  }
  // Of files that were compiled apart, nvlink's machine code holds all.
  const bool has_machine_code = std::ranges::any_of(read, [&](const fatbin::Fatbin& fatbin) {
    return fatbin::choose_machine_code(fatbin, wanted.sm) != nullptr;
  });
  for (fatbin::Fatbin& fatbin : read) {
    const fatbin::PtxChoice choice = fatbin::choose_ptx(fatbin, wanted.sm);
    if (!choice.image) continue;
    if (large) {
      code.ptx_sm = choice.image->sm;
      continue;
    }
    std::vector<ir::Module> modules;
    if (std::optional<diag::Diagnostic> problem = parse(*choice.image, program, modules, notes))
      return failure(CodeProblem{cudaErrorInvalidPtx, std::move(*problem)});
    if (fatbins.size() > 1 && defines_nothing_new(ptx, modules)) continue; // what nvlink made of the others
    code.ptx_sm = choice.image->sm;
    code.above |= choice.above;
    std::ranges::move(modules, std::back_inserter(ptx));
    if (std::optional<diag::Diagnostic> note = only_in_debug_information(fatbin, choice, wanted.sm, program))
      notes.push_back(std::move(*note));
    if (!has_machine_code) make_machine_code(fatbin, choice, wanted, program, code, notes, store);
  }
  for (const fatbin::Fatbin& fatbin : read) {
    const fatbin::CubinImage* image = fatbin::choose_machine_code(fatbin, wanted.sm);
    if (image == nullptr || (wanted.code == Code::ptx_first && !ptx.empty())) continue;
    std::map<std::string, std::string> why;
    const std::optional<std::string_view> only =
        ptx.empty() ? std::optional<std::string_view>(wanted.kernel) : std::nullopt;
    std::vector<ir::Module> modules = machine_modules(fatbin, image->sm, program, ptx, code, why, only);
    if (modules.empty() && why.empty()) continue; // an image around PTX alone
    code.machine_code = image->sm;
    code.untranslated.merge(why);
    std::ranges::move(modules, std::back_inserter(machine));
  }
  if (machine.empty() && large && code.ptx_sm != 0 && !wanted.kernel.empty()) {
    Wanted instead = wanted;
    instead.code = Code::ptx;
    ResultOr<DeviceCode, CodeProblem> from_ptx = read_device_code(fatbins, instead, program, notes);
    if (from_ptx) {
      from_ptx->machine_code = code.machine_code;
      from_ptx->untranslated = std::move(code.untranslated);
    }
    return from_ptx;
  }
  if (ptx.empty() && machine.empty()) return failure(no_code(program, damaged, code));
  if (code.machine_code != 0) note_missing(ptx, machine, code.untranslated);
  if (code.machine_code == 0 && wanted.code == Code::machine)
    notes.push_back(no_machine_code(program, wanted.sm));
  Result<ir::Module> module = together(std::move(ptx), std::move(machine));
  if (!module) return failure(CodeProblem{cudaErrorInvalidPtx, module.error()});
  code.module = std::move(*module);
  return code;
}

ResultOr<DeviceCode, CodeProblem> read_device_code(const cache::Store& store, std::span<const Bytes> fatbins,
                                                   const Wanted& wanted, const std::string& program,
                                                   std::vector<diag::Diagnostic>& notes) {
  const std::optional<cache::Digest> key =
      store.enabled() && size_of(fatbins) >= worth_keeping ? key_of(fatbins, wanted, program) : std::nullopt;
  if (!key) return read_device_code(fatbins, wanted, program, notes, &store);
  if (std::optional<cache::Blob> blob = store.find(kind, *key))
    if (std::optional<DeviceCode> code = unpack(blob->bytes())) return std::move(*code);
  std::size_t noted = notes.size();
  ResultOr<DeviceCode, CodeProblem> code = read_device_code(fatbins, wanted, program, notes, &store);
  if (code && notes.size() == noted) store.put(kind, *key, pack(*code));
  return code;
}

} // namespace warplens::runtime
