// Streams that are captured, and their attributes: as the Runtime API has them.
#include "driver_api/frame.h"
#include "runtime/graphs/graph.h"

namespace warplens::runtime {

using Nodes = GraphNode* const*;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, Nodes, const cudaGraphEdgeData*,
                                          std::size_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamGetCaptureInfo_11(cudaStream_t, int*, unsigned long long*);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, int*, unsigned long long*, cudaGraph_t*, Nodes*,
                                        std::size_t*);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t, int*, unsigned long long*, cudaGraph_t*, Nodes*,
                                        const cudaGraphEdgeData**, std::size_t*);
cudaError_t cudaStreamUpdateCaptureDependencies_11(cudaStream_t, Nodes, std::size_t, unsigned);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t, Nodes, const cudaGraphEdgeData*, std::size_t,
                                                   unsigned);
cudaError_t cudaThreadExchangeStreamCaptureMode(int*);
cudaError_t cudaStreamSetAttribute(cudaStream_t, int, const cudaLaunchAttributeValue*);
cudaError_t cudaStreamGetAttribute(cudaStream_t, int, cudaLaunchAttributeValue*);
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t);

CUresult cuStreamBeginCapture_v2(cudaStream_t stream, int mode) {
  return driver([&] { return cudaStreamBeginCapture(stream, mode); });
}
CUresult cuStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, Nodes nodes,
                                     const cudaGraphEdgeData* data, std::size_t count, int mode) {
  return driver([&] { return cudaStreamBeginCaptureToGraph(stream, graph, nodes, data, count, mode); });
}
CUresult cuStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return driver([&] { return cudaStreamEndCapture(stream, graph); });
}
CUresult cuStreamGetCaptureInfo(cudaStream_t stream, int* status, unsigned long long* id) {
  return driver([&] { return cudaStreamGetCaptureInfo_11(stream, status, id); });
}
CUresult cuStreamGetCaptureInfo_v2(cudaStream_t stream, int* status, unsigned long long* id,
                                   cudaGraph_t* graph, Nodes* nodes, std::size_t* count) {
  return driver([&] { return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count); });
}
CUresult cuStreamGetCaptureInfo_v3(cudaStream_t stream, int* status, unsigned long long* id,
                                   cudaGraph_t* graph, Nodes* nodes, const cudaGraphEdgeData** data,
                                   std::size_t* count) {
  return driver([&] { return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, data, count); });
}
CUresult cuStreamUpdateCaptureDependencies(cudaStream_t stream, Nodes nodes, std::size_t count,
                                           unsigned flags) {
  return driver([&] { return cudaStreamUpdateCaptureDependencies_11(stream, nodes, count, flags); });
}
CUresult cuStreamUpdateCaptureDependencies_v2(cudaStream_t stream, Nodes nodes, const cudaGraphEdgeData* data,
                                              std::size_t count, unsigned flags) {
  return driver([&] { return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, data, count, flags); });
}
CUresult cuThreadExchangeStreamCaptureMode(int* mode) {
  return driver([&] { return cudaThreadExchangeStreamCaptureMode(mode); });
}
CUresult cuStreamSetAttribute(cudaStream_t stream, int id, const cudaLaunchAttributeValue* value) {
  return driver([&] { return cudaStreamSetAttribute(stream, id, value); });
}
CUresult cuStreamGetAttribute(cudaStream_t stream, int id, cudaLaunchAttributeValue* value) {
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
