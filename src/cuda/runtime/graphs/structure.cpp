// Graphs as a whole, their nodes and edges: made, copied, looked through, drawn, destroyed.
#include "os/file.h"
#include "ptx/parse.h"
#include "runtime/graphs/graph.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace warplens::runtime {
namespace {

template <class Body> cudaError_t on_graph(cudaGraph_t graph, Body&& body) {
  return api([&](Runtime& r) -> cudaError_t { return exists(graph) ? body(r) : cudaErrorInvalidValue; });
}
template <class Body> cudaError_t on_node(cudaGraphNode_t node, Body&& body) {
  return api([&](Runtime& r) -> cudaError_t { return exists(node) ? body(r) : cudaErrorInvalidValue; });
}

// As these functions hand out lists: only their length where `out` is null; else as many as there is room for, with null
// behind the last and the true number in `count`.
template <class T, class U> void hand_out(T* out, std::size_t room, const std::vector<U>& list) {
  if (!out) return;
  for (std::size_t i = 0; i < room; ++i) out[i] = i < list.size() ? T(list[i]) : T{};
}

cudaError_t give_edges(std::span<const Edge> edges, GraphNode** nodes, cudaGraphEdgeData* data,
                       std::size_t* count) {
  if (!count) return cudaErrorInvalidValue;
  std::vector<GraphNode*> list;
  std::vector<cudaGraphEdgeData> data_of;
  for (const Edge& edge : edges) list.push_back(edge.from), data_of.push_back(edge.data);
  const std::size_t room = *count;
  hand_out(nodes, room, list);
  hand_out(data, nodes ? room : 0, data_of);
  *count = nodes ? std::min(room, list.size()) : list.size();
  return cudaSuccess;
}

cudaError_t give_all_edges(const Graph& graph, GraphNode** from, GraphNode** to, cudaGraphEdgeData* data,
                           std::size_t* count) {
  if (!count) return cudaErrorInvalidValue;
  std::vector<GraphNode*> starts, ends;
  std::vector<cudaGraphEdgeData> data_of;
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->dependencies)
      starts.push_back(edge.from), ends.push_back(node.get()), data_of.push_back(edge.data);
  const std::size_t room = *count;
  hand_out(from, room, starts);
  hand_out(to, room, ends);
  hand_out(data, from ? room : 0, data_of);
  *count = from && to ? std::min(room, starts.size()) : starts.size();
  return cudaSuccess;
}

