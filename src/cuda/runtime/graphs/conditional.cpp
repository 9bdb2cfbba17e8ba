// See conditional.h.
#include "runtime/graphs/conditional.h"
#include <chrono>
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

struct Handle {
  u32 at_launch = 0;
  bool assigned = false; // at each launch
};
std::map<cudaGraphConditionalHandle, Handle>& handles() {
  return of_device<std::map<cudaGraphConditionalHandle, Handle>>();
}

u32 value_of(cudaGraphConditionalHandle handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  return runtime.device ? runtime.device->runtime.conditional(handle) : 0;
}

u64 launches() {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  return runtime.launches;
}

cudaError_t run(const Graph& body) {
  std::vector<Work> work;
  {
    std::lock_guard lock(Runtime::get().mutex);
    collect_work(body, false, work);
  }
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 0; error == cudaSuccess && i < work.size(); ++i) error = perform(work[i]);
  return error;
}

// All rounds have the time that a launch has.
cudaError_t run_while(const ConditionalWork& work) {
  Runtime& runtime = Runtime::get();
  const auto begin = std::chrono::steady_clock::now();
  while (value_of(work.handle) != 0) {
    const u64 before = launches();
    if (cudaError_t error = run(*work.bodies[0]); error != cudaSuccess) return error;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::lock_guard lock(runtime.mutex);
    if (const double most = runtime.options.timeout; most > 0 && took.count() > most) {
      runtime.say(diag::error("launch-timeout",
                              fmt::format("a WHILE node of a graph runs longer than {:g} s", most), {},
                              "--timeout SECONDS allows more, if its kernels end it at all"));
      if (runtime.options.keep_going) return cudaSuccess;
      runtime.faulted_launch = runtime.launches;
      return runtime.sticky = cudaErrorLaunchTimeout;
    }
    if (launches() != before) continue;
    runtime.say(
        diag::error("graph-never-ends",
                    "a WHILE node of a graph goes round for ever: its body starts no kernel, and only "
                    "kernels can set its value",
                    {}, "call cudaGraphSetConditional in a kernel of the body"));
    return cudaErrorNotSupported;
  }
  return cudaSuccess;
}

} // namespace

Made conditional_work(cudaConditionalNodeParams* p) {
  const unsigned most = p->type == cudaGraphCondTypeWhile ? 1 : p->type == cudaGraphCondTypeIf ? 2 : ~0u;
  if (!handles().contains(p->handle) || p->size == 0 || p->size > most || p->type < cudaGraphCondTypeIf ||
      p->type > cudaGraphCondTypeSwitch)
    return failure(cudaErrorInvalidValue);
  ConditionalWork work{p->handle, p->type, {}, std::make_shared<std::vector<cudaGraph_t>>()};
  for (unsigned i = 0; i < p->size; ++i) {
    work.bodies.push_back(std::make_shared<Graph>());
    work.handed_out->push_back(work.bodies.back().get());
  }
  p->phGraph_out = work.handed_out->data();
  return Work(std::move(work));
}

void assign_defaults(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work)) assign_defaults(*inner);
    auto* work = std::get_if<ConditionalWork>(&node->work);
    if (!work) continue;
    const Handle& handle = handles()[work->handle];
    if (handle.assigned) Runtime::get().device->runtime.set_conditional(work->handle, handle.at_launch);
  }
}

cudaError_t perform_conditional(ConditionalWork& work) {
  if (work.type == cudaGraphCondTypeWhile) return run_while(work);
  const u32 value = value_of(work.handle);
  const u32 chosen = work.type == cudaGraphCondTypeSwitch ? value : value != 0 ? 0 : 1;
  return chosen < work.bodies.size() ? run(*work.bodies[chosen]) : cudaSuccess;
}

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
  return api([&](Runtime& r) {
    if (!handle || !exists(graph) || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    static u64 last = 0;
    *handle = ++last;
    handles()[last] = {value, flags == cudaGraphCondAssignDefault};
    r.device->runtime.set_conditional(last, 0);
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
