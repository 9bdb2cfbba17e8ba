// Graphs built by functions, updated, and captured from streams: each part checks its own results and says "wrong: …" if they
// are not what the graph says. At the end the number of launches that the report has to count.
#include <cstdio>
#include <cuda_runtime.h>

static int wrong = 0, launches = 0;
static void check(bool condition, int line, const char* text) {
  if (!condition) ++wrong, printf("wrong: line %d: %s\n", line, text);
}
#define CHECK(condition) check(condition, __LINE__, #condition)
#define OK(call) CHECK((call) == cudaSuccess)

constexpr int n = 256;
__device__ float offset[n];
__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }
__global__ void add(float* x, const float* y) { x[threadIdx.x] += y[threadIdx.x]; }
__global__ void shift(float* x) { x[threadIdx.x] += offset[threadIdx.x]; }

static int order[8], calls = 0;
static void note(void* number) { order[calls++] = static_cast<int>(reinterpret_cast<size_t>(number)); }

static cudaGraphNode_t kernel(cudaGraph_t graph, void* function, void** arguments, const cudaGraphNode_t* after,
                              size_t count) {
  cudaKernelNodeParams p = {function, dim3(1), dim3(n), 0, arguments, nullptr};
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddKernelNode(&node, graph, after, count, &p));
  return node;
}

// in → device, × 3, + offset, → out; a host function at the end. The arguments are copied when the node is made.
static void built(float* in, float* out, float* device) {
  cudaGraph_t graph;
  cudaGraphNode_t to, from, symbol, host, zero;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill = {device, 0, 0, 4, n, 1};
  OK(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill));
  OK(cudaGraphAddMemcpyNode1D(&to, graph, &zero, 1, device, in, n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, nullptr, 0, offset, in, n * sizeof(float), 0, cudaMemcpyHostToDevice));
  float by = 3;
  void *scale_arguments[] = {&device, &by}, *shift_arguments[] = {&device};
  cudaGraphNode_t first = kernel(graph, reinterpret_cast<void*>(scale), scale_arguments, &to, 1);
  by = 100;
  cudaGraphNode_t both[] = {first, symbol};
  cudaGraphNode_t second = kernel(graph, reinterpret_cast<void*>(shift), shift_arguments, both, 2);
  OK(cudaGraphAddMemcpyNode1D(&from, graph, &second, 1, out, device, n * sizeof(float), cudaMemcpyDeviceToHost));
  cudaHostNodeParams call = {note, reinterpret_cast<void*>(7)};
  OK(cudaGraphAddHostNode(&host, graph, &from, 1, &call));

  size_t nodes = 0, edges = 0, roots = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 7 && edges == 6 && roots == 2);

  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  calls = 0;
  for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(exec, 0)), launches += 2;
  OK(cudaDeviceSynchronize());
  CHECK(out[5] == 20 && out[255] == 1020);
  CHECK(calls == 2 && order[0] == 7);

  by = 10; // of the instantiated graph alone
  cudaKernelNodeParams p = {reinterpret_cast<void*>(scale), dim3(1), dim3(n), 0, scale_arguments, nullptr};
  OK(cudaGraphExecKernelNodeSetParams(exec, first, &p));
  OK(cudaGraphNodeSetEnabled(exec, second, 0));
  OK(cudaGraphLaunch(exec, 0)), launches += 1;
  CHECK(out[5] == 50);
  OK(cudaGraphKernelNodeGetParams(first, &p));
  CHECK(*static_cast<float*>(p.kernelParams[1]) == 3 && p.blockDim.x == n);

  cudaGraph_t clone;
  cudaGraphNode_t found;
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphNodeFindInClone(&found, first, clone));
  CHECK(found != first);
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(exec, clone, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess);
  OK(cudaGraphDestroyNode(found));
  CHECK(cudaGraphExecUpdate(exec, clone, &info) == cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);

  CHECK(cudaGraphAddDependencies(graph, &from, &to, nullptr, 1) == cudaSuccess); // a circle
  cudaGraphExec_t none = nullptr;
  CHECK(cudaGraphInstantiate(&none, graph, 0) != cudaSuccess);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(graph) != cudaSuccess);
  cudaGetLastError();
}

