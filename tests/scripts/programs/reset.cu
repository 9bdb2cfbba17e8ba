// A handle of each kind, used after cudaDeviceReset: an error, and never what it was. Then new ones, which work.
#include <cstdio>
#include <cuda_runtime.h>

struct BlasHandle;
extern "C" {
int cublasCreate_v2(BlasHandle**);
int cublasSetPointerMode_v2(BlasHandle*, int);
int cufftPlan1d(int*, int, int, int);
int cufftSetStream(int, cudaStream_t);
}

__global__ void set(int* to) { *to = 7; }

int wrong = 0;
void expect(const char* what, bool holds) {
  if (holds) return;
  std::printf("%s\n", what);
  ++wrong;
}

int released = 0;
void release(void*) { ++released; }

int main() {
  cudaStream_t stream, capturing;
  cudaEvent_t event;
  cudaGraph_t graph, captured;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaUserObject_t object;
  cudaMemPool_t pool;
  cudaArray_t array;
  cudaTextureObject_t texture;
  BlasHandle* blas;
  int plan, *memory;

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  auto make = [&] {
    bool all = cudaStreamCreate(&stream) == cudaSuccess && cudaStreamCreate(&capturing) == cudaSuccess &&
               cudaEventCreate(&event) == cudaSuccess && cudaMalloc(&memory, 4) == cudaSuccess &&
               cudaGraphCreate(&graph, 0) == cudaSuccess &&
               cudaGraphAddEmptyNode(&node, graph, nullptr, 0) == cudaSuccess &&
               cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess &&
               cudaUserObjectCreate(&object, &wrong, release, 1, 1) == cudaSuccess &&
               cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess &&
               cudaMemPoolCreate(&pool, &properties) == cudaSuccess &&
               cudaMallocArray(&array, &format, 64, 64) == cudaSuccess &&
               cublasCreate_v2(&blas) == 0 && cufftPlan1d(&plan, 64, 0x29, 1) == 0;
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling{};
    all = all && cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) == cudaSuccess;
    set<<<1, 1, 0, stream>>>(memory);
    int value = 0;
    cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost);
    return all && value == 7 && cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal) == cudaSuccess;
  };
  expect("handles are made", make());
  expect("it is reset", cudaDeviceReset() == cudaSuccess);
  expect("what graphs kept alive is released", released == 1);

  cudaStream_t other = nullptr;
  float time;
  size_t count = 0;
  cudaResourceDesc resource;
  unsigned long long used;
  expect("stream", cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
  expect("stream of a launch", (set<<<1, 1, 0, stream>>>(nullptr), cudaGetLastError()) != cudaSuccess);
  expect("captured stream", cudaStreamEndCapture(capturing, &captured) != cudaSuccess);
  expect("event", cudaEventRecord(event, other) == cudaErrorInvalidResourceHandle);
  expect("events", cudaEventElapsedTime(&time, event, event) == cudaErrorInvalidResourceHandle);
  expect("graph", cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess);
  expect("node", cudaGraphDestroyNode(node) != cudaSuccess);
  expect("executable graph", cudaGraphLaunch(executable, other) != cudaSuccess);
  expect("user object", cudaUserObjectRelease(object, 1) != cudaSuccess);
  expect("pool", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess);
  expect("array", cudaFreeArray(array) != cudaSuccess);
  expect("texture", cudaGetTextureObjectResourceDesc(&resource, texture) != cudaSuccess);
  expect("memory", cudaFree(memory) != cudaSuccess);
  expect("cuBLAS", cublasSetPointerMode_v2(blas, 0) != 0);
  expect("cuFFT", cufftSetStream(plan, other) != 0);
  cudaGetLastError();

  expect("new handles are made", make());
  expect("the new stream", cudaStreamEndCapture(capturing, &captured) == cudaSuccess &&
                               cudaStreamSynchronize(stream) == cudaSuccess);
  std::printf("%d wrong\n", wrong);
}
