// warplens-launch: the host program of a kernel that has none. `warplens run FILE.ptx WORDS…` starts it like any other
// program, with the runtime library preloaded; it makes the buffers, launches once, waits, and saves what it was asked to.
//
// Its first word (argv[0]) is the file, as the user's command line has it. The words have been checked before it starts.
#include "abi/api.h"
#include "launcher/kernel_file.h"
#include "launcher/plan.h"
#include "os/file.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>

namespace warplens::launcher {

using namespace runtime;

namespace {

Result<void> checked(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  return failure(diag::error("launch-failed", fmt::format("{}: {}", what, cudaGetErrorString(error))));
}

Result<const arch::Architecture*> device() {
  int major = 0, minor = 0;
  if (Result<void> fine =
          checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "the device");
      !fine)
    return failure(fine.error());
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  return arch::find(static_cast<u32>(major * 10 + minor));
}

// What the parameters are filled with: a pointer to each value, which lives as long as this does.
struct Values {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<void*> pointers;
};

Result<void*> make_buffer(const Argument& argument, std::size_t index) {
  void* buffer = nullptr;
  if (Result<void> made =
          checked(cudaMalloc(&buffer, argument.bytes()), fmt::format("argument {}", index + 1));
      !made)
    return failure(made.error());
  if (argument.fill.kind == Fill::Kind::zeros) return buffer; // as new memory is
  std::vector<std::byte> content(argument.bytes());
  if (Result<void> filled = fill(content, argument.type, argument.fill); !filled)
    return failure(filled.error());
  cudaMemcpy(buffer, content.data(), content.size(), cudaMemcpyHostToDevice);
  return buffer;
}

// The start of the buffer that an argument has.
std::byte* buffer_of(const Plan& plan, const Values& values, u32 argument) {
  const Argument& buffer = *plan.arguments[argument].its_buffer();
  std::byte* out = nullptr;
  std::memcpy(&out, values.bytes[argument].data() + buffer.at, sizeof out);
  return out - buffer.offset;
}

Result<std::vector<std::byte>> make_value(const Plan& plan, const Argument& argument, const Values& earlier) {
  std::vector<std::byte> value = argument.value;
  if (argument.buffer) {
    Result<void*> buffer = argument.same_as ? buffer_of(plan, earlier, *argument.same_as)
                                            : make_buffer(argument, earlier.bytes.size());
    if (!buffer) return failure(buffer.error());
    const std::byte* address = static_cast<std::byte*>(*buffer) + argument.offset;
    value.resize(sizeof address);
    std::memcpy(value.data(), &address, sizeof address);
  } else if (value.empty()) {
    value.resize(argument.bytes());
    for (const Argument& member : argument.members) {
      Result<std::vector<std::byte>> part = make_value(plan, member, earlier);
      if (!part) return part;
      std::ranges::copy(*part, value.begin() + static_cast<std::ptrdiff_t>(member.at));
    }
    if (argument.members.empty())
      if (Result<void> filled = fill(value, argument.type, argument.fill); !filled)
        return failure(filled.error());
  }
  return value;
}

Result<Values> make_values(const Plan& plan) {
  Values out;
  for (const Argument& argument : plan.arguments) {
    Result<std::vector<std::byte>> value = make_value(plan, argument, out);
    if (!value) return failure(value.error());
    out.bytes.push_back(std::move(*value));
  }
  for (std::vector<std::byte>& value : out.bytes) out.pointers.push_back(value.data());
  return out;
}

Result<void> save(const Plan& plan, const Values& values) {
  for (const Save& save : plan.saves) {
    const std::byte* buffer = buffer_of(plan, values, save.argument);
    os::Descriptor file(open(save.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    bool written = static_cast<bool>(file);
    // In parts: a buffer may be larger than the machine's memory.
    const u64 bytes = plan.arguments[save.argument].its_buffer()->bytes();
    std::vector<std::byte> part(std::min<u64>(bytes, 1 << 24));
    for (u64 rest = bytes; written && rest != 0;) {
      part.resize(std::min<u64>(rest, part.size()));
      if (Result<void> read =
              checked(cudaMemcpy(part.data(), buffer, part.size(), cudaMemcpyDeviceToHost), save.file);
          !read)
        return read;
      written = os::write_all(file.get(), part);
      buffer += part.size(), rest -= part.size();
    }
    if (!written)
      return failure(
          diag::error("save-failed", fmt::format("cannot write '{}': {}", save.file, std::strerror(errno))));
  }
  return {};
}

Result<void> launch(const std::string& file, std::span<const std::string> words) {
  Result<const arch::Architecture*> architecture = device();
  if (!architecture) return failure(architecture.error());
  Result<ir::Module> module = read_kernel_file(file, (*architecture)->sm);
  if (!module) return failure(module.error());
  Result<Plan> plan = plan_launch(*module, file, words, **architecture);
  if (!plan) return failure(plan.error());
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaError_t error =
      cudaLibraryLoadFromFile(&library, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (error == cudaSuccess) error = cudaLibraryGetKernel(&kernel, library, plan->kernel.c_str());
  if (error == cudaSuccess && plan->shared != 0)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(plan->shared));
  if (Result<void> loaded = checked(error, file); !loaded) return loaded;
  Result<Values> values = make_values(*plan);
  if (!values) return failure(values.error());
  const auto start = plan->is_cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel;
  error = start(kernel, plan->grid, plan->block, values->pointers.data(), plan->shared, nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (Result<void> ran = checked(error, plan->kernel); !ran) return ran;
  return save(*plan, *values);
}

} // namespace
} // namespace warplens::launcher

int main(int argc, char** argv) {
  using namespace warplens;
  std::vector<std::string> words(argv + 1, argv + argc);
  Result<void> done = launcher::launch(argv[0], words);
  if (!done) std::fputs(diag::render(done.error()).c_str(), stderr);
  return done ? 0 : 1;
}
