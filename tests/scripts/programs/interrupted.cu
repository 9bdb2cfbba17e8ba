// Launches that are stopped before their end, and what may go on beside them. A word says what the program does; it prints
// another as soon as some blocks of a long launch have ended, or when the host is where the test wants it.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int rounds = 200, threads = 64;
static int* ended; // blocks, in memory that the host sees at once
static std::atomic<int> late_ones{0};

__global__ void quick(float* a) { a[threadIdx.x * 8] = 1; }
template <int n> __global__ void late(float* a) { a[threadIdx.x] = n; }
__global__ void slow(float* a, int times, int* count) {
  float sum = 0;
  for (int i = 0; i < times; ++i) sum += a[(threadIdx.x * 32 + i) & 4095];
  a[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, 1);
}
__global__ void faulty(int* nowhere, int* wait) {
  if (blockIdx.x == 40) *nowhere = 1;
  if (threadIdx.x == 0) atomicAdd(wait, 1);
}

static float* array() {
  float* out;
  cudaMalloc(&out, 1 << 16);
  return out;
}
static void say(const char* text) {
  printf("%s\n", text);
  fflush(stdout);
}
static void wait_for_blocks(int number) {
  while (*(volatile int*)ended < number) usleep(1000);
}
// For ever, or nearly.
static void launch_slow(int blocks = 1 << 20, int times = rounds) {
  slow<<<blocks, threads>>>(array(), times, ended);
  cudaDeviceSynchronize();
}
static void on_signal(int) { say("handled"); }
[[noreturn]] static void compute() {
  for (volatile unsigned i = 0;;) i = i + 1;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  auto is = [what](const char* word) { return strcmp(what, word) == 0; };
  if (is("no-launch")) {
    say("computing");
    compute();
  }
  cudaHostAlloc((void**)&ended, sizeof *ended, cudaHostAllocMapped);
  *ended = 0;
  quick<<<2, 32>>>(array());
  cudaDeviceSynchronize();
  if (is("after")) {
    say("computing");
    compute();
  }
  if (is("processes")) {
    for (int i = 0; i < 2; ++i)
      if (fork() == 0) {
        *ended = 0;
        std::thread watch([] {
          wait_for_blocks(8);
          say("running");
        });
        launch_slow();
      }
    while (wait(nullptr) > 0) {
    }
    return 0;
  }
  std::thread watch([is] {
    if (is("threads"))
      while (late_ones < 3) usleep(1000);
    // A crash is handled once a worker has looked at the clock: behind the first blocks that it runs together, 32 here.
    const int behind_first_look = 4096;
    wait_for_blocks(is("one") || is("fault") ? 0 : *ended + (is("crash") || is("abort") ? behind_first_look : 8));
    say("running");
    if (is("crash")) *(volatile int*)nullptr = 1;
    if (is("abort")) abort();
    if (is("exit")) exit(7);
  });
  if (is("fault")) { // the program ends by itself: not before this thread does
    faulty<<<64, 32>>>(nullptr, ended);
    cudaDeviceSynchronize();
    watch.join();
    return 3;
  }
  watch.detach();
  if (is("handler")) {
    signal(SIGINT, on_signal);
    launch_slow(400, 20000);
    launch_slow(1);
    return 5;
  }
  if (is("threads")) {
    std::vector<std::thread> all;
    float* a = array();
    all.emplace_back([] { launch_slow(); });
    wait_for_blocks(1);
    auto launch_late = [&](auto* kernel) {
      all.emplace_back([=] {
        ++late_ones;
        kernel<<<1, 32>>>(a);
      });
    };
    launch_late(late<1>);
    launch_late(late<2>);
    launch_late(late<3>);
    for (std::thread& one : all) one.join();
  } else if (is("graph")) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    float* a = array();
    quick<<<1, 32, 0, stream>>>(a);
    slow<<<1 << 20, threads, 0, stream>>>(a, rounds, ended);
    late<1><<<1, 32, 0, stream>>>(a);
    late<1><<<1, 32, 0, stream>>>(a);
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
  } else if (is("one")) {
    launch_slow(1, 1 << 30);
  } else {
    launch_slow();
  }
  return 3;
}
