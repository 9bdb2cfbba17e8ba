// The emulator for programs. A Gpu's state is shared with the programs loaded into it, so that neither order of their ends
// leaves one without memory.
#include "api/convert.h"
#include "arch/table.h"
#include "measure/collect.h"
#include "ptx/parse.h"
#include "sim/sim.h"
#include <fmt/format.h>
#include <unistd.h>
#include <warplens/program.h>

namespace warplens {

struct Gpu::Impl {
  const arch::Architecture* architecture = nullptr;
  sim::Device device;
  std::string printed;
  u64 launches = 0;
};

struct Program::Impl {
  std::shared_ptr<Gpu::Impl> gpu;
  std::unique_ptr<sim::Program> program;
};

namespace {

Error refuse(std::string kind, std::string message, std::string help) {
  return api::error_of(diag::error(std::move(kind), std::move(message), {}, std::move(help)));
}

Dim3 dim(Size3 size) { return {size.x, size.y, size.z}; }

// The bytes that ld.param sees, or why the arguments do not fit.
Expected<std::vector<std::byte>> pack(const sim::KernelInfo& info, const Arguments& arguments) {
  const auto& values = arguments.values();
  if (values.size() != info.parameters.size())
    return refuse("kernel-arguments",
                  fmt::format("kernel '{}' has {} parameters and was given {} arguments", info.name,
                              info.parameters.size(), values.size()),
                  "add() one argument for each parameter, in order");
  std::vector<std::byte> out(info.parameter_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto [offset, size] = info.parameters[i];
    if (values[i].size() != size)
      return refuse("kernel-arguments",
                    fmt::format("argument {} of kernel '{}' has {} bytes, its parameter {}", i, info.name,
                                values[i].size(), size),
                    "add() a value of the parameter's own type");
    std::memcpy(out.data() + offset, values[i].data(), size);
  }
  return out;
}

Expected<std::vector<const arch::Architecture*>> rows_of(const std::vector<int>& sm,
                                                         const arch::Architecture* own) {
  if (sm.empty()) return std::vector{own};
  std::vector<const arch::Architecture*> out;
  for (int one : sm) {
    auto row = api::architecture(one);
    if (!row) return api::error_of(row.error());
    out.push_back(*row);
  }
  return out;
}

} // namespace

Gpu::Gpu(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gpu::Gpu(Gpu&&) noexcept = default;
Gpu& Gpu::operator=(Gpu&&) noexcept = default;
Gpu::~Gpu() = default;

Expected<Gpu> Gpu::create(int sm) {
  auto row = api::architecture(sm);
  if (!row) return api::error_of(row.error());
  const arch::Architecture& architecture = **row;
  auto memory = sim::Memory::create(architecture.part.memory_bytes);
  if (!memory) return api::error_of(memory.error());
  auto impl = std::make_shared<Impl>();
  impl->architecture = &architecture;
  impl->device.shape = {architecture.sm, architecture.part.multiprocessors, architecture.limits.launch(),
                        architecture.limits.shared_per_block_optin, architecture.part.clock_khz};
  impl->device.memory = std::move(*memory);
  impl->device.print = [&text = impl->printed](std::string_view piece) { text += piece; };
  return Gpu(std::move(impl));
}

std::optional<Error> Gpu::share(void* data, std::size_t bytes) {
  if (impl_->device.memory->register_host(reinterpret_cast<u64>(data), bytes)) return {};
  return refuse("share-refused", fmt::format("{} bytes at {} cannot be shared", bytes, data),
                "share each range once, and only memory that is the program's");
}

bool Gpu::unshare(void* data) { return impl_->device.memory->unregister_host(reinterpret_cast<u64>(data)); }

Expected<Program> Gpu::load(std::string_view ptx, const std::string& name) {
  ptx::ParseOptions options;
  options.name = name;
  auto parsed = ptx::parse(ptx, options);
  if (!parsed) return api::error_of(parsed.error(), ptx);
  auto program = sim::Program::load(std::move(parsed->module), impl_->device);
  if (!program) return api::error_of(program.error(), ptx);
  auto impl = std::make_unique<Program::Impl>();
  impl->gpu = impl_;
  impl->program = std::move(*program);
  return Program(std::move(impl));
}

std::string Gpu::printed() { return std::exchange(impl_->printed, {}); }

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

std::vector<std::string> Program::kernels() const {
  std::vector<std::string> out;
  for (const ir::Function& function : impl_->program->module().functions)
    if (function.entry) out.push_back(function.name);
  return out;
}

Expected<LaunchRecord> Program::launch(const std::string& kernel, const Launch& launch) {
  Gpu::Impl& gpu = *impl_->gpu;
  auto id = impl_->program->kernel(kernel);
  if (!id)
    return refuse("no-such-kernel", fmt::format("the PTX has no kernel '{}'", kernel),
                  "kernels() lists those that it has; names are mangled");
  sim::KernelInfo info = impl_->program->info(*id);
  auto parameters = pack(info, launch.arguments);
  if (!parameters) return parameters.error();
  auto rows = rows_of(launch.sm, gpu.architecture);
  if (!rows) return rows.error();
  Dim3 grid = dim(launch.grid), block = dim(launch.block);
  if (auto problem = launch_problem(gpu.architecture->limits.launch(), grid, block))
    return refuse("launch-refused", fmt::format("kernel '{}': {}", kernel, problem->what), problem->most);

  sim::LaunchSpec spec{*id, grid, block, {}, launch.dynamic_shared, *parameters, false};
  sim::LaunchOptions options;
  options.name = ptx::demangle(kernel);
  options.workers = launch.workers;
  const std::vector<access::Site>& sites = impl_->program->module().sites;
  measure::Collector collector(*rows, sites, sim::worker_count(options, spec));
  options.sinks = collector.sinks();
  sim::LaunchResult result = sim::launch(gpu.device, *impl_->program, spec, options);

  measure::LaunchRecord record;
  record.index = gpu.launches++;
  record.process = getpid();
  record.kernel = kernel;
  record.name = ptx::demangle(kernel);
  record.module = impl_->program->module().name;
  record.grid = grid, record.block = block;
  record.shared_bytes = u64{info.static_shared} + launch.dynamic_shared;
  record.local_bytes = info.local_bytes;
  record.local_arrays = info.local_arrays;
  for (const arch::Architecture* row : *rows) record.sm.push_back(arch::sm(*row));
  record.sites = collector.finish();
  record.warp_instructions = result.warp_instructions;
  record.diagnostics = std::move(result.warnings);
  if (result.fault) {
    record.status = measure::Status::failed;
    record.reason = result.fault->diagnostic.message;
    record.diagnostics.push_back(result.fault->diagnostic);
  }
  return api::record_of(record);
}

} // namespace warplens