// Two streams: the second joins by an event, and is waited for. Host functions run in the order in which they were put there.
static void captured(float* in, float* out, float* device) {
  cudaStream_t one, two;
  cudaEvent_t forked, joined;
  float* other = nullptr;
  OK(cudaStreamCreate(&one));
  OK(cudaStreamCreate(&two));
  OK(cudaEventCreate(&forked));
  OK(cudaEventCreate(&joined));
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(device, in, n * sizeof(float), cudaMemcpyHostToDevice, one));
  OK(cudaMallocAsync(reinterpret_cast<void**>(&other), n * sizeof(float), one));
  OK(cudaEventRecord(forked, one));
  OK(cudaStreamWaitEvent(two, forked, 0));
  OK(cudaMemcpyAsync(other, in, n * sizeof(float), cudaMemcpyHostToDevice, two));
  scale<<<1, n, 0, two>>>(other, 2);
  OK(cudaLaunchHostFunc(two, note, reinterpret_cast<void*>(1)));
  OK(cudaEventRecord(joined, two));
  scale<<<1, n, 0, one>>>(device, 5);
  OK(cudaStreamWaitEvent(one, joined, 0));
  add<<<1, n, 0, one>>>(device, other);
  OK(cudaFreeAsync(other, one));
  OK(cudaMemcpyAsync(out, device, n * sizeof(float), cudaMemcpyDeviceToHost, one));
  OK(cudaLaunchHostFunc(one, note, reinterpret_cast<void*>(2)));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(two, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  out[5] = -1, calls = 0;
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(one, &graph));
  CHECK(out[5] == -1 && calls == 0); // nothing ran
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, one)), launches += 3;
  OK(cudaStreamSynchronize(one));
  CHECK(out[5] == 35);
  CHECK(calls == 6 && order[0] == 1 && order[1] == 2 && order[4] == 1);

  // As a child of another graph, twice.
  cudaGraph_t parent;
  cudaGraphNode_t first, second;
  OK(cudaGraphCreate(&parent, 0));
  OK(cudaGraphAddChildGraphNode(&first, parent, nullptr, 0, graph));
  OK(cudaGraphAddChildGraphNode(&second, parent, &first, 1, graph));
  cudaGraphExec_t twice;
  OK(cudaGraphInstantiateWithFlags(&twice, parent, 0));
  calls = 0;
  OK(cudaGraphLaunch(twice, 0)), launches += 6;
  CHECK(calls == 4);
  cudaGraphExecDestroy(twice), cudaGraphDestroy(parent), cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);

  // What goes wrong: a stream that is never waited for, one that the host waits for, an event of nowhere.
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  OK(cudaEventRecord(forked, one));
  OK(cudaStreamWaitEvent(two, forked, 0));
  scale<<<1, n, 0, two>>>(device, 2);
  CHECK(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureUnjoined && graph == nullptr);
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  CHECK(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaMemsetAsync(device, 0, 4, one) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  OK(cudaEventRecord(forked, one));
  OK(cudaStreamWaitEvent(two, forked, 0));
  OK(cudaMemsetAsync(device, 0, 4, two));
  OK(cudaEventRecord(joined, two));
  OK(cudaStreamWaitEvent(one, joined, 0));
  OK(cudaStreamDestroy(two)); // nobody needs it any more
  OK(cudaStreamEndCapture(one, &graph));
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  CHECK(cudaStreamWaitEvent(one, joined, 0) == cudaErrorStreamCaptureIsolation);
  CHECK(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  scale<<<1, n, 0, one>>>(device, 2), ++launches; // and then the stream works as before
  OK(cudaStreamSynchronize(one));
}

int main() {
  float in[n], out[n], *device;
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);
  OK(cudaMalloc(reinterpret_cast<void**>(&device), sizeof in));
  built(in, out, device);
  captured(in, out, device);
  cudaGraphNode_t node;
  cudaGraph_t empty;
  OK(cudaGraphCreate(&empty, 0));
  cudaGraphNodeParams semaphore = {};
  semaphore.type = static_cast<cudaGraphNodeType>(8); // cudaGraphNodeTypeExtSemaphoreSignal
  CHECK(cudaGraphAddNode(&node, empty, nullptr, nullptr, 0, &semaphore) == cudaErrorNotSupported);
  printf("%d wrong, %d launches\n", wrong, launches);
  return wrong != 0;
}
