// Graphs with conditional nodes: a loop that a kernel counts down, a branch that it takes or not, a choice of three.
#include <cstdio>
#include <cuda_runtime.h>

static int wrong = 0;
#define OK(call)                                                                                               \
  if (cudaError_t error = call; error != cudaSuccess)                                                          \
    ++wrong, printf("%s: %s, line %d\n", #call, cudaGetErrorName(error), __LINE__)
#define CHECK(what)                                                                                            \
  if (!(what)) ++wrong, printf("wrong: %s, line %d\n", #what, __LINE__)

__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(const int* which, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *which); }
__global__ void add(int* out, int what) { out[threadIdx.x] += what; }

static cudaGraphNode_t kernel(cudaGraph_t graph, void (*function)(int*, int), int* out, int what) {
  void* arguments[] = {&out, &what};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(function), p.gridDim = 1, p.blockDim = 32, p.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  return node;
}
template <class F> cudaGraphNode_t deciding(cudaGraph_t graph, F* function, int* value, cudaGraphConditionalHandle handle) {
  void* arguments[] = {&value, &handle};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(function), p.gridDim = 1, p.blockDim = 1, p.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  return node;
}
static cudaGraph_t* conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle, p.conditional.type = type, p.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
  return p.conditional.phGraph_out;
}
static int run(cudaGraph_t graph, const int* out) {
  cudaGraphExec_t exec = nullptr;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaGraphExecDestroy(exec));
  return out[31];
}

int main() {
  int *value = nullptr, *out = nullptr;
  OK(cudaMallocManaged(&value, 4));
  OK(cudaMallocManaged(&out, 128));
  cudaGraphConditionalHandle handle;
  cudaGraph_t loop, branch, choice;

  OK(cudaGraphCreate(&loop, 0)); // five times round
  OK(cudaGraphConditionalHandleCreate(&handle, loop, 1, cudaGraphCondAssignDefault));
  cudaGraph_t body = conditional(loop, nullptr, handle, cudaGraphCondTypeWhile, 1)[0];
  kernel(body, add, out, 10);
  deciding(body, count_down, value, handle);
  *value = 5;
  CHECK(run(loop, out) == 50);
  *value = 1;
  CHECK(run(loop, out) == 60); // the launch sets the value again

  OK(cudaGraphCreate(&branch, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, branch));
  cudaGraph_t* ways = conditional(branch, deciding(branch, choose, value, handle), handle, cudaGraphCondTypeIf, 2);
  kernel(ways[0], add, out, 100);
  cudaStream_t stream; // the other way is captured
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCaptureToGraph(stream, ways[1], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(out, 1000);
  OK(cudaStreamEndCapture(stream, nullptr));
  *value = 1;
  CHECK(run(branch, out) == 160);
  *value = 0;
  CHECK(run(branch, out) == 1160);

  OK(cudaGraphCreate(&choice, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, choice));
  ways = conditional(choice, deciding(choice, choose, value, handle), handle, cudaGraphCondTypeSwitch, 3);
  for (int i = 0; i < 3; ++i) kernel(ways[i], add, out, i + 1);
  *value = 2;
  CHECK(run(choice, out) == 1163);
  *value = 3; // none of them
  CHECK(run(choice, out) == 1163);

  cudaGraph_t endless; // nothing in it ever changes the value
  OK(cudaGraphCreate(&endless, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, endless, 1, cudaGraphCondAssignDefault));
  conditional(endless, nullptr, handle, cudaGraphCondTypeWhile, 1);
  cudaGraphExec_t exec = nullptr;
  OK(cudaGraphInstantiate(&exec, endless, 0));
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaErrorNotSupported);
  CHECK(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0) == cudaErrorInvalidValue);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
