// Dynamic parallelism: what kernels launch, run when their launch has ended and counted like the host's launches.
#include "sim/children.h"
#include "runtime/launch.h"
#include "runtime/library.h"
#include <algorithm>
#include <cstring>
#include <tuple>

namespace warplens::runtime {

void run_children(Runtime& runtime, Binary& binary) {
  std::vector<sim::ChildLaunch> children = sim::take_children(*runtime.device);
  if (children.empty()) return;
  std::stable_sort(children.begin(), children.end(), [](const auto& a, const auto& b) {
    return std::tie(a.tail, a.cta, a.thread, a.number) < std::tie(b.tail, b.cta, b.thread, b.number);
  });
  const cudaError_t before = last_error(); // what goes wrong with them is not the program's last call
  for (const sim::ChildLaunch& child : children) {
    std::vector<std::byte> bytes(child.bytes);
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(child.parameters), bytes.size());
    runtime.memory().release(child.parameters);
    if (!child.launched || runtime.sticky != cudaSuccess) continue;
    auto kernel = kernel_of(runtime, &binary, binary.program->module().functions[child.kernel.value].name);
    if (!kernel) continue;
    std::vector<void*> arguments;
    for (auto [offset, size] : binary.program->info(child.kernel).parameters)
      arguments.push_back(bytes.data() + offset);
    launch({*kernel, child.grid, child.block, {}, child.shared, arguments.data(), nullptr, false});
  }
  last_error() = before;
}

} // namespace warplens::runtime
