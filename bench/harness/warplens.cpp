// WarpLens as one of the compared systems: the rooms that `warplens run` emulates and counts with, without
// the CUDA Runtime around them. Every CTA of every launch is executed. Counting is what `warplens run` does
// by default: the rules of compute capability 9.0, a sink per worker, sums in the end; setting that up and
// adding it up is in the time.
//
//   compare_warplens KERNELS.cu|.ptx|.cubin WORKERS [auto|nvcc|clang]   serves (system.h); 0 workers: one per core;
//                                                                       a cubin's machine code is for sm_90
//   compare_warplens --workloads                                        prints the table of workloads
//   compare_warplens --compile FILE.cu OUTPUT [auto|nvcc|clang]         an executable as `warplens run` makes them
#include "arch/arch.h"
#include "base/cpu.h"
#include "harness/system.h"
#include "measure/collect.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include "ptx/parse.h"
#include "sim/sim.h"
#include "toolchain/compile.h"
#include "translate/translate.h"
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::bench {
namespace {

template <class T> T need(Result<T> result) {
  if (!result) fail(diag::render(result.error()));
  return std::move(*result);
}

class WarpLens : public System {
public:
  WarpLens(ir::Module module, std::string compiler, u32 workers)
      : compiler_(std::move(compiler)), workers_(workers) {
    device_.memory = need(sim::Memory::create(u64{16} << 30));
    program_ = need(sim::Program::load(std::move(module), device_));
  }

  std::string description() const override {
    return fmt::format("WarpLens {}, {}, {}", WARPLENS_VERSION, name(cpu::target()), compiler_);
  }

  void load(const Case& c) override {
    for (u64 address : addresses_) device_.memory->release(address);
    addresses_.clear();
    for (const Words& buffer : c.buffers) addresses_.push_back(need(device_.memory->allocate(bytes(buffer))));
    sizes_.clear();
    for (const Words& buffer : c.buffers) sizes_.push_back(buffer.size());
    steps_.clear();
    for (const bench::Step& step : c.steps) steps_.push_back(prepared(step));
    reset(c);
  }

  void reset(const Case& c) override {
    for (u64 i = 0; i < addresses_.size(); ++i)
      std::memcpy(memory(i), c.buffers[i].data(), bytes(c.buffers[i]));
  }

  Launch launch(bool counting) override {
    Launch out;
    double start = now();
    for (const Step& step : steps_) {
      sim::LaunchOptions options;
      options.workers = workers_;
      std::optional<measure::Collector> collector;
      if (counting) {
        const arch::Architecture* architecture = arch::find(90);
        collector.emplace(std::span(&architecture, 1), step.sites, sim::worker_count(options, step.spec));
        options.sinks = collector->sinks();
      }
      sim::LaunchResult result = sim::launch(device_, *program_, step.spec, options);
      if (counting)
        for (const measure::SiteRecord& record : collector->finish())
          out.sectors += record.counters[0].sectors;
      if (result.fault) fail(diag::render(result.fault->diagnostic));
      out.thread_instructions += result.thread_instructions;
    }
    out.seconds = now() - start;
    return out;
  }

  Words read(u32 buffer) override {
    Words out(sizes_[buffer]);
    std::memcpy(out.data(), memory(buffer), bytes(out));
    return out;
  }

private:
  struct Step {
    sim::LaunchSpec spec;
    std::vector<std::byte> parameters; // which `spec` points to
    std::vector<access::Site> sites;   // the kernel's
  };
  Step prepared(const bench::Step& step) const {
    Step out;
    auto kernel = program_->kernel(step.kernel);
    if (!kernel) fail(fmt::format("no kernel '{}' in the PTX", step.kernel));
    sim::KernelInfo info = program_->info(*kernel);
    out.parameters.resize(info.parameter_bytes);
    for (u64 i = 0; i < step.arguments.size(); ++i) {
      const Argument& argument = step.arguments[i];
      u64 value = argument.is_buffer ? addresses_[argument.buffer] : argument.word;
      std::memcpy(&out.parameters[info.parameters[i].first], &value, info.parameters[i].second);
    }
    const ir::Module& module = program_->module();
    for (const ir::Instruction& instruction : module.functions[kernel->value].instructions)
      if (instruction.site.valid()) out.sites.push_back(module.sites[instruction.site.value]);
    out.spec = {*kernel, step.grid, step.block, {}, 0, out.parameters, false};
    return out;
  }
  static u64 bytes(const Words& words) { return words.size() * sizeof(u32); }
  void* memory(u64 buffer) const {
    return reinterpret_cast<void*>(addresses_[buffer]);
  } // device pointers are the host's

  std::string compiler_;
  u32 workers_;
  sim::Device device_;
  std::unique_ptr<sim::Program> program_;
  std::vector<u64> addresses_, sizes_;
  std::vector<Step> steps_;
};

toolchain::CompileRequest request_for(const std::string& source, const std::string& compiler,
                                      const std::string& folder) {
  toolchain::CompileRequest request;
  request.source = source, request.folder = folder, request.headers = toolchain::header_folder();
  request.cudart = std::filesystem::path(request.headers).parent_path().parent_path().parent_path() /
                   "lib/libcudart.so.13";
  request.compiler = compiler == "nvcc"    ? toolchain::Compiler::nvcc
                     : compiler == "clang" ? toolchain::Compiler::clang
                                           : toolchain::Compiler::automatic;
  request.on_output = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  return request;
}

std::string read(const std::string& path) {
  std::optional<std::string> text = os::read_file(path);
  if (!text) fail(fmt::format("cannot read '{}'", path));
  return std::move(*text);
}

struct Code {
  ir::Module module;
  std::string compiler;
};
Code parse(const std::string& ptx, const std::string& path, std::string compiler) {
  auto parsed = ptx::parse(ptx, {path});
  if (!parsed) fail(diag::render(parsed.error(), ptx));
  return {std::move(parsed->module), std::move(compiler)};
}
Code machine_code(const std::string& path) {
  std::string cubin = read(path);
  translate::MachineModule machine = translate::translate(std::as_bytes(std::span(cubin)), 90, path);
  for (const auto& [kernel, why] : machine.refused) fail(fmt::format("{}: {}: {}", path, kernel, why));
  return {std::move(machine.module), "machine code of sm_90"};
}
Code code(const std::string& path, const std::string& compiler) {
  if (path.ends_with(".cubin")) return machine_code(path);
  if (path.ends_with(".ptx")) return parse(read(path), path, "PTX from a file");
  os::TempDir folder = need(os::TempDir::create());
  toolchain::CompileRequest request = request_for(path, compiler, folder.path());
  toolchain::FoundCompiler found = need(toolchain::find_compiler(request.compiler, request.search));
  const char* name = found.kind == toolchain::Compiler::nvcc ? "nvcc" : "clang";
  return parse(need(toolchain::compile_to_ptx(request)), path,
               fmt::format("PTX by {} {}", name, found.version));
}

int compile(const std::string& source, const std::string& output, const std::string& compiler) {
  os::TempDir folder = need(os::TempDir::create());
  toolchain::Compiled compiled = need(toolchain::compile(request_for(source, compiler, folder.path())));
  std::filesystem::copy_file(compiled.executable, output, std::filesystem::copy_options::overwrite_existing);
  fmt::print("{}\n", compiled.description);
  return 0;
}

int main(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "--workloads") {
    print_workloads();
    return 0;
  }
  if (arguments.size() >= 3 && arguments[0] == "--compile")
    return compile(arguments[1], arguments[2], arguments.size() > 3 ? arguments[3] : "auto");
  if (arguments.size() < 2) fail("expected: KERNELS.cu WORKERS [auto|nvcc|clang]");
  Code found = code(arguments[0], arguments.size() > 2 ? arguments[2] : "auto");
  WarpLens system(std::move(found.module), found.compiler, static_cast<u32>(std::atoi(arguments[1].c_str())));
  return serve(system);
}

} // namespace
} // namespace warplens::bench

int main(int argc, char** argv) { return warplens::bench::main({argv + 1, argv + argc}); }
