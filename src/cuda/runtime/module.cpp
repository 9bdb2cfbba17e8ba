// Device code of the program as a loaded sim::Program: when it is read (at the first use of something in it),
// and how kernels and variables are found in it.
#include "runtime/module.h"
#include "fold/relevance.h"
#include "ir/call_graph.h"
#include "ir/origin.h"
#include "ir/timing.h"
#include "ir/unused.h"
#include "machine_code/fatbin.h"
#include "os/environment.h"
#include "os/file.h"
#include "ptx/parse.h"
#include "ptx/stacks.h"
#include "runtime/device_code.h"
#include "runtime/host_variables.h"
#include "runtime/state.h"
#include "toolchain/find.h"
#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <tuple>

namespace warplens::runtime {
namespace {

constexpr const char* keep_ptx =
    "load the PTX instead, or keep it in the file: nvcc -fatbin -gencode arch=compute_80,code=compute_80; "
    "-lineinfo keeps it in a cubin, too";

constexpr const char* not_of_program = "of a library that you build yourself, keep the PTX (PyTorch: "
                                       "TORCH_CUDA_ARCH_LIST=\"9.0+PTX\")";

// The library that the code was linked into; empty for the program itself.
std::string library_of(const std::vector<Bytes>& fatbins) {
  Dl_info info{};
  link_map* object = nullptr;
  if (fatbins.empty() ||
      dladdr1(fatbins[0].data(), &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0)
    return {};
  return object && object->l_name ? std::string(os::file_name(object->l_name)) : "";
}

// The sites of functions that a kernel can reach. A pointer may be wrong: what calls through pointers may reach
// any site.
std::vector<access::Site> sites_of(const ir::Module& module, const ir::Reachable& kernel) {
  std::vector<const ir::Instruction*> accesses;
  std::map<ir::SiteId, std::pair<access::Array, access::Array>>
      arrays; // what is accessed, where it is copied to
  auto timing = ir::timing_dependence(module, kernel.functions);
  auto add = [&](const ir::Function& function) {
    for (const ir::Instruction& instruction : function.instructions)
      if (instruction.site.valid()) accesses.push_back(&instruction);
    auto array_of = [&](const ir::Origin& origin) {
      access::Array array = ir::array_of(module, function, origin);
      if (!array.name.empty()) array.name = ptx::variable_name(array.name);
      return array;
    };
    for (const auto& [site, origin, copied_to] : ir::origins(module, function))
      arrays[site] = {array_of(origin), array_of(copied_to)};
  };
  if (kernel.indirect)
    for (const ir::Function& function : module.functions) add(function);
  else
    for (ir::FunctionId id : kernel.functions) add(module.functions[id.value]);
  std::sort(accesses.begin(), accesses.end(),
            [](const ir::Instruction* a, const ir::Instruction* b) { return a->site < b->site; });
  ptx::SourceStacks stacks(module);
  std::vector<access::Site> out;
  out.reserve(accesses.size());
  for (const ir::Instruction* access : accesses) {
    const access::Site& site = module.sites[access->site.value];
    if (site.bytes == 0) continue; // its form does not say how much it moves: an instruction that is not run
    out.push_back(site);
    out.back().frames = stacks.at(access->location);
    auto& [array, copied_to] = arrays[access->site];
    // What PTX says of the line (translate::join) goes first. Machine code's addresses of shared memory are numbers.
    const auto is_clear = [](const access::Array& one) {
      return one.kind != access::ArrayKind::unknown && one.kind != access::ArrayKind::several;
    };
    const bool is_number = site.space == access::Space::shared && array.kind != access::ArrayKind::shared;
    if (access::is_spill(site))
      ; // no array of the program
    else if (!is_clear(site.array) && !is_number && (is_clear(array) || site.array.name.empty()))
      out.back().array = std::move(array);
    else if (!site.array.name.empty())
      out.back().array.name = ptx::variable_name(site.array.name);
    out.back().copied_to = std::move(copied_to);
    if (auto known = timing.find(access->site); known != timing.end())
      out.back().timing_dependent = known->second;
  }
  return out;
}

} // namespace

std::vector<Bytes> fatbins_of(const FatbinWrapper& wrapper) {
  constexpr u32 relocatable = 2;
  std::vector<Bytes> out;
  if (wrapper.version == relocatable && wrapper.rest) {
    // A NULL-terminated array of pointers to what was compiled, with PTX; nvcc's device linker puts machine code, if any, in `data`.
    for (auto unit = static_cast<const std::byte* const*>(wrapper.rest); *unit; ++unit)
      out.push_back(fatbin::fatbin_extent(*unit));
    if (wrapper.data) out.push_back(fatbin::fatbin_extent(wrapper.data));
  } else if (wrapper.data) {
    out.push_back(fatbin::fatbin_extent(wrapper.data));
  }
  return out;
}

const std::shared_ptr<sim::Program>& Binary::program(const Runtime& runtime) const {
  return programs.at(runtime.device->memory->in_use());
}

bool Binary::has_kernel(const Runtime& runtime, const std::string& kernel) const {
  return others.contains(kernel) || program(runtime)->kernel(kernel).has_value();
}

Binary& Binary::part(const std::string& kernel) {
  if (!others.contains(kernel)) return *this;
  std::unique_ptr<Binary>& part = parts[kernel];
  if (part == nullptr) {
    part = std::make_unique<Binary>();
    part->fatbins = fatbins;
    part->name = name;
    part->whole = this;
    part->kernel = kernel;
  }
  return *part;
}

void Binary::unload() {
  programs.clear();
  parts.clear();
  loaded = managed_ready = false;
  error = cudaSuccess;
}

cudaError_t Binary::load(Runtime& runtime) {
  if (whole != nullptr)
    if (cudaError_t error = whole->load(runtime); error != cudaSuccess) return error;
  if (!loaded || error != cudaSuccess) return load_first(runtime);
  const u32 device = runtime.memory().in_use();
  if (programs.contains(device)) return cudaSuccess;
  const sim::Program& first = *programs.begin()->second;
  Result<std::unique_ptr<sim::Program>> result =
      whole != nullptr ? sim::Program::more(*whole->program(runtime), first.module())
                       : sim::Program::again(first, *runtime.device);
  if (!result) return cudaErrorMemoryAllocation;
  programs[device] = std::move(*result);
  return cudaSuccess;
}

cudaError_t Binary::load_first(Runtime& runtime) {
  if (loaded) return error;
  loaded = true;
  const u32 sm = arch::sm(runtime.architecture());
  const std::string library = name.empty() ? library_of(fatbins) : "";
  const std::string called = !name.empty()      ? name
                             : !library.empty() ? library
                                                : std::string(os::file_name(os::executable()));
  auto fail = [&](cudaError_t code, diag::Diagnostic why) {
    reason = why.message;
    log = diag::render(why);
    runtime.say(std::move(why));
    return error = code;
  };
  std::vector<diag::Diagnostic> notes;
  const std::string ptxas = toolchain::find_ptxas(toolchain::Search::from_environment()).value_or("");
  ResultOr<DeviceCode, CodeProblem> code =
      read_device_code(runtime.cache, fatbins,
                       {sm, runtime.options.which_code(), kernel, ptxas, ptxas_options}, called, notes);
  for (diag::Diagnostic& note : notes) runtime.say(std::move(note));
  if (!code && code.error().why.kind == "no-ptx") {
    if (!name.empty()) code.error().why.help = keep_ptx;
    if (!library.empty()) code.error().why.help = not_of_program;
  }
  if (!code) return fail(code.error().error, code.error().why);
  registers = std::move(code->registers);
  ptx_sm = code->ptx_sm;
  machine_code = code->machine_code;
  assembler = std::move(code->assembler);
  untranslated = std::move(code->untranslated);
  others = std::move(code->others);
  description = ptx_sm != 0 ? fmt::format("compute_{} of {}", ptx_sm, called)
                            : fmt::format("sm_{} of {}", machine_code, called);
  if (code->above)
    description += fmt::format(" (the lowest it has; there is none for {}.{} or below)", sm / 10, sm % 10);
  if (code->above && machine_code == 0 && library.empty())
    runtime.say(diag::warning(
        "ptx-too-new",
        fmt::format("a GPU of compute capability {}.{} refuses '{}': its PTX is for {}.{} and newer", sm / 10,
                    sm % 10, called, ptx_sm / 10, ptx_sm % 10),
        {},
        fmt::format("build with -gencode arch=compute_{0},code=compute_{0}, or run with --sm {1}", sm,
                    ptx_sm)));
  Result<std::unique_ptr<sim::Program>> result =
      whole != nullptr
          ? sim::Program::more(*whole->program(runtime), std::move(code->module))
          : sim::Program::load(std::move(code->module), *runtime.device, host_variables(runtime, *this));
  if (!result) return fail(cudaErrorInvalidKernelImage, result.error());
  programs[runtime.memory().in_use()] = std::move(*result);
  if (whole == nullptr) runtime.binaries.place_managed(runtime, *this);
  return cudaSuccess;
}

cudaError_t Kernel::resolve(Runtime& runtime) {
  if (cudaError_t error = binary->load(runtime); error != cudaSuccess) return error;
  Binary& code = this->code();
  if (cudaError_t error = code.load(runtime); error != cudaSuccess) return error;
  if (function.valid()) return cudaSuccess;
  const sim::Program& program = *code.program(runtime);
  std::optional<ir::FunctionId> found = program.kernel(name);
  if (!found) {
    const auto why = code.untranslated.find(name);
    problem = why == code.untranslated.end()
                  ? "the kernel is not in the program's device code"
                  : fmt::format("its machine code is not run: {}; and there is no PTX of it", why->second);
    return cudaErrorInvalidDeviceFunction;
  }
  info = program.info(*found);
  constexpr u32 most_parameters = 32764; // bytes, since compute capability 7.0 and CUDA 12.1
  if (info.parameter_bytes > most_parameters) {
    problem = fmt::format("it has {} bytes of parameters, and no GPU takes more than {}",
                          info.parameter_bytes, most_parameters);
    return cudaErrorInvalidKernelImage;
  }
  function = *found;
  const ir::Module& module = program.module();
  ir::Reachable called = ir::reachable(module, function);
  reachable.clear();
  for (ir::FunctionId id : called.functions) reachable.insert(module.functions[id.value].name);
  sites = sites_of(module, called);
  unused.clear(), adding_one.clear(), loading_index = {};
  for (ir::FunctionId id : called.functions) {
    unused.merge(ir::unused_results(module, module.functions[id.value]));
    adding_one.merge(ir::adds_of_one(module, module.functions[id.value]));
    ir::LoadedIndices loaded = ir::loaded_indices(module, module.functions[id.value]);
    loading_index.all.merge(loaded.all), loading_index.links.merge(loaded.links);
  }
  reaching.reset();
  return cudaSuccess;
}

const std::vector<bool>& Kernel::reaches() const {
  if (!reaching) {
    const ir::Module& module = code().programs.begin()->second->module();
    reaching = fold::relevant_parameters(module, module.functions[function.value]);
  }
  return *reaching;
}

u32 Kernel::registers() const {
  const std::map<std::string, u32>& counted = code().registers;
  auto known = counted.find(name);
  return known != counted.end() ? known->second : info.registers_estimate;
}

Kernel* Binaries::kernel(const void* function_or_handle) const {
  if (auto found = kernels.find(function_or_handle); found != kernels.end()) return found->second.get();
  for (const auto& [host, kernel] : kernels)
    if (kernel.get() == function_or_handle) return kernel.get();
  return nullptr;
}

void Binaries::remove(Binary* binary) {
  std::erase_if(kernels, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(variables, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(all, [&](const auto& entry) { return entry.get() == binary; });
}

void Binaries::unload() {
  for (const auto& binary : all) binary->unload();
  for (const auto& [host, kernel] : kernels) kernel->function = {};
}

void Binaries::unload(u32 device) {
  for (const auto& binary : all) {
    if (binary->programs.size() <= 1) continue; // the last one keeps the code, and managed variables
    binary->programs.erase(device);
    for (const auto& [kernel, part] : binary->parts)
      if (part->programs.erase(device); part->programs.empty()) part->unload();
  }
}

void Binaries::place_managed(Runtime& runtime, Binary& binary) {
  if (binary.managed_ready) return;
  binary.managed_ready = true;
  for (auto& [host, variable] : variables) {
    if (variable.binary != &binary || !variable.managed) continue;
    if (binary.load(runtime) != cudaSuccess) return;
    if (std::optional<sim::Program::Symbol> symbol = binary.program(runtime)->symbol(variable.name))
      *variable.managed = reinterpret_cast<void*>(symbol->address);
  }
}

ResultOr<Placed, cudaError_t> find_symbol(Runtime& runtime, const void* host_address) {
  auto found = runtime.binaries.variables.find(host_address);
  if (found == runtime.binaries.variables.end()) {
    // A managed variable may be named by the value of its host pointer.
    for (auto& [host, variable] : runtime.binaries.variables)
      if (variable.managed && *variable.managed == host_address && host_address)
        return Placed{reinterpret_cast<u64>(host_address), variable.size};
    return failure(cudaErrorInvalidSymbol);
  }
  const Variable& variable = found->second;
  if (cudaError_t error = variable.binary->load(runtime); error != cudaSuccess)
    return failure(std::move(error));
  std::optional<sim::Program::Symbol> symbol = variable.binary->program(runtime)->symbol(variable.name);
  if (!symbol) return failure(cudaErrorInvalidSymbol);
  return Placed{symbol->address, symbol->size ? symbol->size : variable.size};
}

} // namespace warplens::runtime
