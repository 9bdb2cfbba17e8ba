// A handle of each kind, used after cudaDeviceReset: an error, and never what it was. Then new ones, which work. Of two devices
// the one that is reset forgets its own alone.
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

struct Handles {
  cudaStream_t stream, capturing;
  cudaEvent_t event;
  cudaGraph_t graph, captured;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaUserObject_t object;
  cudaMemPool_t pool;
  cudaArray_t array;
  cudaMipmappedArray_t levels;
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  BlasHandle* blas;
  int plan, *memory;

  bool make(int device = 0) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    bool all = cudaSetDevice(device) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess &&
               cudaStreamCreate(&capturing) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess &&
               cudaMalloc(&memory, 4) == cudaSuccess && cudaGraphCreate(&graph, 0) == cudaSuccess &&
               cudaGraphAddEmptyNode(&node, graph, nullptr, 0) == cudaSuccess &&
               cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess &&
               cudaUserObjectCreate(&object, &wrong, release, 1, 1) == cudaSuccess &&
               cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess &&
               cudaMemPoolCreate(&pool, &properties) == cudaSuccess &&
               cudaMallocArray(&array, &format, 64, 64, cudaArraySurfaceLoadStore) == cudaSuccess &&
               cudaMallocMipmappedArray(&levels, &format, {64, 64, 0}, 3) == cudaSuccess &&
               cublasCreate_v2(&blas) == 0 && cufftPlan1d(&plan, 64, 0x29, 1) == 0;
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling{};
    all = all && cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) == cudaSuccess &&
          cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess;
    set<<<1, 1, 0, stream>>>(memory);
    int value = 0;
    cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost);
    return all && value == 7 && cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal) == cudaSuccess;
  }

  void are_gone() {
    cudaStream_t other = nullptr;
    float time;
    cudaResourceDesc resource;
    cudaArray_t level;
    unsigned long long used;
    expect("stream", cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
    expect("stream of a launch", (set<<<1, 1, 0, stream>>>(nullptr), cudaGetLastError()) != cudaSuccess);
    expect("captured stream", cudaStreamEndCapture(capturing, &captured) != cudaSuccess);
    expect("event", cudaEventRecord(event, other) == cudaErrorInvalidResourceHandle);
    expect("events", cudaEventElapsedTime(&time, event, event) == cudaErrorInvalidResourceHandle);
    expect("pool", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess);
    expect("array", cudaFreeArray(array) != cudaSuccess);
    expect("mipmapped array", cudaGetMipmappedArrayLevel(&level, levels, 0) != cudaSuccess);
    expect("texture", cudaGetTextureObjectResourceDesc(&resource, texture) != cudaSuccess);
    expect("surface", cudaDestroySurfaceObject(surface) != cudaSuccess);
    expect("memory", cudaFree(memory) != cudaSuccess);
    expect("cuBLAS", cublasSetPointerMode_v2(blas, 0) != 0);
    expect("cuFFT", cufftSetStream(plan, other) != 0);
    cudaGetLastError();
  }
  void graphs_are_gone() {
    size_t count = 0;
    expect("graph", cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess);
    expect("node", cudaGraphDestroyNode(node) != cudaSuccess);
    expect("executable graph", cudaGraphLaunch(executable, nullptr) != cudaSuccess);
    expect("user object", cudaUserObjectRelease(object, 1) != cudaSuccess);
    cudaGetLastError();
  }

  void work() {
    cudaResourceDesc resource;
    cudaArray_t level;
    unsigned long long used;
    expect("the captured stream works", cudaStreamEndCapture(capturing, &captured) == cudaSuccess);
    expect("the stream works", (set<<<1, 1, 0, stream>>>(memory), cudaStreamSynchronize(stream)) == cudaSuccess);
    expect("the event works", cudaEventRecord(event, stream) == cudaSuccess);
    expect("the pool works", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess);
    expect("the mipmapped array works", cudaGetMipmappedArrayLevel(&level, levels, 0) == cudaSuccess);
    expect("the texture works", cudaGetTextureObjectResourceDesc(&resource, texture) == cudaSuccess);
    expect("the surface works", cudaDestroySurfaceObject(surface) == cudaSuccess);
    expect("the array works", cudaFreeArray(array) == cudaSuccess);
    expect("the graph works", cudaGraphLaunch(executable, stream) == cudaSuccess);
    expect("the memory works", cudaFree(memory) == cudaSuccess);
    expect("cuBLAS works", cublasSetPointerMode_v2(blas, 0) == 0);
    expect("cuFFT works", cufftSetStream(plan, stream) == 0);
  }
};

// Of two devices one is reset: the other's handles stay.
void reset_one(int which) {
  Handles all[2];
  expect("handles of device 0 are made", all[0].make(0));
  expect("handles of device 1 are made", all[1].make(1));
  cudaSetDevice(which);
  expect("one is reset", cudaDeviceReset() == cudaSuccess);
  all[which].are_gone();
  Handles again;
  expect("it has new handles", again.make(which));
  cudaSetDevice(1 - which);
  all[1 - which].work();
  cudaSetDevice(which);
  again.work();
  for (int device = 0; device < 2; ++device) cudaSetDevice(device), cudaDeviceReset();
}

void reset_the_only_one() {
  Handles before, after;
  expect("handles are made", before.make());
  expect("it is reset", cudaDeviceReset() == cudaSuccess);
  expect("what graphs kept alive is released", released == 1);
  before.are_gone();
  before.graphs_are_gone();
  expect("new handles are made", after.make());
  after.work();
}

int main() {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices == 1) reset_the_only_one();
  for (int which = 0; which < devices && devices == 2; ++which) reset_one(which);
  std::printf("%d wrong\n", wrong);
}
