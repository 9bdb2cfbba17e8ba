// See capture.h; the functions of the API that begin, end and look into captures.
#include "runtime/capture.h"
#include "runtime/graphs/graph.h"
#include "runtime/stream.h"
#include <algorithm>
#include <thread>
#include <utility>

namespace warplens::runtime {
namespace {

struct Capture {
  cudaStream_t origin;
  std::shared_ptr<Graph> graph;
  bool owned; // the graph is made by the capture, and not given
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  u64 id;
  bool valid = true;
  std::set<const GraphNode*> made{};
};
// A stream or an event in a capture.
struct Part {
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> at; // what comes next depends on these
  std::vector<cudaGraphEdgeData> edges{};
};

// They outlive the program's atexit handlers.
std::map<cudaStream_t, Part>& streams() { return of_device<std::map<cudaStream_t, Part>>(); }
std::map<cudaEvent_t, Part>& captured_events() { return of_device<std::map<cudaEvent_t, Part>>(); }

thread_local cudaStreamCaptureMode interaction_mode = cudaStreamCaptureModeGlobal;

bool is_legacy(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

cudaError_t invalidate(Capture& capture, cudaError_t error) {
  capture.valid = false;
  return error;
}

void add_to(std::vector<GraphNode*>& nodes, const std::vector<GraphNode*>& more) {
  for (GraphNode* node : more)
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph, bool owned,
                  std::vector<GraphNode*> after) {
  static u64 last_id = 0;
  if (is_legacy(stream)) return cudaErrorStreamCaptureUnsupported;
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (is_captured(stream)) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>(
      Capture{stream, std::move(graph), owned, mode, std::this_thread::get_id(), ++last_id});
  streams()[stream] = {std::move(capture), std::move(after)};
  return cudaSuccess;
}

// Whether all that was captured comes before the end of the stream where the capture began.
bool is_joined(const Part& origin) {
  std::set<const GraphNode*> before;
  std::vector<const GraphNode*> open(origin.at.begin(), origin.at.end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!before.insert(node).second) continue;
    for (const Edge& edge : node->dependencies) open.push_back(edge.from);
  }
  return std::all_of(origin.capture->made.begin(), origin.capture->made.end(),
                     [&](const GraphNode* node) { return before.contains(node); });
}

cudaError_t end(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph) *graph = nullptr;
  auto found = streams().find(stream);
  if (found == streams().end()) return cudaErrorIllegalState;
  const std::shared_ptr<Capture> capture = found->second.capture;
  if (capture->origin != stream) return invalidate(*capture, cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  const bool joined = is_joined(found->second);
  std::erase_if(streams(), [&](const auto& entry) { return entry.second.capture == capture; });
  std::erase_if(captured_events(), [&](const auto& entry) { return entry.second.capture == capture; });
  if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  if (capture->owned && !graph) return cudaErrorInvalidValue; // nobody would own it
  if (capture->owned) graphs()[capture->graph.get()] = capture->graph;
  if (graph) *graph = capture->graph.get();
  return cudaSuccess;
}

struct Info { // what cudaStreamGetCaptureInfo fills in; each may be null but the status
  cudaStreamCaptureStatus* status;
  unsigned long long* id = nullptr;
  cudaGraph_t* graph = nullptr;
  GraphNode* const** dependencies = nullptr;
  const cudaGraphEdgeData** edges = nullptr;
  std::size_t* count = nullptr;
};

cudaError_t tell(cudaStream_t stream, const Info& info) {
  return api([&](Runtime&) -> cudaError_t {
    if (!info.status) return cudaErrorInvalidValue;
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    if (is_legacy(stream) && !streams().empty()) return cudaErrorStreamCaptureImplicit;
    auto found = streams().find(stream);
    *info.status = cudaStreamCaptureStatusNone;
    if (info.count) *info.count = 0;
    if (found == streams().end()) return cudaSuccess;
    Part& part = found->second;
    *info.status = part.capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    if (info.id) *info.id = part.capture->id;
    if (!part.capture->valid) return cudaSuccess;
    part.edges.assign(part.at.size(), {});
    if (info.graph) *info.graph = part.capture->graph.get();
    if (info.dependencies) *info.dependencies = part.at.data();
    if (info.edges) *info.edges = part.edges.data();
    if (info.count) *info.count = part.at.size();
    return cudaSuccess;
  });
}

cudaError_t update(cudaStream_t stream, GraphNode* const* nodes, std::size_t count, unsigned flags) {
  return api([&](Runtime&) -> cudaError_t {
    auto found = streams().find(stream);
    if (found == streams().end()) return cudaErrorIllegalState;
    Part& part = found->second;
    if (!part.capture->valid) return cudaErrorStreamCaptureInvalidated;
    if ((count != 0 && !nodes) || flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    std::vector<GraphNode*> given(nodes, nodes + count);
    for (GraphNode* node : given)
      if (!exists(node) || node->graph != part.capture->graph.get()) return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies) part.at.clear();
    add_to(part.at, given);
    return cudaSuccess;
  });
}

} // namespace

bool is_captured(cudaStream_t stream) { return !streams().empty() && streams().contains(stream); }
bool is_captured(cudaEvent_t event) {
  return !captured_events().empty() && captured_events().contains(event);
}

cudaError_t capture(cudaStream_t stream, Work work) {
  Part& part = streams().at(stream);
  if (!part.capture->valid) return cudaErrorStreamCaptureInvalidated;
  ResultOr<GraphNode*, cudaError_t> node = part.capture->graph->add(std::move(work), part.at);
  if (!node) return invalidate(*part.capture, node.error());
  part.capture->made.insert(*node);
  part.at = {*node};
  return cudaSuccess;
}

cudaError_t capture(cudaStream_t stream, Made work) {
  if (work) return capture(stream, std::move(*work));
  return invalidate(*streams().at(stream).capture, work.error());
}

cudaError_t capture_obstacle(cudaStream_t stream) {
  if (streams().empty()) return cudaSuccess;
  if (auto found = streams().find(stream); found != streams().end())
    return invalidate(*found->second.capture, cudaErrorStreamCaptureUnsupported);
  if (!is_legacy(stream)) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (auto& [captured, part] : streams())
    if (waits_for_legacy(captured)) error = invalidate(*part.capture, cudaErrorStreamCaptureImplicit);
  return error;
}

cudaError_t capture_obstacle_of_device() {
  cudaError_t error = cudaSuccess;
  for (auto& [captured, part] : streams())
    error = invalidate(*part.capture, cudaErrorStreamCaptureUnsupported);
  return error;
}

cudaError_t capture_obstacle_of_event(cudaEvent_t event) {
  if (!is_captured(event)) return cudaSuccess;
  return invalidate(*captured_events().at(event).capture, cudaErrorCapturedEvent);
}

cudaError_t capture_record(cudaEvent_t event, cudaStream_t stream, bool external) {
  if (external) return capture(stream, Work(RecordWork{event}));
  Part& part = streams().at(stream);
  if (!part.capture->valid) return cudaErrorStreamCaptureInvalidated;
  captured_events()[event] = {part.capture, part.at};
  return cudaSuccess;
}

cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event, bool external) {
  auto here = streams().find(stream);
  auto there = captured_events().find(event);
  if (here != streams().end() && !here->second.capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (external && here != streams().end()) return capture(stream, Work(WaitWork{event}));
  if (there == captured_events().end())
    return invalidate(*here->second.capture, cudaErrorStreamCaptureIsolation);
  if (!there->second.capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (here == streams().end()) {
    if (is_legacy(stream)) return invalidate(*there->second.capture, cudaErrorStreamCaptureImplicit);
    streams()[stream] = {there->second.capture, there->second.at};
    return cudaSuccess;
  }
  if (here->second.capture != there->second.capture) {
    invalidate(*here->second.capture, cudaErrorStreamCaptureMerge);
    return invalidate(*there->second.capture, cudaErrorStreamCaptureMerge);
  }
  add_to(here->second.at, there->second.at);
  return cudaSuccess;
}

void forget_capture(cudaEvent_t event) { captured_events().erase(event); }

void forget_capture(cudaStream_t stream) {
  auto found = streams().find(stream);
  if (found == streams().end()) return;
  if (found->second.capture->origin == stream) found->second.capture->valid = false;
  streams().erase(
      found); // what it has is in the graph: the end of the capture sees whether somebody waited for it
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api([&](Runtime&) {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    return begin(stream, mode, std::make_shared<Graph>(), true, {});
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, GraphNode* const* nodes,
                                          const cudaGraphEdgeData*, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  return api([&](Runtime&) {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    if (!exists(graph) || (count != 0 && !nodes)) return cudaErrorInvalidValue;
    std::vector<GraphNode*> after(nodes, nodes + count);
    for (GraphNode* node : after)
      if (!exists(node) || node->graph != graph) return cudaErrorInvalidValue;
    return begin(stream, mode, graph->shared_from_this(), false, std::move(after));
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return api([&](Runtime&) { return end(stream, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return tell(stream, {status});
}

cudaError_t cudaStreamGetCaptureInfo_11(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id) {
  return tell(stream, {status, id});
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        GraphNode* const** dependencies, std::size_t* count) {
  return tell(stream, {status, id, graph, dependencies, nullptr, count});
}
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        GraphNode* const** dependencies, const cudaGraphEdgeData** edges,
                                        std::size_t* count) {
  return tell(stream, {status, id, graph, dependencies, edges, count});
}

cudaError_t cudaStreamUpdateCaptureDependencies_11(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                   std::size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                   const cudaGraphEdgeData*, std::size_t count,
                                                   unsigned flags) {
  return update(stream, nodes, count, flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api([&](Runtime&) {
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    *mode = std::exchange(interaction_mode, *mode);
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