cudaError_t connect(const Graph* graph, GraphNode* const* from, GraphNode* const* to,
                    const cudaGraphEdgeData* data, std::size_t count, bool add) {
  if (count != 0 && (!from || !to)) return cudaErrorInvalidValue;
  auto same = [&](std::size_t i) { return [from, i](const Edge& edge) { return edge.from == from[i]; }; };
  for (std::size_t i = 0; i < count; ++i) {
    if (!exists(from[i]) || !exists(to[i]) || from[i] == to[i] || from[i]->graph != graph ||
        to[i]->graph != graph)
      return cudaErrorInvalidValue;
    const bool there = std::any_of(to[i]->dependencies.begin(), to[i]->dependencies.end(), same(i));
    if (there == add) return cudaErrorInvalidValue;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (add)
      to[i]->dependencies.push_back({from[i], data ? data[i] : cudaGraphEdgeData{}});
    else
      std::erase_if(to[i]->dependencies, same(i));
  return cudaSuccess;
}

std::string label(const Runtime& runtime, const GraphNode& node) {
  switch (type_of(node.work)) {
  case cudaGraphNodeTypeKernel: {
    if (auto* call = std::get_if<CallWork>(&node.work)) return call->name;
    const KernelWork& work = std::get<KernelWork>(node.work);
    const Kernel* kernel = runtime.binaries.kernel(work.function);
    return fmt::format("{} <<<{}x{}x{}, {}x{}x{}>>>", kernel ? ptx::demangle(kernel->name) : "kernel",
                       work.grid.x, work.grid.y, work.grid.z, work.block.x, work.block.y, work.block.z);
  }
  case cudaGraphNodeTypeMemcpy: return "memcpy";
  case cudaGraphNodeTypeMemset: return "memset";
  case cudaGraphNodeTypeHost: return "host";
  case cudaGraphNodeTypeGraph: return "graph";
  case cudaGraphNodeTypeWaitEvent: return "wait for event";
  case cudaGraphNodeTypeEventRecord: return "record event";
  case cudaGraphNodeTypeMemAlloc: return "allocate";
  case cudaGraphNodeTypeMemFree: return "free";
  default: return "empty";
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// In the language of Graphviz; child graphs as clusters of their own.
void draw(const Runtime& runtime, const Graph& graph, std::string& out) {
  out += fmt::format("subgraph cluster_{} {{\nlabel=\"graph {}\"\n", graph.id, graph.id);
  std::map<const GraphNode*, std::size_t> number;
  for (const auto& node : graph.nodes) {
    const std::size_t n = number.size();
    number[node.get()] = n;
    out += fmt::format("node_{}_{} [shape=box label=\"{}\\n{}\"]\n", graph.id, n, n,
                       escaped(label(runtime, *node)));
  }
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->dependencies)
      out += fmt::format("node_{0}_{1} -> node_{0}_{2}\n", graph.id, number[edge.from], number[node.get()]);
  for (const auto& node : graph.nodes)
    if (auto* child = std::get_if<ChildWork>(&node->work)) draw(runtime, *child->graph, out);
  out += "}\n";
}

} // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return api([&](Runtime&) {
    if (!graph || flags != 0) return cudaErrorInvalidValue;
    auto created = std::make_shared<Graph>();
    *graph = created.get();
    graphs()[*graph] = std::move(created);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api([&](Runtime&) { return graphs().erase(graph) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return on_graph(graph, [&](Runtime&) {
    if (!copy) return cudaErrorInvalidValue;
    std::shared_ptr<Graph> made = graph->copy();
    *copy = made.get();
    graphs()[*copy] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t graph) {
  return on_graph(graph, [&](Runtime&) {
    if (!found || !exists(node)) return cudaErrorInvalidValue;
    *found = graph->copy_of(node);
    return *found ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return on_node(node, [&](Runtime&) { return answer(type, type_of(node->work)); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, GraphNode** nodes, std::size_t* count) {
  return on_graph(graph, [&](Runtime&) {
    std::vector<Edge> all;
    for (const auto& node : graph->nodes) all.push_back({node.get(), {}});
    return give_edges(all, nodes, nullptr, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, GraphNode** nodes, std::size_t* count) {
  return on_graph(graph, [&](Runtime&) {
    std::vector<Edge> roots;
    for (const auto& node : graph->nodes)
      if (node->dependencies.empty()) roots.push_back({node.get(), {}});
    return give_edges(roots, nodes, nullptr, count);
  });
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, GraphNode** from, GraphNode** to, cudaGraphEdgeData* data,
                                 std::size_t* count) {
  return on_graph(graph, [&](Runtime&) { return give_all_edges(*graph, from, to, data, count); });
}
cudaError_t cudaGraphGetEdges_11(cudaGraph_t graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, GraphNode** nodes, cudaGraphEdgeData* data,
                                            std::size_t* count) {
  return on_node(node, [&](Runtime&) { return give_edges(node->dependencies, nodes, data, count); });
}
cudaError_t cudaGraphNodeGetDependencies_11(cudaGraphNode_t node, GraphNode** nodes, std::size_t* count) {
  return cudaGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, GraphNode** nodes,
                                              cudaGraphEdgeData* data, std::size_t* count) {
  return on_node(node,
                 [&](Runtime&) { return give_edges(node->graph->dependents(node), nodes, data, count); });
}
cudaError_t cudaGraphNodeGetDependentNodes_11(cudaGraphNode_t node, GraphNode** nodes, std::size_t* count) {
  return cudaGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, GraphNode* const* from, GraphNode* const* to,
                                        const cudaGraphEdgeData* data, std::size_t count) {
  return on_graph(graph, [&](Runtime&) { return connect(graph, from, to, data, count, true); });
}
cudaError_t cudaGraphAddDependencies_11(cudaGraph_t graph, GraphNode* const* from, GraphNode* const* to,
                                        std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, GraphNode* const* from, GraphNode* const* to,
                                           const cudaGraphEdgeData*, std::size_t count) {
  return on_graph(graph, [&](Runtime&) { return connect(graph, from, to, nullptr, count, false); });
}
cudaError_t cudaGraphRemoveDependencies_11(cudaGraph_t graph, GraphNode* const* from, GraphNode* const* to,
                                           std::size_t count) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return on_node(node, [&](Runtime&) {
    node->graph->remove(node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return on_graph(graph, [&](Runtime& r) {
    if (!path) return cudaErrorInvalidValue;
    std::string text = "digraph dot {\n";
    draw(r, *graph, text);
    std::ofstream file(path, std::ios::binary);
    file << text << "}\n";
    file.close();
    return file ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

// What graphs hold of the device's memory: all of it is in use, since it is given back with the graph.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    if (!value || attribute < cudaGraphMemAttrUsedMemCurrent || attribute > cudaGraphMemAttrReservedMemHigh)
      return cudaErrorInvalidValue;
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    *static_cast<u64*>(value) = high ? GraphMemory::most_held() : GraphMemory::held();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void*) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    if (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh)
      return cudaErrorInvalidValue;
    GraphMemory::forget_most();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return api([&](Runtime& r) { return r.is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

} // extern "C"
} // namespace warplens::runtime
