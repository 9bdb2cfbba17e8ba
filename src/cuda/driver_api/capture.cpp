// Streams that are captured, and their attributes: as the Runtime API has them.
#include "driver_api/frame.h"
#include "runtime/graphs/graph.h"

namespace warplens::runtime {

using Nodes = GraphNode* const*;

extern "C" {

CUresult cuStreamBeginCapture_v2(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return driver([&] { return cudaStreamBeginCapture(stream, mode); });
}
CUresult cuStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, Nodes nodes,
                                     const cudaGraphEdgeData* data, std::size_t count,
                                     cudaStreamCaptureMode mode) {
  return driver([&] { return cudaStreamBeginCaptureToGraph(stream, graph, nodes, data, count, mode); });
}
CUresult cuStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return driver([&] { return cudaStreamEndCapture(stream, graph); });
}
CUresult cuStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                unsigned long long* id) {
  return driver([&] { return cudaStreamGetCaptureInfo_11(stream, status, id); });
}
CUresult cuStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                   unsigned long long* id, cudaGraph_t* graph, Nodes* nodes,
                                   std::size_t* count) {
  return driver([&] { return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count); });
}
CUresult cuStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                   unsigned long long* id, cudaGraph_t* graph, Nodes* nodes,
                                   const cudaGraphEdgeData** data, std::size_t* count) {
  return driver([&] { return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, data, count); });
}
CUresult cuStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t count,
                                           unsigned flags) {
  return driver([&] { return cudaStreamUpdateCaptureDependencies_11(stream, nodes, count, flags); });
}
CUresult cuStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes,
                                              const cudaGraphEdgeData* data, std::size_t count,
                                              unsigned flags) {
  return driver([&] { return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, data, count, flags); });
}
CUresult cuThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return driver([&] { return cudaThreadExchangeStreamCaptureMode(mode); });
}
CUresult cuStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                              const cudaLaunchAttributeValue* value) {
  return driver([&] { return cudaStreamSetAttribute(stream, id, value); });
}
CUresult cuStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                              cudaLaunchAttributeValue* value) {
  return driver([&] { return cudaStreamGetAttribute(stream, id, value); });
}
CUresult cuStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return driver([&] { return cudaStreamCopyAttributes(to, from); });
}
CUresult cuStreamBeginCapture(cudaStream_t stream) { // before CUDA 10.1
  return cuStreamBeginCapture_v2(stream, cudaStreamCaptureModeGlobal);
}

} // extern "C"
} // namespace warplens::runtime
