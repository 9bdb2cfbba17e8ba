// A launch against the device: its shape, its clusters, its memory. Whatever does not fit is said before anything runs; what does is
// laid out: shared variables, batches, local memory, the grid-wide barrier's words.
#include "sim/grid/prepare.h"
#include "sim/grid/batch.h"
#include "sim/program/program.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {

const std::string& kernel_name(const LaunchState& launch) {
  return launch.options.name.empty() ? launch.entry->function->name : launch.options.name;
}
namespace {

// Registers, or parameters of calls, of one CTA in the emulator: a bound on what a damaged module can ask
// for.
constexpr u64 most_cta_bytes = u64{1} << 30;

// Shared memory that a GPU keeps for the system, of which kernels may use a part (%reserved_smem_offset_1): cooperative
// groups of more than a warp do. A GPU has it in front of a kernel's own, here it is behind, for those that ask.
constexpr u64 reserved_shared = 1024;

bool uses_reserved_shared(const LaunchState& launch) {
  for (ir::FunctionId id : launch.program.reachable(launch.spec.kernel).functions)
    for (const ir::Operand& o : launch.program.module.functions[id.value].operands)
      if (o.kind == ir::Operand::Kind::special && o.special == ir::Special::reserved_smem_offset_1)
        return true;
  return false;
}

// What the kernel needs, against what a device has; places its shared variables. Empty when it fits.
std::string too_large(LaunchState& launch) {
  const LaunchSpec& spec = launch.spec;
  const std::string& name = kernel_name(launch);
  u64 shared = launch.program.place_shared(spec.kernel, launch.shared_offset);
  const u64 fixed = shared - std::min<u64>(shared, launch.entry->function->reserved_shared);
  if (fixed + spec.dynamic_shared > launch.device.shape.max_shared_per_cta)
    return fmt::format(
        "kernel '{}' needs {} bytes of shared memory ({} static, {} dynamic); a block can have {}", name,
        fixed + spec.dynamic_shared, fixed, spec.dynamic_shared, launch.device.shape.max_shared_per_cta);
  launch.shared_bytes = static_cast<u32>(shared);
  const u64 own = shared + spec.dynamic_shared;
  launch.shared_granted = align_up(own, launch.device.shape.shared_allocation_unit);
  launch.shared_stride = launch.shared_granted;
  if (uses_reserved_shared(launch))
    launch.shared_stride = std::max(launch.shared_granted, align_up(own, 64) + reserved_shared);
  for (ir::FunctionId id : launch.program.reachable(spec.kernel).functions) {
    const ir::Module& module = launch.program.module;
    const ir::Function& function = module.functions[id.value];
    u64 local = 0, calls = 0;
    for (ir::VariableId v : function.variables) {
      if (module.variables[v.value].space == ir::StateSpace::local) local += module.variables[v.value].size;
      if (module.variables[v.value].space == ir::StateSpace::param) calls += module.variables[v.value].size;
    }
    if (local > most_local_bytes)
      return fmt::format("'{}' needs {} bytes of local memory per thread; a thread can have {}",
                         function.name, local, most_local_bytes);
    if (calls * spec.block.count() > most_cta_bytes)
      return fmt::format("'{}' passes {} bytes of parameters to functions", function.name, calls);
  }
  u64 registers = 0;
  for (u8 bits : launch.entry->slot_bits)
    registers += storage_bytes(bits, static_cast<u32>(align_up(spec.block.count(), warp_size)));
  if (registers > most_cta_bytes)
    return fmt::format(
        "kernel '{}' keeps {} bytes of registers alive in a block; {} are the most that is emulated", name,
        registers, most_cta_bytes);
  return {};
}

std::string cluster_problem(const Dim3& grid, const Dim3& cluster) {
  u64 count = cluster.count();
  if (count == 0 || count > Memory::most_ctas_in_cluster)
    return fmt::format("a cluster of {} blocks: it has at least 1 and at most {}", count,
                       Memory::most_ctas_in_cluster);
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return {};
  return fmt::format("clusters of {}×{}×{} blocks do not divide the grid", cluster.x, cluster.y, cluster.z);
}

// What blocks print comes in the order in which they run.
bool prints(LaunchState& launch) {
  const std::vector<ir::Function>& functions = launch.program.module.functions;
  return std::ranges::any_of(launch.program.reachable(launch.spec.kernel).functions, [&](ir::FunctionId f) {
    return std::ranges::any_of(launch.program.code_of(f).calls, [&](const auto& call) {
      return call.callee.valid() && functions[call.callee.value].name == "vprintf";
    });
  });
}

bool samples(LaunchState& launch) {
  return launch.options.sampling && !launch.spec.cooperative && !launch.has_clusters() &&
         !launch.options.checks.any() && !prints(launch);
}

} // namespace

Dim3 cluster_of(const ir::Function& kernel, const Dim3& asked) {
  const std::array<u32, 3>& needs = kernel.required_cluster;
  if (asked.count() != 1 || needs[0] == 0) return asked;
  return {needs[0], needs[1], needs[2]};
}

std::optional<Fault> prepare(LaunchState& launch) {
  const LaunchSpec& spec = launch.spec;
  auto invalid = [&](std::string message) {
    Fault fault;
    fault.kind = FaultKind::invalid_instruction;
    fault.diagnostic = diag::error("launch-invalid", std::move(message));
    return fault;
  };
  if (auto problem = launch_problem(launch.device.shape.limits, spec.grid, spec.block))
    return invalid(fmt::format("{}: {}", problem->what, problem->most));
  launch.cluster = cluster_of(launch.program.module.functions[spec.kernel.value], spec.cluster);
  if (std::string problem = cluster_problem(spec.grid, launch.cluster); !problem.empty())
    return invalid(problem);
  launch.ranks_in_addresses =
      launch.has_clusters() && launch.program.module.functions[spec.kernel.value].is_machine_code;
  launch.entry = &launch.program.code_of(spec.kernel);
  launch.parameters.assign(spec.parameters.begin(), spec.parameters.end());
  if (std::string problem = too_large(launch); !problem.empty()) return invalid(std::move(problem));
  u32 ctas = batch_size(launch), rest = spec.grid.x % ctas;
  launch.shape = std::make_unique<Shape>(spec.block, ctas);
  if (rest != 0) launch.last_shape = std::make_unique<Shape>(spec.block, rest);
  launch.row_batches = ceil_div(spec.grid.x, ctas);
  launch.batches = launch.row_batches * spec.grid.y * spec.grid.z / launch.cluster.count();
  if (samples(launch)) {
    constexpr u64 most_parts = 64;
    launch.sample.prepare({launch.batches, launch.row_batches, launch.last_shape != nullptr}, most_parts);
  }
  launch.local_bytes = launch.entry->local_bytes;
  if (launch.program.reachable(spec.kernel).functions.size() > 1 || launch.entry->allocates)
    launch.local_bytes += launch.options.call_stack_bytes;
  if (spec.cooperative) {
    Result<u64> workspace = launch.device.memory->allocate(4096, AllocationKind::device, 512, "grid barrier");
    if (!workspace) return invalid("no device memory for the grid-wide barrier");
    std::memset(reinterpret_cast<void*>(*workspace), 0, 4096);
    if (WrittenBytes* written = launch.device.memory->written()) written->mark(*workspace, 4096);
    launch.grid_workspace = *workspace;
  }
  return std::nullopt;
}

} // namespace warplens::sim
