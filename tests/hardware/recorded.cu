// Launches that are hard to record, one kind for each argument; recorded.py records them on a GPU and checks what was counted.
// Every kernel is of blocks of one warp and loads once, so that a launch of n blocks has n requests.
//
//   nvcc -arch=native -lineinfo -o recorded recorded.cu && python3 recorded.py warplens ./recorded
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  printf("line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

template <int N> __global__ void k(float* a) { a[blockIdx.x * 32 + threadIdx.x] += N; }

static float* data;

static cudaStream_t stream() {
  cudaStream_t out;
  CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
  return out;
}

static void run_graph(cudaStream_t s, cudaGraph_t graph) {
  cudaGraphExec_t made;
  CHECK(cudaGraphInstantiate(&made, graph, 0));
  CHECK(cudaGraphLaunch(made, s));
}

// Launches between graphs: of 1, 2 and 3 blocks.
static void graphs() {
  cudaStream_t s = stream();
  cudaGraph_t graph;
  for (int blocks = 1; blocks <= 3; ++blocks) {
    k<1><<<blocks, 32, 0, s>>>(data);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    k<1><<<blocks + 3, 32, 0, s>>>(data);
    k<2><<<blocks + 6, 32, 0, s>>>(data);
    CHECK(cudaStreamEndCapture(s, &graph));
    run_graph(s, graph);
  }
}

// Launches before, beside and after a capture of another stream: of 7, of 1 and 2, of 3 blocks.
static void beside(cudaStreamCaptureMode mode) {
  cudaStream_t s = stream(), captured = stream();
  cudaGraph_t graph;
  k<1><<<7, 32, 0, s>>>(data);
  CHECK(cudaStreamBeginCapture(captured, mode));
  k<1><<<1, 32, 0, s>>>(data);
  k<1><<<4, 32, 0, captured>>>(data);
  k<1><<<2, 32, 0, s>>>(data);
  CHECK(cudaStreamEndCapture(captured, &graph));
  run_graph(captured, graph);
  k<1><<<3, 32, 0, s>>>(data);
}

// A kernel whose first launch is beside a capture, and one whose first launch is captured; then of 3 and 4 blocks.
static void cold(cudaStreamCaptureMode mode) {
  cudaStream_t s = stream(), captured = stream();
  cudaGraph_t graph;
  k<1><<<7, 32, 0, s>>>(data);
  CHECK(cudaStreamBeginCapture(captured, mode));
  k<2><<<1, 32, 0, s>>>(data);
  k<3><<<5, 32, 0, captured>>>(data);
  CHECK(cudaStreamEndCapture(captured, &graph));
  run_graph(captured, graph);
  k<2><<<3, 32, 0, s>>>(data);
  k<3><<<4, 32, 0, s>>>(data);
}

// More launches than one session of CUPTI's profiler holds.
static void sessions() {
  cudaStream_t s = stream();
  for (int i = 0; i < 140; ++i) k<1><<<1 + i % 5, 32, 0, s>>>(data);
  CHECK(cudaStreamSynchronize(s));
}

// A launch that is refused, between two of 1 and 2 blocks.
static void refused() {
  k<1><<<1, 32>>>(data);
  k<1><<<1, 2048>>>(data);
  if (cudaGetLastError() == cudaSuccess) std::exit(1);
  k<1><<<2, 32>>>(data);
}

template <int N> void many() {
  cudaStream_t s = stream();
  for (int i = 0; i < 5; ++i) k<N><<<N, 32, 0, s>>>(data);
  CHECK(cudaStreamSynchronize(s));
}
template <int N> void capturing() {
  cudaStream_t s = stream();
  for (int i = 0; i < 3; ++i) {
    cudaGraph_t graph;
    k<N><<<N, 32, 0, s>>>(data);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    k<N><<<N + 10, 32, 0, s>>>(data);
    CHECK(cudaStreamEndCapture(s, &graph));
    run_graph(s, graph);
    k<N><<<N + 1, 32, 0, s>>>(data);
  }
  CHECK(cudaStreamSynchronize(s));
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  CHECK(cudaMalloc(&data, 1 << 20));
  std::vector<std::thread> threads;
  if (!strcmp(what, "graphs")) graphs();
  else if (!strcmp(what, "global")) beside(cudaStreamCaptureModeGlobal);
  else if (!strcmp(what, "thread_local")) beside(cudaStreamCaptureModeThreadLocal);
  else if (!strcmp(what, "relaxed")) beside(cudaStreamCaptureModeRelaxed);
  else if (!strcmp(what, "cold_global")) cold(cudaStreamCaptureModeGlobal);
  else if (!strcmp(what, "cold_thread_local")) cold(cudaStreamCaptureModeThreadLocal);
  else if (!strcmp(what, "cold_relaxed")) cold(cudaStreamCaptureModeRelaxed);
  else if (!strcmp(what, "sessions")) sessions();
  else if (!strcmp(what, "refused")) refused();
  else if (!strcmp(what, "threads"))
    for (auto* run : {many<1>, many<2>, many<3>, many<4>}) threads.emplace_back(run);
  else if (!strcmp(what, "capturing_threads"))
    for (auto* run : {capturing<1>, capturing<2>, capturing<3>, capturing<4>}) threads.emplace_back(run);
  else return 2;
  for (std::thread& thread : threads) thread.join();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
