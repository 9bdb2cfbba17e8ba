// Loading: global and constant variables get device memory and their initial bytes; code is lowered when
// first launched.
#include "sim/program/program.h"
#include "sim/program/device_functions.h"
#include "sim/program/parameters.h"
#include <algorithm>
#include <cstring>

namespace warplens::sim {

using ir::StateSpace;

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() {
  if (impl_ && impl_->device && impl_->device->memory)
    for (auto [address, size] : impl_->owned) impl_->device->memory->release(address);
}
const ir::Module& Program::module() const { return impl_->module; }

namespace {

bool is_device_variable(const ir::Variable& v) {
  return !v.external && (v.space == StateSpace::global || v.space == StateSpace::constant) && v.size != 0;
}

void initialise(const Program::Impl& program, const ir::Variable& v, u64 address) {
  auto* bytes = reinterpret_cast<std::byte*>(address);
  const u64 fresh = v.size / Memory::page_size * Memory::page_size; // zero already, and best left untouched
  std::memset(bytes + fresh, 0, v.size - fresh);
  std::copy_n(v.initial.data(), std::min<u64>(v.initial.size(), v.size), bytes);
  for (const ir::Relocation& r : v.relocations) {
    if (r.offset + r.size > v.size) continue;
    u64 value = r.addend;
    if (r.variable.valid())
      value += program.variable_address[r.variable.value];
    else if (r.function.valid())
      value += function_address_base + r.function.value * function_address_step;
    std::memcpy(bytes + r.offset, &value, std::min<u32>(r.size, 8));
  }
}

} // namespace

static Result<std::unique_ptr<Program::Impl>>
load_code(ir::Module module, Device& device, const Program::GivenPlaces& given_places, bool are_initialised) {
  auto impl = std::make_unique<Program::Impl>();
  impl->module = std::move(module);
  for (ir::Function& function : impl->module.functions)
    if (find_device_function(function.name)) function.external = true;
  impl->device = &device;
  const ir::Module& m = impl->module;
  impl->variable_address.resize(m.variables.size());
  impl->code.resize(m.functions.size());
  for (std::size_t i = 0; i < m.variables.size(); ++i) {
    const ir::Variable& v = m.variables[i];
    if (!is_device_variable(v)) continue;
    std::string name = (v.space == StateSpace::constant ? "const " : "") + v.name;
    if (auto given = given_places.find(v.name); given != given_places.end()) {
      impl->variable_address[i] = given->second;
      continue;
    }
    Result<u64> address =
        device.memory->allocate(v.size, v.managed ? AllocationKind::managed : AllocationKind::symbol,
                                std::max<u64>(v.alignment, 256), name);
    if (!address) return failure(address.error());
    if (v.space == StateSpace::constant) device.memory->mark_constant(*address);
    impl->variable_address[i] = *address;
    impl->owned.push_back({*address, v.size});
  }
  for (std::size_t i = 0; i < m.variables.size(); ++i)
    if (impl->variable_address[i] != 0 && !(are_initialised && given_places.contains(m.variables[i].name)))
      initialise(*impl, m.variables[i], impl->variable_address[i]);
  for (std::size_t f = 0; f < m.functions.size(); ++f)
    if (m.functions[f].entry) impl->kernels.emplace(m.functions[f].name, ir::FunctionId(f));
  return impl;
}

Result<std::unique_ptr<Program>> Program::load(ir::Module module, Device& device,
                                               const GivenPlaces& given_places) {
  Result<std::unique_ptr<Impl>> impl = load_code(std::move(module), device, given_places, false);
  if (!impl) return failure(impl.error());
  return std::unique_ptr<Program>(new Program(std::move(*impl)));
}

Result<std::unique_ptr<Program>> Program::again(const Program& first, Device& device) {
  GivenPlaces managed;
  for (const ir::Variable& v : first.module().variables)
    if (std::optional<Symbol> symbol = v.managed ? first.symbol(v.name) : std::nullopt)
      managed[v.name] = symbol->address;
  Result<std::unique_ptr<Impl>> impl = load_code(first.module(), device, managed, true);
  if (!impl) return failure(impl.error());
  return std::unique_ptr<Program>(new Program(std::move(*impl)));
}

Result<std::unique_ptr<Program>> Program::more(const Program& program, ir::Module kernels) {
  GivenPlaces places;
  for (const ir::Variable& v : kernels.variables)
    if (std::optional<Symbol> symbol = program.symbol(v.name)) places[v.name] = symbol->address;
  Result<std::unique_ptr<Impl>> impl = load_code(std::move(kernels), *program.impl_->device, places, true);
  if (!impl) return failure(impl.error());
  return std::unique_ptr<Program>(new Program(std::move(*impl)));
}

std::optional<ir::FunctionId> Program::kernel(std::string_view name) const {
  auto found = impl_->kernels.find(name);
  if (found == impl_->kernels.end()) return std::nullopt;
  return found->second;
}

std::optional<Program::Symbol> Program::symbol(std::string_view name) const {
  ir::VariableId id = impl_->module.find_variable(name);
  if (!id.valid() || impl_->variable_address[id.value] == 0) return std::nullopt;
  return Symbol{impl_->variable_address[id.value], impl_->module.variables[id.value].size};
}

const Code& Program::Impl::code_of(ir::FunctionId id) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Code>& c = code[id.value];
  if (!c) c = lower(module, variable_address, id);
  return *c;
}

