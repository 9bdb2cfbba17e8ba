// Graphs that can be launched: made of a graph, updated by another one, launched. A launch does the work of the nodes, those
// of child graphs in their place, one after the other inside the call.
#include "runtime/capture.h"
#include "runtime/graphs/conditional.h"
#include "runtime/graphs/nodes.h"
#include "runtime/stream.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

constexpr u64 free_on_launch = 1, device_launch = 4, all_flags = 15; // cudaGraphInstantiateFlags

bool in_order(const Graph& graph) {
  if (!graph.order()) return false;
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    std::span<std::shared_ptr<Graph>> inner = inner_graphs(node->work);
    return std::all_of(inner.begin(), inner.end(), [](const auto& one) { return in_order(*one); });
  });
}

cudaError_t instantiate(Runtime& runtime, cudaGraphExec_t* out, cudaGraph_t graph, u64 flags,
                        cudaGraphInstantiateResult& result) {
  result = cudaGraphInstantiateError;
  if (!out || !exists(graph) || flags > all_flags) return cudaErrorInvalidValue;
  if ((flags & device_launch) != 0) {
    runtime.note_unsupported("cudaGraphInstantiate for launches by the device");
    result = cudaGraphInstantiateNodeOperationNotSupported;
    return cudaErrorNotSupported;
  }
  result = cudaGraphInstantiateInvalidStructure;
  if (!in_order(*graph)) return cudaErrorInvalidValue;
  *out = graph_execs().add({graph->copy(), flags});
  result = cudaGraphInstantiateSuccess;
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t* out, cudaGraph_t graph, u64 flags) {
  cudaGraphInstantiateResult result{};
  return api([&](Runtime& r) { return instantiate(r, out, graph, flags, result); });
}

// What differs between two graphs that should have the same shape, node by node in the order in which they were made.
cudaGraphExecUpdateResultInfo compare(const Graph& now, const Graph& wanted) {
  cudaGraphExecUpdateResultInfo info{};
  auto differ = [&](cudaGraphExecUpdateResult how, GraphNode* node) {
    info.result = how;
    info.errorNode = node;
  };
  if (now.nodes.size() != wanted.nodes.size())
    return differ(cudaGraphExecUpdateErrorTopologyChanged, nullptr), info;
  std::map<const GraphNode*, std::size_t> number;
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    number[now.nodes[i].get()] = number[wanted.nodes[i].get()] = i;
  auto after = [&](const GraphNode& node) {
    std::set<std::size_t> out;
    for (const Edge& edge : node.dependencies) out.insert(number[edge.from]);
    return out;
  };
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    GraphNode &a = *now.nodes[i], &b = *wanted.nodes[i];
    if (a.work.index() != b.work.index()) return differ(cudaGraphExecUpdateErrorNodeTypeChanged, &b), info;
    if (after(a) != after(b)) return differ(cudaGraphExecUpdateErrorTopologyChanged, &b), info;
    std::span<std::shared_ptr<Graph>> inner = inner_graphs(a.work), wanted_inner = inner_graphs(b.work);
    if (inner.size() != wanted_inner.size())
      return differ(cudaGraphExecUpdateErrorParametersChanged, &b), info;
    for (std::size_t j = 0; j < inner.size(); ++j) {
      info = compare(*inner[j], *wanted_inner[j]);
      if (info.result != cudaGraphExecUpdateSuccess) return info;
    }
    if (std::holds_alternative<AllocateWork>(a.work))
      return differ(cudaGraphExecUpdateErrorNotSupported, &b), info;
  }
  return info;
}

void take_work(Graph& to, const Graph& from) {
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    GraphNode &a = *to.nodes[i], &b = *from.nodes[i];
    std::span<std::shared_ptr<Graph>> inner = inner_graphs(a.work);
    if (inner.empty()) a.work = b.work;
    if (auto* conditional = std::get_if<ConditionalWork>(&a.work))
      conditional->handle = std::get<ConditionalWork>(b.work).handle;
    for (std::size_t j = 0; j < inner.size(); ++j) take_work(*inner[j], *inner_graphs(b.work)[j]);
  }
}

} // namespace

void collect_work(const Graph& graph, bool free_first, std::vector<Work>& out) {
  for (GraphNode* node : graph.order().value_or(std::vector<GraphNode*>())) {
    if (!node->enabled) continue;
    if (auto* child = std::get_if<ChildWork>(&node->work)) {
      collect_work(*child->graph, free_first, out);
      continue;
    }
    if (auto* allocation = std::get_if<AllocateWork>(&node->work); allocation && free_first)
      allocation->memory->live = false;
    out.push_back(node->work);
  }
}

extern "C" {

cudaError_t cudaGraphInstantiate_11(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                    char* log, std::size_t size) {
  if (node) *node = nullptr;
  if (log && size != 0) *log = '\0';
  return instantiate(exec, graph, 0);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
  return api([&](Runtime& r) {
    if (!p) return cudaErrorInvalidValue;
    p->errNode_out = nullptr;
    return instantiate(r, exec, graph, p->flags, p->result_out);
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return api([&](Runtime&) {
    if (!exists(exec) || !flags) return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return api([&](Runtime&) { return graph_execs().erase(exec) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return api([&](Runtime&) {
    if (!exists(exec) || !exists(graph) || !info) return cudaErrorInvalidValue;
    *info = compare(*exec->graph, *graph);
    if (info->result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    take_work(*exec->graph, *graph);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecUpdate_11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                   cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (node) *node = info.errorNode;
  if (result) *result = info.result;
  return error;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return on_copy(exec, node, [&](Runtime&, GraphNode& copy) {
    const cudaGraphNodeType type = type_of(copy.work);
    if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemcpy && type != cudaGraphNodeTypeMemset)
      return cudaErrorInvalidValue;
    copy.enabled = enabled != 0;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return on_copy(exec, node, [&](Runtime&, GraphNode& copy) { return answer(enabled, copy.enabled); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return api_on(stream, [&](Runtime&) { return exists(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}

// The work is copied first, and done without the runtime's lock: host functions may wait for other threads that call CUDA.
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  std::vector<Work> work;
  cudaError_t error = api_on(
      stream,
      [&](Runtime&) {
        if (!exists(exec)) return cudaErrorInvalidValue;
        assign_defaults(*exec->graph);
        collect_work(*exec->graph, (exec->flags & free_on_launch) != 0, work);
        return cudaSuccess;
      },
      [&](Runtime&) -> Made {
        if (!exists(exec)) return failure(cudaErrorInvalidValue);
        return Work(ChildWork{exec->graph->copy()});
      });
  Upcoming& upcoming = Runtime::get().upcoming;
  auto function_of = [](const Work& one) {
    const auto* kernel = std::get_if<KernelWork>(&one);
    return kernel != nullptr ? kernel->function : nullptr;
  };
  for (const Work& one : work)
    if (const void* function = function_of(one)) upcoming.add(function);
  for (Work& one : work) {
    if (const void* function = function_of(one)) upcoming.remove(function);
    if (error == cudaSuccess) error = perform(one);
  }
  return error;
}

} // extern "C"
} // namespace warplens::runtime
