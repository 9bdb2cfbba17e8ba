// A launch's parameters, as the three ways in which programs hand them over say them.
#include "runtime/launch.h"
#include <cstring>

namespace warplens::runtime {

ResultOr<std::vector<void*>, cudaError_t> arguments_of(const sim::KernelInfo& info, void** extra) {
  constexpr u64 end = 0, buffer_pointer = 1, buffer_size = 2;
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  for (; reinterpret_cast<u64>(*extra) != end; extra += 2) {
    if (reinterpret_cast<u64>(*extra) == buffer_pointer)
      bytes = static_cast<std::byte*>(extra[1]);
    else if (reinterpret_cast<u64>(*extra) == buffer_size)
      size = *static_cast<std::size_t*>(extra[1]);
    else
      return failure(cudaErrorInvalidValue);
  }
  std::vector<void*> out;
  for (auto [offset, bytes_of_one] : info.parameters) {
    if (!bytes || u64{offset} + bytes_of_one > size) return failure(cudaErrorInvalidValue);
    out.push_back(bytes + offset);
  }
  return out;
}

ResultOr<std::vector<std::byte>, cudaError_t> pack_parameters(const sim::KernelInfo& info, void** arguments,
                                                              void** extra) {
  std::vector<void*> from_extra;
  if (!arguments && extra) {
    ResultOr<std::vector<void*>, cudaError_t> found = arguments_of(info, extra);
    if (!found) return failure(found.error());
    from_extra = std::move(*found);
    arguments = from_extra.data();
  }
  std::vector<std::byte> out(info.parameter_bytes);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    auto [offset, size] = info.parameters[i];
    if (u64{offset} + size <= out.size() && arguments && arguments[i])
      std::memcpy(out.data() + offset, arguments[i], size);
  }
  return out;
}

} // namespace warplens::runtime