const ir::Reachable& Program::Impl::reachable(ir::FunctionId kernel) {
  std::lock_guard lock(mutex);
  auto [entry, is_new] = reached.try_emplace(kernel.value);
  if (is_new) entry->second = ir::reachable(module, kernel);
  return entry->second;
}

namespace {

// Through a pointer anything may be called, and what is not defined may print, allocate or fail an assertion.
bool computes_only_or_is_defined(const Code& code, const Op& call) {
  ir::FunctionId callee = code.calls[call.call_index()].callee;
  if (!callee.valid()) return false;
  const ir::Function& function = code.module->functions[callee.value];
  return !function.external || find_math_function(function.name).has_value();
}

// Whether an op does the same for a thread whether or not the threads of neighbouring CTAs run in lockstep
// with it.
bool runs_in_lockstep(const Code& code, const Op& op) {
  switch (op.traits().lockstep) {
  case Lockstep::never: return false;
  case Lockstep::calls: return computes_only_or_is_defined(code, op);
  case Lockstep::barriers:
    return !op.predicate().after_count && !op.form->has(ir::Modifier::red) &&
           !op.form->has(ir::Modifier::arrive);
  case Lockstep::loops: return !op.jump().spins;
  case Lockstep::always: return true;
  }
  return false;
}

} // namespace

bool Program::Impl::runs_in_lockstep(ir::FunctionId kernel) {
  std::unique_lock lock(mutex);
  if (auto known = in_lockstep.find(kernel.value); known != in_lockstep.end()) return known->second;
  lock.unlock();
  bool all = true;
  for (ir::FunctionId f : reachable(kernel).functions) {
    const Code& function = code_of(f);
    all &= std::all_of(function.ops.begin(), function.ops.end(),
                       [&](const Op& op) { return sim::runs_in_lockstep(function, op); });
  }
  lock.lock();
  return in_lockstep[kernel.value] = all;
}

u64 Program::Impl::place_shared(ir::FunctionId kernel, std::vector<u32>& offset) {
  offset.assign(module.variables.size(), 0);
  std::vector<bool> used(module.variables.size());
  for (ir::FunctionId f : reachable(kernel).functions)
    for (const ir::Operand& o : module.functions[f.value].operands)
      if (o.variable.valid()) used[o.variable.value] = true;
  u64 total = 0, alignment = 16;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ir::Variable& v = module.variables[i];
    if (!used[i] || v.space != StateSpace::shared) continue;
    if (v.size == 0) {
      alignment = std::max<u64>(alignment, v.alignment);
      continue;
    }
    total = align_up(total, std::max<u32>(v.alignment, 1));
    offset[i] = static_cast<u32>(total);
    total += v.size;
  }
  u64 dynamic = align_up(total, alignment);
  bool any_dynamic = false;
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (used[i] && module.variables[i].space == StateSpace::shared && module.variables[i].size == 0) {
      offset[i] = static_cast<u32>(dynamic);
      any_dynamic = true;
    }
  return any_dynamic ? dynamic : total;
}

ParameterLayout parameter_layout(const ir::Module& m, const ir::Function& f) {
  ParameterLayout out;
  u64 offset = 0;
  for (ir::VariableId p : f.parameters) {
    const ir::Variable& v = m.variables[p.value];
    offset = std::max<u64>(align_up(offset, std::max<u32>(v.alignment, 1)), v.offset);
    constexpr u64 most = ~u32{0}; // more than any GPU takes: whoever launches it sees that
    out.each.push_back({static_cast<u32>(std::min(offset, most)), static_cast<u32>(std::min(v.size, most))});
    offset = v.size > most ? most : std::min(offset + v.size, most);
  }
  out.bytes = static_cast<u32>(offset);
  return out;
}

// A parameter that is passed by value, and whose address the kernel takes or that it indexes by lane, is copied to local memory.
static access::LocalArray local_array(const ir::Variable& variable, const KernelInfo& info) {
  constexpr u32 structure = 16; // bytes; smaller ones are anything
  access::LocalArray out{variable.name, variable.size};
  for (u32 i = 0; i < info.parameters.size(); ++i)
    if (info.parameters[i].second == variable.size && variable.size > structure) out.parameter = i + 1;
  return out;
}

KernelInfo Program::info(ir::FunctionId id) const {
  const ir::Module& m = impl_->module;
  const ir::Function& f = m.functions[id.value];
  KernelInfo out;
  out.name = f.name;
  ParameterLayout layout = parameter_layout(m, f);
  out.parameters = std::move(layout.each);
  out.parameter_bytes = layout.bytes;
  std::vector<u32> shared;
  const u64 all_shared = impl_->place_shared(id, shared);
  out.static_shared =
      static_cast<u32>(std::min<u64>(all_shared - std::min<u64>(all_shared, f.reserved_shared), ~u32{0}));
  for (ir::FunctionId r : impl_->reachable(id).functions) {
    const ir::Function& function = m.functions[r.value];
    out.local_bytes += place_thread_variables(m, function).local_bytes;
    for (ir::VariableId v : function.variables)
      if (m.variables[v.value].space == StateSpace::local)
        out.local_arrays.push_back(local_array(m.variables[v.value], out));
  }
  out.required_threads = f.required_threads;
  out.max_threads = f.max_threads;
  out.required_cluster = f.required_cluster;
  out.explicit_cluster = f.explicit_cluster;
  // What hardware allocates comes in steps of 8, and some registers go to addresses and the calling
  // convention.
  out.registers_estimate =
      static_cast<u32>(std::min<u64>(255, align_up(impl_->code_of(id).worst_live_registers + 6, 8)));
  return out;
}

} // namespace warplens::sim
