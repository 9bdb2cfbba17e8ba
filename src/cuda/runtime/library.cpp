// See library.h, and the Runtime API's functions on libraries.
#include "runtime/library.h"
#include "machine_code/fatbin.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/readable.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>

namespace warplens::runtime {
namespace {

constexpr int info_log_buffer = 3, info_log_size = 4, error_log_buffer = 5,
              error_log_size = 6; // CU_JIT_ERROR_LOG_BUFFER, …_SIZE_BYTES
constexpr int max_registers = 0, optimization_level = 7, debug_info = 11; // CU_JIT_MAX_REGISTERS, …

bool is_library(const Runtime& runtime, const Binary* binary) {
  return std::any_of(runtime.binaries.all.begin(), runtime.binaries.all.end(),
                     [&](const auto& known) { return known.get() == binary && !known->name.empty(); });
}

// Several images in a row, for whoever links: a header, then each image behind its size.
struct PackedHeader {
  static constexpr u64 right_magic = 0x6b6e696c2d6c770a; // "\nwl-link"
  u64 magic, count;
};

std::vector<std::vector<std::byte>> unpack_images(Bytes packed) {
  PackedHeader header{};
  if (!os::begins_with(packed, PackedHeader::right_magic) || packed.size() < sizeof header) return {};
  std::memcpy(&header, packed.data(), sizeof header);
  std::vector<std::vector<std::byte>> out;
  packed = packed.subspan(sizeof header);
  for (u64 size = 0; out.size() < header.count; packed = packed.subspan(size)) {
    if (packed.size() < sizeof size) return {};
    std::memcpy(&size, packed.data(), sizeof size);
    packed = packed.subspan(sizeof size);
    if (packed.size() < size) return {};
    out.emplace_back(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return out;
}

// The library, read if a reset of the device made it forget what it was.
cudaError_t ready(Runtime& runtime, Binary* binary) {
  return is_library(runtime, binary) ? binary->load(runtime) : cudaErrorInvalidResourceHandle;
}

} // namespace

void JitOptions::tell(const std::string& log) const {
  auto fill = [&](int buffer_option, int size_option, const std::string& text) {
    char* buffer = nullptr;
    void** size = nullptr;
    for (u32 i = 0; options != nullptr && values != nullptr && i < count; ++i) {
      if (options[i] == buffer_option) buffer = static_cast<char*>(values[i]);
      if (options[i] == size_option) size = &values[i];
    }
    if (buffer == nullptr || size == nullptr) return;
    const u32 room = static_cast<u32>(reinterpret_cast<u64>(*size));
    if (room == 0) return;
    const u64 written = text.copy(buffer, room - 1);
    buffer[written] = '\0';
    *size = reinterpret_cast<void*>(written);
  };
  fill(error_log_buffer, error_log_size, log);
  fill(info_log_buffer, info_log_size, {});
}

std::vector<std::string> JitOptions::ptxas_words() const {
  std::vector<std::string> out;
  for (u32 i = 0; options != nullptr && values != nullptr && i < count; ++i) {
    const u32 value = static_cast<u32>(reinterpret_cast<u64>(values[i]));
    if (options[i] == max_registers && value != 0) out.push_back(fmt::format("-maxrregcount={}", value));
    if (options[i] == optimization_level) out.push_back(fmt::format("-O{}", value));
    if (options[i] == debug_info && value != 0) out.emplace_back("-g");
  }
  return out;
}

ResultOr<Binary*, cudaError_t> load_library(Runtime& runtime, std::vector<std::vector<std::byte>> images,
                                            std::string name, const JitOptions& jit) {
  auto created = std::make_unique<Binary>();
  created->ptxas_options = jit.ptxas_words();
  created->copies = std::move(images);
  for (const std::vector<std::byte>& image : created->copies) created->fatbins.emplace_back(image);
  created->name = std::move(name);
  Binary* binary = created.get();
  runtime.binaries.all.push_back(std::move(created));
  if (cudaError_t error = binary->load(runtime); error != cudaSuccess) {
    jit.tell(binary->log);
    runtime.binaries.remove(binary);
    return failure(std::move(error));
  }
  jit.tell({});
  return binary;
}

ResultOr<Binary*, cudaError_t> load_library(Runtime& runtime, const void* code, const JitOptions& jit) {
  if (code == nullptr) return failure(cudaErrorInvalidValue);
  auto start = static_cast<const std::byte*>(code);
  std::vector<Bytes> images{fatbin::fatbin_extent(start)};
  FatbinWrapper wrapper{}; // a compiler's, which stands for what it points to
  const Bytes readable = os::readable_from(start);
  if (os::begins_with(readable, FatbinWrapper::right_magic) && readable.size() >= sizeof wrapper) {
    std::memcpy(&wrapper, start, sizeof wrapper);
    images = fatbins_of(wrapper);
  }
  std::vector<std::vector<std::byte>> copies = unpack_images(readable);
  if (copies.empty())
    for (Bytes image : images) copies.emplace_back(image.begin(), image.end());
  return load_library(runtime, std::move(copies),
                      fmt::format("code that {} loaded", os::file_name(os::executable())), jit);
}

ResultOr<Binary*, cudaError_t> load_library_file(Runtime& runtime, const char* path, const JitOptions& jit) {
  if (path == nullptr) return failure(cudaErrorInvalidValue);
  constexpr std::size_t largest = std::size_t{4} << 30;
  std::optional<std::string> content = os::read_file(path, largest);
  if (!content) return failure(cudaErrorFileNotFound);
  auto bytes = std::as_bytes(std::span(*content));
  return load_library(runtime, {{bytes.begin(), bytes.end()}}, std::string(os::file_name(path)), jit);
}

std::vector<std::byte> pack_images(const std::vector<std::vector<std::byte>>& images) {
  std::vector<std::byte> out;
  auto add = [&](const void* data, std::size_t size) {
    auto bytes = static_cast<const std::byte*>(data);
    out.insert(out.end(), bytes, bytes + size);
  };
  const PackedHeader header{PackedHeader::right_magic, images.size()};
  add(&header, sizeof header);
  for (const std::vector<std::byte>& image : images) {
    const u64 size = image.size();
    add(&size, sizeof size);
    add(image.data(), size);
  }
  return out;
}

ResultOr<Kernel*, cudaError_t> library_kernel(Runtime& runtime, Binary* binary, const char* name) {
  if (cudaError_t error = ready(runtime, binary); error != cudaSuccess) return failure(std::move(error));
  if (name == nullptr) return failure(cudaErrorInvalidValue);
  return kernel_of(runtime, binary, name);
}

ResultOr<Kernel*, cudaError_t> kernel_of(Runtime& runtime, Binary* binary, const std::string& name) {
  for (const auto& [host, kernel] : runtime.binaries.kernels)
    if (kernel->binary == binary && kernel->name == name) return kernel.get();
  if (!binary->has_kernel(runtime, name)) return failure(cudaErrorSymbolNotFound);
  auto created = std::make_unique<Kernel>();
  created->binary = binary;
  created->name = name;
  Kernel* kernel = created.get();
  runtime.binaries.kernels[kernel] = std::move(created);
  return kernel;
}

ResultOr<Placed, cudaError_t> library_variable(Runtime& runtime, Binary* binary, const char* name) {
  if (cudaError_t error = ready(runtime, binary); error != cudaSuccess) return failure(std::move(error));
  if (name == nullptr) return failure(cudaErrorInvalidValue);
  std::optional<sim::Program::Symbol> symbol = binary->program(runtime)->symbol(name);
  if (!symbol) return failure(cudaErrorSymbolNotFound);
  return Placed{symbol->address, symbol->size};
}

ResultOr<std::vector<std::string>, cudaError_t> library_kernels(Runtime& runtime, Binary* binary) {
  if (cudaError_t error = ready(runtime, binary); error != cudaSuccess) return failure(std::move(error));
  std::vector<std::string> out(binary->others.begin(), binary->others.end());
  for (const ir::Function& function : binary->program(runtime)->module().functions)
    if (function.entry && !function.external) out.push_back(function.name);
  return out;
}

cudaError_t unload_library(Runtime& runtime, Binary* binary) {
  if (!is_library(runtime, binary)) return cudaErrorInvalidResourceHandle;
  runtime.binaries.remove(binary);
  return cudaSuccess;
}

namespace {

cudaError_t give(void** address, std::size_t* size, const ResultOr<Placed, cudaError_t>& found) {
  if (!found) return found.error();
  if (address) *address = reinterpret_cast<void*>(found->address);
  if (size) *size = found->size;
  return cudaSuccess;
}

} // namespace

extern "C" {

// The options of libraries say how the caller keeps `code` alive: it is copied.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, const int* jit_options,
                                void** jit_values, unsigned jit_count, const int*, void**, unsigned) {
  return api([&](Runtime& r) {
    if (!library) return cudaErrorInvalidValue;
    return give(library, load_library(r, code, {jit_options, jit_values, jit_count}));
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, const int* jit_options,
                                    void** jit_values, unsigned jit_count, const int*, void**, unsigned) {
  return api([&](Runtime& r) {
    if (!library) return cudaErrorInvalidValue;
    return give(library, load_library_file(r, path, {jit_options, jit_values, jit_count}));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api_waiting([&](Runtime& r) { return unload_library(r, library); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return api([&](Runtime& r) {
    if (!kernel) return cudaErrorInvalidValue;
    return give(kernel, library_kernel(r, library, name));
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return api([&](Runtime& r) {
    if (!count) return cudaErrorInvalidValue;
    auto names = library_kernels(r, library);
    if (!names) return names.error();
    *count = static_cast<unsigned>(names->size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned room, cudaLibrary_t library) {
  return api([&](Runtime& r) {
    auto names = library_kernels(r, library);
    if (!names) return names.error();
    if (!kernels && room != 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < std::min<std::size_t>(room, names->size()); ++i)
      if (cudaError_t error = give(&kernels[i], library_kernel(r, library, (*names)[i].c_str()));
          error != cudaSuccess)
        return error;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* size, cudaLibrary_t library, const char* name) {
  return api([&](Runtime& r) { return give(address, size, library_variable(r, library, name)); });
}

cudaError_t cudaLibraryGetManaged(void** address, std::size_t* size, cudaLibrary_t library,
                                  const char* name) {
  return api([&](Runtime& r) -> cudaError_t {
    ResultOr<Placed, cudaError_t> found = library_variable(r, library, name);
    if (!found) return found.error();
    const ir::Module& module = library->program(r)->module();
    if (!module.variables[module.find_variable(name).value].managed) return cudaErrorSymbolNotFound;
    return give(address, size, found);
  });
}

} // extern "C"
} // namespace warplens::runtime
