// Nodes by kind: made, asked about, changed, in a graph and in an instantiated one. External semaphores are not
// supported.
#include "runtime/graphs/nodes.h"
#include "runtime/graphs/conditional.h"

namespace warplens::runtime {
namespace {

Made child_work(cudaGraph_t child) {
  if (!exists(child)) return failure(cudaErrorInvalidValue);
  return Work(ChildWork{child->copy()});
}

template <class Kind, class Out> cudaError_t get(cudaGraphNode_t node, Out* out) {
  return with_work<Kind>(node, [&](Kind& work) { return answer(out, work.parameters); });
}

template <class Kind> cudaError_t get_event(cudaGraphNode_t node, cudaEvent_t* out) {
  return with_work<Kind>(node, [&](Kind& work) { return answer(out, work.event); });
}

} // namespace

extern "C" {

using Nodes = GraphNode* const*;

// The three functions that make and change nodes of a kind: in a graph, and in an instantiated one. `work`: of the
// parameters, which are at the end.
#define WARPLENS_NODE(Kind, Set, Suffix, work, ...)                                                          \
  cudaError_t cudaGraphAdd##Kind##Node##Suffix(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after,        \
                                               std::size_t count, __VA_ARGS__) {                             \
    return add_node(node, graph, after, count, [&]([[maybe_unused]] Runtime& r) { return work; });           \
  }                                                                                                          \
  cudaError_t cudaGraph##Kind##Node##Set##Suffix(cudaGraphNode_t node, __VA_ARGS__) {                        \
    return change_node(node, [&]([[maybe_unused]] Runtime& r) { return work; });                             \
  }                                                                                                          \
  cudaError_t cudaGraphExec##Kind##Node##Set##Suffix(cudaGraphExec_t exec, cudaGraphNode_t node,             \
                                                     __VA_ARGS__) {                                          \
    return change_copy(exec, node, [&]([[maybe_unused]] Runtime& r) { return work; });                       \
  }
WARPLENS_NODE(Kernel, SetParams, , kernel_work(r, p), const cudaKernelNodeParams* p)
WARPLENS_NODE(Memcpy, SetParams, , copy_work(p), const cudaMemcpy3DParms* p)
WARPLENS_NODE(Memcpy, SetParams, 1D, copy_work(to, from, size, kind), void* to, const void* from,
              std::size_t size, cudaMemcpyKind kind)
WARPLENS_NODE(Memcpy, SetParams, ToSymbol, copy_to_symbol_work(r, symbol, from, size, offset, kind),
              const void* symbol, const void* from, std::size_t size, std::size_t offset, cudaMemcpyKind kind)
WARPLENS_NODE(Memcpy, SetParams, FromSymbol, copy_from_symbol_work(r, to, symbol, size, offset, kind),
              void* to, const void* symbol, std::size_t size, std::size_t offset, cudaMemcpyKind kind)
WARPLENS_NODE(Memset, SetParams, , fill_work(p), const cudaMemsetParams* p)
WARPLENS_NODE(Host, SetParams, , host_work(p), const cudaHostNodeParams* p)
WARPLENS_NODE(EventRecord, SetEvent, , event_work(cudaGraphNodeTypeEventRecord, event), cudaEvent_t event)
WARPLENS_NODE(EventWait, SetEvent, , event_work(cudaGraphNodeTypeWaitEvent, event), cudaEvent_t event)
#undef WARPLENS_NODE

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return with_work<KernelWork>(node, [&](KernelWork& work) {
    return answer(p, {const_cast<void*>(work.function), work.grid, work.block,
                      static_cast<unsigned>(work.shared), work.arguments(), nullptr});
  });
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  return with_work<KernelWork>(node, [&](KernelWork& work) {
    if (!value) return cudaErrorInvalidValue;
    work.set({id, {}, *value});
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  return with_work<KernelWork>(node, [&](KernelWork& work) {
    if (!value) return cudaErrorInvalidValue;
    *value = {};
    for (const cudaLaunchAttribute& attribute : work.attributes)
      if (attribute.id == id) *value = attribute.val;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return with_work<KernelWork>(to, [&](KernelWork& work) {
    return with_work<KernelWork>(from, [&](KernelWork& other) {
      work.attributes = other.attributes;
      return cudaSuccess;
    });
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return get<CopyWork>(node, p);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return get<FillWork>(node, p);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return get<HostWork>(node, p);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after,
                                       std::size_t count, cudaGraph_t child) {
  return add_node(node, graph, after, count, [&](Runtime&) { return child_work(child); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return change_copy(exec, node, [&](Runtime&) { return child_work(child); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_work<ChildWork>(node, [&](ChildWork& work) { return answer(graph, work.graph.get()); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t count) {
  return add_node(node, graph, after, count, [](Runtime&) { return Made(EmptyWork{}); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event<RecordWork>(node, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event<WaitWork>(node, event);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                     cudaMemAllocNodeParams* p) {
  return add_node(node, graph, after, count, [&](Runtime& r) { return allocate_work(r, p); });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
  return get<AllocateWork>(node, p);
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                    void* address) {
  return add_node(node, graph, after, count, [&](Runtime& r) { return free_work(r, address); });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address) {
  return with_work<FreeWork>(node, [&](FreeWork& work) {
    if (!address) return cudaErrorInvalidValue;
    *static_cast<void**>(address) = work.address;
    return cudaSuccess;
  });
}

} // extern "C"

// The same by cudaGraphNodeParams, which says the kind itself.
namespace {

Made work_of(Runtime& runtime, cudaGraphNodeParams* p) {
  if (!p) return failure(cudaErrorInvalidValue);
  switch (p->type) {
  case cudaGraphNodeTypeKernel: return kernel_work(runtime, &p->kernel);
  case cudaGraphNodeTypeMemcpy: return copy_work(&p->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: return fill_work(&p->memset);
  case cudaGraphNodeTypeHost: return host_work(&p->host);
  case cudaGraphNodeTypeGraph: return child_work(p->graph.graph);
  case cudaGraphNodeTypeEmpty: return Work(EmptyWork{});
  case cudaGraphNodeTypeWaitEvent: return event_work(p->type, p->eventWait.event);
  case cudaGraphNodeTypeEventRecord: return event_work(p->type, p->eventRecord.event);
  case cudaGraphNodeTypeMemAlloc: return allocate_work(runtime, &p->alloc);
  case cudaGraphNodeTypeMemFree: return free_work(runtime, p->free.dptr);
  case cudaGraphNodeTypeConditional: return conditional_work(&p->conditional);
  default:
    runtime.note_unsupported("cudaGraphAddNode of an external semaphore");
    return failure(cudaErrorNotSupported);
  }
}

} // namespace

extern "C" {

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after,
                                const cudaGraphEdgeData* edges, std::size_t count, cudaGraphNodeParams* p) {
  return add_node(
      node, graph, after, count, [&](Runtime& r) { return work_of(r, p); }, edges);
}
cudaError_t cudaGraphAddNode_12(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                cudaGraphNodeParams* p) {
  return cudaGraphAddNode_v2(node, graph, after, nullptr, count, p);
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return change_node(node, [&](Runtime& r) { return work_of(r, p); });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return change_copy(exec, node, [&](Runtime& r) { return work_of(r, p); });
}

} // extern "C"
} // namespace warplens::runtime
