// A device, a program from PTX text, buffers, and launches that fail the test on a fault unless one is
// expected.
#pragma once
#include "ptx/parse.h"
#include "sim/sim.h"
#include <chrono>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace warplens::sim {

// How long what takes a second may take at most, until a test says that it never ends: a sanitizer makes it fifty times as long.
#ifdef WARPLENS_SANITIZED
inline constexpr std::chrono::seconds patience{280};
#else
inline constexpr std::chrono::seconds patience{20};
#endif

class Gpu {
public:
  Gpu() {
    auto memory = Memory::create(u64{1} << 34);
    EXPECT_TRUE(memory.has_value());
    device.memory = std::move(*memory);
    device.print = [this](std::string_view text) { printed += text; };
  }

  bool load(const std::string& ptx, const std::function<void(ir::Module&)>& edit = {}) {
    auto parsed = ptx::parse(ptx);
    if (!parsed) {
      ADD_FAILURE() << diag::render(parsed.error(), ptx);
      return false;
    }
    if (edit) edit(parsed->module);
    return load(std::move(parsed->module));
  }
  bool load(ir::Module module) {
    auto loaded = Program::load(std::move(module), device);
    if (!loaded) {
      ADD_FAILURE() << diag::render(loaded.error());
      return false;
    }
    program = std::move(*loaded);
    return true;
  }

  template <class T> u64 buffer(const std::vector<T>& data) {
    u64 address = *device.memory->allocate(data.size() * sizeof(T));
    std::memcpy(reinterpret_cast<void*>(address), data.data(), data.size() * sizeof(T));
    return address;
  }
  template <class T> std::vector<T> read(u64 address, std::size_t n) {
    std::vector<T> out(n);
    std::memcpy(out.data(), reinterpret_cast<void*>(address), n * sizeof(T));
    return out;
  }

  // Arguments in order; each takes the size of the kernel's parameter.
  LaunchResult run(std::string_view kernel, Dim3 grid, Dim3 block, std::vector<u64> arguments,
                   LaunchOptions options = {}, u32 dynamic_shared = 0, bool cooperative = false) {
    auto id = program->kernel(kernel);
    if (!id) {
      ADD_FAILURE() << "no kernel " << kernel;
      return {};
    }
    KernelInfo info = program->info(*id);
    std::vector<std::byte> parameters(info.parameter_bytes);
    for (std::size_t i = 0; i < info.parameters.size() && i < arguments.size(); ++i)
      std::memcpy(parameters.data() + info.parameters[i].first, &arguments[i],
                  std::min<u64>(info.parameters[i].second, 8));
    return launch(device, *program, {*id, grid, block, {}, dynamic_shared, parameters, cooperative}, options);
  }
  void expect_run(std::string_view kernel, Dim3 grid, Dim3 block, std::vector<u64> arguments,
                  LaunchOptions options = {}, u32 dynamic_shared = 0, bool cooperative = false) {
    LaunchResult result =
        run(kernel, grid, block, std::move(arguments), std::move(options), dynamic_shared, cooperative);
    if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic);
  }

  Device device;
  std::unique_ptr<Program> program;
  std::string printed;
};

inline std::string ptx_header() { return ".version 8.3\n.target sm_80\n.address_size 64\n"; }

// What LaunchChecks found, and what the kernel left in memory.
struct Outcome {
  std::vector<diag::Diagnostic> found;
  std::vector<u32> memory;
  std::string kinds() const {
    std::string out;
    for (const diag::Diagnostic& d : found) out += (out.empty() ? "" : " ") + d.kind;
    return out;
  }
  std::string text() const {
    std::string out;
    for (const diag::Diagnostic& d : found) {
      out += d.message + '\n';
      for (const std::string& note : d.notes) out += note + '\n';
    }
    return out;
  }
};

} // namespace warplens::sim
