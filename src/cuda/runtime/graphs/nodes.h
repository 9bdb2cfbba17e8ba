// How the functions that make nodes, change them, and change those of an instantiated graph share their checks: each takes a
// function that makes the work.
#pragma once
#include "runtime/graphs/graph.h"

namespace warplens::runtime {

// A node of `graph` after `dependencies`, for `out`; make(runtime) gives the work or an error.
template <class Make>
cudaError_t add_node(cudaGraphNode_t* out, cudaGraph_t graph, GraphNode* const* dependencies,
                     std::size_t count, Make&& make, const cudaGraphEdgeData* edges = nullptr) {
  return api([&](Runtime& r) -> cudaError_t {
    if (!out || !exists(graph) || (count != 0 && !dependencies)) return cudaErrorInvalidValue;
    Made work = make(r);
    if (!work) return work.error();
    ResultOr<GraphNode*, cudaError_t> node = graph->add(std::move(*work), {dependencies, count}, edges);
    if (!node) return node.error();
    *out = *node;
    return cudaSuccess;
  });
}

// Other work for a node, of the same kind. A kernel's attributes stay.
inline cudaError_t replace_work(GraphNode& node, Made work) {
  if (!work) return work.error();
  if (work->index() != node.work.index()) return cudaErrorInvalidValue;
  if (auto* before = std::get_if<KernelWork>(&node.work))
    std::get<KernelWork>(*work).attributes = std::move(before->attributes);
  node.work = std::move(*work);
  return cudaSuccess;
}

template <class Make> cudaError_t change_node(cudaGraphNode_t node, Make&& make) {
  return api([&](Runtime& r) -> cudaError_t {
    return exists(node) ? replace_work(*node, make(r)) : cudaErrorInvalidValue;
  });
}

// The node of an instantiated graph that was made of `node`.
template <class Body> cudaError_t on_copy(cudaGraphExec_t exec, cudaGraphNode_t node, Body&& body) {
  return api([&](Runtime& r) -> cudaError_t {
    if (!exists(exec)) return cudaErrorInvalidValue;
    GraphNode* copy = exec->graph->copy_of(node);
    return copy ? body(r, *copy) : cudaErrorInvalidValue;
  });
}

template <class Make> cudaError_t change_copy(cudaGraphExec_t exec, cudaGraphNode_t node, Make&& make) {
  return on_copy(exec, node, [&](Runtime& r, GraphNode& copy) { return replace_work(copy, make(r)); });
}

// body(work) where the node has that kind of work.
template <class Kind, class Body> cudaError_t with_work(cudaGraphNode_t node, Body&& body) {
  return api([&](Runtime&) -> cudaError_t {
    Kind* work = exists(node) ? std::get_if<Kind>(&node->work) : nullptr;
    if (!work) return cudaErrorInvalidValue;
    return body(*work);
  });
}

} // namespace warplens::runtime
