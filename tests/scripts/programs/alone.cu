// CUDA where programs seldom call it: after main(), in destructors of threads, in a forked child. Argument: which.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void add(int* sum) { atomicAdd(sum, 1); }
__global__ void say(int n) {
  if (threadIdx.x == 0) printf("kernel %d\n", n);
}
__global__ void work(float* data, int rounds) {
  float sum = 0;
  for (int i = 0; i < rounds; ++i) sum += data[(threadIdx.x * 32 + i) % 1024];
  data[threadIdx.x] = sum;
}

// Leaves launches that run by siglongjmp() out of a signal handler.
sigjmp_buf outside;
void jump_out() {
  float* data;
  volatile int jumped = 0;
  cudaMalloc(&data, 4096);
  signal(SIGALRM, [](int) { siglongjmp(outside, 1); });
  for (volatile int i = 0; i < 3; i = i + 1) {
    if (sigsetjmp(outside, 1)) {
      jumped = jumped + 1;
      continue;
    }
    ualarm(50000, 0);
    work<<<64, 32>>>(data, 1 << 30);
    cudaDeviceSynchronize();
  }
  printf("jumped %d times\n", jumped);
}

// Prints "WHERE: 32 no error", and so does a kernel that prints.
void launch(const char* where) {
  int *sum, result = -1;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  add<<<1, 32>>>(sum);
  say<<<1, 32>>>(7);
  cudaError_t launched = cudaGetLastError(), error = cudaDeviceSynchronize();
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(sum);
  printf("%s: %d %s\n", where, result, cudaGetErrorString(launched ? launched : error));
  fflush(stdout);
}

struct AtTheEnd { // constructed before the first CUDA call, so that it goes after what that made
  const char* where = nullptr;
  ~AtTheEnd() {
    if (where) launch(where);
  }
};
AtTheEnd global;
pthread_key_t key;

int main(int, char** arguments) {
  auto is = [&](const char* mode) { return strcmp(arguments[1], mode) == 0; };
  if (is("atexit")) atexit([] { launch("atexit"); });
  if (is("quick")) at_quick_exit([] { launch("at_quick_exit"); });
  if (is("only")) return global.where = "without any before", 0;
  if (is("thread"))
    std::thread([] {
      thread_local AtTheEnd mine;
      mine.where = "thread_local";
      launch("thread");
    }).join();
  if (is("key"))
    std::thread([] {
      pthread_key_create(&key, [](void*) { launch("key"); });
      pthread_setspecific(key, &key);
      launch("thread");
    }).join();
  if (is("jump")) jump_out();
  launch("main");
  if (is("late")) atexit([] { launch("late"); });
  if (is("static")) global.where = "destructor";
  if ((is("fork") || is("fork-static")) && fork() == 0) {
    if (is("fork-static")) global.where = "destructor of the child";
    launch("child");
    exit(0);
  }
  wait(nullptr);
  if (is("quick")) quick_exit(3);
}
