// PTX, run on the CPU and counted: every warp of every launch, exactly.
//
//   auto gpu = warplens::Gpu::create(90);
//   auto program = gpu->load(ptx);
//   gpu->share(x.data(), x.size() * sizeof(float));        // host memory is device memory, at the same address
//   warplens::Launch launch{.grid = {n / 256}, .block = {256}};
//   launch.arguments.add(x.data()).add(n);
//   auto record = program->launch("_Z5scalePfi", launch);  // the kernel ran; record->sites has the counts
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>
#include <warplens/record.h>

namespace warplens {

// The values of a kernel's parameters, in order. A pointer is passed as it is.
class Arguments {
public:
  template <class T> Arguments& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "a kernel's parameters are copied byte by byte");
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    values_.push_back(std::move(bytes));
    return *this;
  }
  const std::vector<std::vector<std::byte>>& values() const { return values_; }

private:
  std::vector<std::vector<std::byte>> values_;
};

struct Size3 {
  std::uint32_t x = 1, y = 1, z = 1; // x varies fastest
};

struct Launch {
  Size3 grid, block;
  std::uint32_t dynamic_shared = 0; // bytes
  Arguments arguments;
  std::vector<int> sm;  // the architectures whose rules count; empty: the GPU's own
  unsigned workers = 0; // host threads; 0: one per core. Counts do not depend on it
};

// A module in the memory of a GPU. Not for two threads at once. Outlives neither its Gpu.
class WARPLENS_API Program {
public:
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  std::vector<std::string> kernels() const; // mangled names, in the order of the text
  // Runs one grid to its end. A kernel that goes wrong (an access outside what was shared, a trap) is no Error: the record
  // says Label::failed and why. Errors: no-such-kernel, kernel-arguments (their number or sizes), unknown-architecture,
  // launch-refused (a grid or block that the device does not take).
  Expected<LaunchRecord> launch(const std::string& kernel, const Launch&);

private:
  friend class Gpu;
  struct Impl;
  explicit Program(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

// An emulated GPU and its memory.
class WARPLENS_API Gpu {
public:
  // `sm`: one of architectures(); its reference part decides the limits that kernels see.
  // Errors: unknown-architecture; memory-reserve where the host has no address space left.
  static Expected<Gpu> create(int sm = 90);
  Gpu(Gpu&&) noexcept;
  Gpu& operator=(Gpu&&) noexcept;
  ~Gpu();

  // Lets kernels access host memory, at the same addresses, until unshare(). Kernels reach nothing else of the host's.
  // Errors: share-refused where the range is empty or overlaps one that is shared.
  std::optional<Error> share(void* data, std::size_t bytes);
  bool unshare(void* data); // false: not the start of a shared range

  // `name` is for messages. Errors: those of the PTX parser, with line and column.
  Expected<Program> load(std::string_view ptx, const std::string& name = "input.ptx");

  std::string printed(); // what kernels printed since the last call

private:
  friend class Program;
  struct Impl;
  explicit Gpu(std::shared_ptr<Impl>);
  std::shared_ptr<Impl> impl_;
};

} // namespace warplens
