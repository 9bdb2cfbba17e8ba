// Dynamic parallelism: what kernels launch, run when their launch has ended and counted like the host's launches.
//
// A launch has not ended before all have that it is above. The device runtime keeps 2048 launches that have not ended
// (cudaLimitDevRuntimePendingLaunchCount), so a kernel below that many cannot launch another one: on an H200 a kernel that launches
// itself stops there, with cudaErrorLaunchPendingCountExceeded (26 November 2026). How many siblings wait there at once depends on
// timing: 20,000 launches of one thread succeeded, of 4,096 by as many threads half did. Here all succeed.
#include "sim/children.h"
#include "runtime/interruption.h"
#include "runtime/launch.h"
#include "runtime/library.h"
#include <algorithm>
#include <cstring>
#include <tuple>

namespace warplens::runtime {
namespace {

struct Waiting {
  sim::ChildLaunch child;
  u64 depth;
};

// Puts what the launch at `depth` - 1 has launched on the stack, the first on top.
void add_children(Runtime& runtime, std::vector<Waiting>& stack, u64 depth) {
  std::vector<sim::ChildLaunch> children = runtime.device->runtime.take_children();
  std::stable_sort(children.begin(), children.end(), [](const auto& a, const auto& b) {
    return std::tie(a.tail, a.cta, a.thread, a.number) < std::tie(b.tail, b.cta, b.thread, b.number);
  });
  for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back({*child, depth});
}

} // namespace

void run_children(Runtime& runtime, Binary& binary,
                  std::optional<std::chrono::steady_clock::duration>& time_left) {
  const cudaError_t before = last_error(); // what goes wrong with them is not the program's last call
  std::vector<Waiting> stack;
  add_children(runtime, stack, 1);
  while (!stack.empty()) {
    const auto [child, depth] = stack.back();
    stack.pop_back();
    std::vector<std::byte> bytes(child.bytes);
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(child.parameters), bytes.size());
    runtime.memory().release(child.parameters);
    if (!child.launched) continue;
    auto kernel =
        kernel_of(runtime, &binary, binary.program(runtime)->module().functions[child.kernel.value].name);
    if (!kernel) continue;
    if (interruption::asked()) { // it is named
      runtime.upcoming.add(*kernel);
      continue;
    }
    std::vector<void*> arguments;
    for (auto [offset, size] : binary.program(runtime)->info(child.kernel).parameters)
      arguments.push_back(bytes.data() + offset);
    runtime.device->runtime.allow_children(depth < limit_of(runtime, cudaLimitDevRuntimePendingLaunchCount));
    launch({*kernel,
            child.grid,
            child.block,
            {},
            child.shared,
            arguments.data(),
            nullptr,
            false,
            depth,
            &time_left});
    add_children(runtime, stack, depth + 1);
  }
  runtime.device->runtime.allow_children(true);
  last_error() = before;
}

} // namespace warplens::runtime
