// Graphs, but for the nodes whose parameters differ (graph_nodes.cpp): those of the Runtime API, whose handles, kinds and
// parameters are the same.
#include "driver_api/frame.h"
#include "runtime/graphs/graph.h"

namespace warplens::runtime {

using Node = cudaGraphNode_t;
using Nodes = GraphNode* const*;

extern "C" {

CUresult cuGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return driver([&] { return cudaGraphCreate(graph, flags); });
}
CUresult cuGraphDestroy(cudaGraph_t graph) {
  return driver([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return driver([&] { return cudaGraphClone(copy, graph); });
}
CUresult cuGraphNodeFindInClone(Node* found, Node node, cudaGraph_t graph) {
  return driver([&] { return cudaGraphNodeFindInClone(found, node, graph); });
}
CUresult cuGraphNodeGetType(Node node, cudaGraphNodeType* type) {
  return driver([&] { return cudaGraphNodeGetType(node, type); });
}
CUresult cuGraphGetNodes(cudaGraph_t graph, Node* nodes, std::size_t* count) {
  return driver([&] { return cudaGraphGetNodes(graph, nodes, count); });
}
CUresult cuGraphGetRootNodes(cudaGraph_t graph, Node* nodes, std::size_t* count) {
  return driver([&] { return cudaGraphGetRootNodes(graph, nodes, count); });
}
CUresult cuGraphGetEdges(cudaGraph_t graph, Node* from, Node* to, std::size_t* count) {
  return driver([&] { return cudaGraphGetEdges_11(graph, from, to, count); });
}
CUresult cuGraphGetEdges_v2(cudaGraph_t graph, Node* from, Node* to, cudaGraphEdgeData* data,
                            std::size_t* count) {
  return driver([&] { return cudaGraphGetEdges_v2(graph, from, to, data, count); });
}
CUresult cuGraphNodeGetDependencies(Node node, Node* nodes, std::size_t* count) {
  return driver([&] { return cudaGraphNodeGetDependencies_11(node, nodes, count); });
}
CUresult cuGraphNodeGetDependencies_v2(Node node, Node* nodes, cudaGraphEdgeData* data, std::size_t* count) {
  return driver([&] { return cudaGraphNodeGetDependencies_v2(node, nodes, data, count); });
}
CUresult cuGraphNodeGetDependentNodes(Node node, Node* nodes, std::size_t* count) {
  return driver([&] { return cudaGraphNodeGetDependentNodes_11(node, nodes, count); });
}
CUresult cuGraphNodeGetDependentNodes_v2(Node node, Node* nodes, cudaGraphEdgeData* data,
                                         std::size_t* count) {
  return driver([&] { return cudaGraphNodeGetDependentNodes_v2(node, nodes, data, count); });
}
CUresult cuGraphAddDependencies(cudaGraph_t graph, Nodes from, Nodes to, std::size_t count) {
  return driver([&] { return cudaGraphAddDependencies_11(graph, from, to, count); });
}
CUresult cuGraphAddDependencies_v2(cudaGraph_t graph, Nodes from, Nodes to, const cudaGraphEdgeData* data,
                                   std::size_t count) {
  return driver([&] { return cudaGraphAddDependencies_v2(graph, from, to, data, count); });
}
CUresult cuGraphRemoveDependencies(cudaGraph_t graph, Nodes from, Nodes to, std::size_t count) {
  return driver([&] { return cudaGraphRemoveDependencies_11(graph, from, to, count); });
}
CUresult cuGraphRemoveDependencies_v2(cudaGraph_t graph, Nodes from, Nodes to, const cudaGraphEdgeData* data,
                                      std::size_t count) {
  return driver([&] { return cudaGraphRemoveDependencies_v2(graph, from, to, data, count); });
}
CUresult cuGraphDestroyNode(Node node) {
  return driver([&] { return cudaGraphDestroyNode(node); });
}
CUresult cuGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
  return driver([&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}
CUresult cuGraphKernelNodeSetAttribute(Node node, cudaLaunchAttributeID id,
                                       const cudaLaunchAttributeValue* value) {
  return driver([&] { return cudaGraphKernelNodeSetAttribute(node, id, value); });
}
CUresult cuGraphKernelNodeGetAttribute(Node node, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value) {
  return driver([&] { return cudaGraphKernelNodeGetAttribute(node, id, value); });
}
CUresult cuGraphKernelNodeCopyAttributes(Node to, Node from) {
  return driver([&] { return cudaGraphKernelNodeCopyAttributes(to, from); });
}
CUresult cuGraphMemsetNodeGetParams(Node node, cudaMemsetParams* p) {
  return driver([&] { return cudaGraphMemsetNodeGetParams(node, p); });
}
CUresult cuGraphMemsetNodeSetParams(Node node, const cudaMemsetParams* p) {
  return driver([&] { return cudaGraphMemsetNodeSetParams(node, p); });
}
CUresult cuGraphAddHostNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                            const cudaHostNodeParams* p) {
  return driver([&] { return cudaGraphAddHostNode(node, graph, after, count, p); });
}
CUresult cuGraphHostNodeGetParams(Node node, cudaHostNodeParams* p) {
  return driver([&] { return cudaGraphHostNodeGetParams(node, p); });
}
CUresult cuGraphHostNodeSetParams(Node node, const cudaHostNodeParams* p) {
  return driver([&] { return cudaGraphHostNodeSetParams(node, p); });
}
CUresult cuGraphExecHostNodeSetParams(cudaGraphExec_t exec, Node node, const cudaHostNodeParams* p) {
  return driver([&] { return cudaGraphExecHostNodeSetParams(exec, node, p); });
}
CUresult cuGraphAddChildGraphNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                  cudaGraph_t child) {
  return driver([&] { return cudaGraphAddChildGraphNode(node, graph, after, count, child); });
}
CUresult cuGraphChildGraphNodeGetGraph(Node node, cudaGraph_t* graph) {
  return driver([&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}
CUresult cuGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, Node node, cudaGraph_t child) {
  return driver([&] { return cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}
CUresult cuGraphAddEmptyNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count) {
  return driver([&] { return cudaGraphAddEmptyNode(node, graph, after, count); });
}
CUresult cuGraphAddEventRecordNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                   cudaEvent_t event) {
  return driver([&] { return cudaGraphAddEventRecordNode(node, graph, after, count, event); });
}
CUresult cuGraphEventRecordNodeGetEvent(Node node, cudaEvent_t* event) {
  return driver([&] { return cudaGraphEventRecordNodeGetEvent(node, event); });
}
CUresult cuGraphEventRecordNodeSetEvent(Node node, cudaEvent_t event) {
  return driver([&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, Node node, cudaEvent_t event) {
  return driver([&] { return cudaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}
CUresult cuGraphAddEventWaitNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                 cudaEvent_t event) {
  return driver([&] { return cudaGraphAddEventWaitNode(node, graph, after, count, event); });
}
CUresult cuGraphEventWaitNodeGetEvent(Node node, cudaEvent_t* event) {
  return driver([&] { return cudaGraphEventWaitNodeGetEvent(node, event); });
}
CUresult cuGraphEventWaitNodeSetEvent(Node node, cudaEvent_t event) {
  return driver([&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, Node node, cudaEvent_t event) {
  return driver([&] { return cudaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}
CUresult cuGraphAddMemAllocNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count,
                                cudaMemAllocNodeParams* p) {
  return driver([&] { return cudaGraphAddMemAllocNode(node, graph, after, count, p); });
}
CUresult cuGraphMemAllocNodeGetParams(Node node, cudaMemAllocNodeParams* p) {
  return driver([&] { return cudaGraphMemAllocNodeGetParams(node, p); });
}
CUresult cuGraphAddMemFreeNode(Node* node, cudaGraph_t graph, Nodes after, std::size_t count, void* address) {
  return driver([&] { return cudaGraphAddMemFreeNode(node, graph, after, count, address); });
}
CUresult cuGraphMemFreeNodeGetParams(Node node, void** address) {
  return driver([&] { return cudaGraphMemFreeNodeGetParams(node, address); });
}
CUresult cuGraphInstantiate_v2(cudaGraphExec_t* exec, cudaGraph_t graph, Node* node, char* log,
                               std::size_t size) {
  return driver([&] { return cudaGraphInstantiate_11(exec, graph, node, log, size); });
}
CUresult cuGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return driver([&] { return cudaGraphInstantiateWithFlags(exec, graph, flags); });
}
CUresult cuGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                      cudaGraphInstantiateParams* p) {
  return driver([&] { return cudaGraphInstantiateWithParams(exec, graph, p); });
}
CUresult cuGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return driver([&] { return cudaGraphExecGetFlags(exec, flags); });
}
CUresult cuGraphExecDestroy(cudaGraphExec_t exec) {
  return driver([&] { return cudaGraphExecDestroy(exec); });
}
CUresult cuGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, Node* node,
                           cudaGraphExecUpdateResult* result) {
  return driver([&] { return cudaGraphExecUpdate_11(exec, graph, node, result); });
}
CUresult cuGraphExecUpdate_v2(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  return driver([&] { return cudaGraphExecUpdate(exec, graph, info); });
}
CUresult cuGraphNodeSetEnabled(cudaGraphExec_t exec, Node node, unsigned enabled) {
  return driver([&] { return cudaGraphNodeSetEnabled(exec, node, enabled); });
}
CUresult cuGraphNodeGetEnabled(cudaGraphExec_t exec, Node node, unsigned* enabled) {
  return driver([&] { return cudaGraphNodeGetEnabled(exec, node, enabled); });
}
CUresult cuGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return driver([&] { return cudaGraphUpload(exec, stream); });
}
CUresult cuGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return driver([&] { return cudaGraphLaunch(exec, stream); });
}
CUresult cuGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, CUcontext,
                                        unsigned value, unsigned flags) {
  return driver([&] { return cudaGraphConditionalHandleCreate(handle, graph, value, flags); });
}
CUresult cuUserObjectCreate(cudaUserObject_t* out, void* object, cudaHostFn_t destroy, unsigned references,
                            unsigned flags) {
  return driver([&] { return cudaUserObjectCreate(out, object, destroy, references, flags); });
}
CUresult cuUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return driver([&] { return cudaUserObjectRetain(object, count); });
}
CUresult cuUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return driver([&] { return cudaUserObjectRelease(object, count); });
}
CUresult cuGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
  return driver([&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}
CUresult cuGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return driver([&] { return cudaGraphReleaseUserObject(graph, object, count); });
}
CUresult cuDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return driver([&] { return cudaDeviceGetGraphMemAttribute(device, attribute, value); });
}
CUresult cuDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return driver([&] { return cudaDeviceSetGraphMemAttribute(device, attribute, value); });
}
CUresult cuDeviceGraphMemTrim(int device) {
  return driver([&] { return cudaDeviceGraphMemTrim(device); });
}

} // extern "C"
} // namespace warplens::runtime
