// Nodes of graphs whose parameters the driver lays out otherwise than the Runtime API: kernels, which say their function twice,
// copies, and what may be either. Other functions of graphs are rows FORWARD of exports.def.
#include "driver_api/copy.h"
#include "runtime/graphs/graph.h"
#include <cstring>

namespace warplens::runtime {

struct KernelNode { // CUDA_KERNEL_NODE_PARAMS_v2; the first version ends before `kernel`
  cudaKernelNodeParams common;
  CUfunction kernel;
  CUcontext context;
};
struct MemcpyNode { // CUDA_MEMCPY_NODE_PARAMS
  int flags, reserved;
  CUcontext context;
  CUDA_MEMCPY3D copy;
};

using Node = cudaGraphNode_t;
using Nodes = GraphNode* const*;

namespace {

// The function, or the kernel where there is none.
cudaKernelNodeParams runtime_kernel(const KernelNode& p) {
  cudaKernelNodeParams out = p.common;
  if (!out.func) out.func = p.kernel;
  return out;
}

template <class Body> CUresult with_kernel(const KernelNode* p, Body&& body) {
  return driver([&]() -> cudaError_t {
    if (!p) return cudaErrorInvalidValue;
    const cudaKernelNodeParams parameters = runtime_kernel(*p);
    return body(&parameters);
  });
}
template <class Body> CUresult with_copy(const CUDA_MEMCPY3D* p, Body&& body) {
  return driver([&]() -> cudaError_t {
    if (!p) return cudaErrorInvalidValue;
    ResultOr<cudaMemcpy3DParms, cudaError_t> parameters = runtime_copy(*p);
    return parameters ? body(&*parameters) : parameters.error();
  });
}

// CUgraphNodeParams as the Runtime API has it. What an allocation fills in goes back.
template <class Body> CUresult with_any(cudaGraphNodeParams* p, Body&& body) {
  return driver([&]() -> cudaError_t {
    if (!p) return cudaErrorInvalidValue;
    cudaGraphNodeParams parameters = *p;
    if (p->type == cudaGraphNodeTypeKernel) {
      KernelNode kernel{p->kernel, nullptr, nullptr};
      std::memcpy(&kernel.kernel, &p->kernel + 1, sizeof kernel.kernel); // what follows, of the union's bytes
      parameters.kernel = runtime_kernel(kernel);
    } else if (p->type == cudaGraphNodeTypeMemcpy) {
      MemcpyNode node;
      std::memcpy(&node, &p->memcpy, sizeof node);
      ResultOr<cudaMemcpy3DParms, cudaError_t> copy = runtime_copy(node.copy);
      if (!copy) return copy.error();
      parameters.memcpy.copyParams = *copy;
    }
    cudaError_t error = body(&parameters);
    if (p->type == cudaGraphNodeTypeMemAlloc) p->alloc = parameters.alloc;
    if (p->type == cudaGraphNodeTypeConditional) p->conditional = parameters.conditional;
    return error;
  });
}

} // namespace

extern "C" {

CUresult cuGraphAddKernelNode_v2(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                 const KernelNode* p) {
  return with_kernel(p, [&](auto* q) { return cudaGraphAddKernelNode(node, graph, after, count, q); });
}
CUresult cuGraphKernelNodeSetParams_v2(Node node, const KernelNode* p) {
  return with_kernel(p, [&](auto* q) { return cudaGraphKernelNodeSetParams(node, q); });
}
CUresult cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, Node node, const KernelNode* p) {
  return with_kernel(p, [&](auto* q) { return cudaGraphExecKernelNodeSetParams(exec, node, q); });
}
CUresult cuGraphKernelNodeGetParams_v2(Node node, KernelNode* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  p->kernel = nullptr;
  p->context = current_context();
  return driver([&] { return cudaGraphKernelNodeGetParams(node, &p->common); });
}

CUresult cuGraphAddMemcpyNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                              const CUDA_MEMCPY3D* p, CUcontext) {
  return with_copy(p, [&](auto* q) { return cudaGraphAddMemcpyNode(node, graph, after, count, q); });
}
CUresult cuGraphMemcpyNodeSetParams(Node node, const CUDA_MEMCPY3D* p) {
  return with_copy(p, [&](auto* q) { return cudaGraphMemcpyNodeSetParams(node, q); });
}
CUresult cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, Node node, const CUDA_MEMCPY3D* p, CUcontext) {
  return with_copy(p, [&](auto* q) { return cudaGraphExecMemcpyNodeSetParams(exec, node, q); });
}
CUresult cuGraphMemcpyNodeGetParams(Node node, CUDA_MEMCPY3D* p) {
  return driver([&] {
    cudaMemcpy3DParms parameters{};
    cudaError_t error = p ? cudaGraphMemcpyNodeGetParams(node, &parameters) : cudaErrorInvalidValue;
    if (error == cudaSuccess) *p = driver_copy(parameters);
    return error;
  });
}

CUresult cuGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, CUcontext,
                                        unsigned value, unsigned flags) {
  return driver([&] { return cudaGraphConditionalHandleCreate(handle, graph, value, flags); });
}

CUresult cuGraphAddNode_v2(Node* node, cudaGraph_t graph, Nodes after, const cudaGraphEdgeData* data,
                           std::size_t count, cudaGraphNodeParams* p) {
  return with_any(p, [&](auto* q) { return cudaGraphAddNode_v2(node, graph, after, data, count, q); });
}
CUresult cuGraphAddNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                        cudaGraphNodeParams* p) {
  return cuGraphAddNode_v2(node, graph, after, nullptr, count, p);
}
CUresult cuGraphNodeSetParams(Node node, cudaGraphNodeParams* p) {
  return with_any(p, [&](auto* q) { return cudaGraphNodeSetParams(node, q); });
}
CUresult cuGraphExecNodeSetParams(cudaGraphExec_t exec, Node node, cudaGraphNodeParams* p) {
  return with_any(p, [&](auto* q) { return cudaGraphExecNodeSetParams(exec, node, q); });
}

} // extern "C"
} // namespace warplens::runtime
