// Memory and events of one process in another (cudaIpc*): what a device answers. tests/hardware/data/h200_ipc.txt holds an H200's.
#include <cstdio>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASK(call)                                                                                            \
  std::printf("%s: %s\n", #call, cudaGetErrorName(call)), std::fflush(stdout);                                \
  cudaGetLastError()

__global__ void add(int* values, int what) { values[threadIdx.x] += what; }

struct Letter {
  cudaIpcMemHandle_t first, second;
  cudaIpcEventHandle_t event;
};

static void child(int from, int to) {
  Letter letter;
  if (read(from, &letter, sizeof letter) != sizeof letter) _exit(1);
  int *first = nullptr, *second = nullptr, values[64];
  cudaEvent_t event;
  ASK(cudaIpcOpenMemHandle((void**)&first, letter.first, cudaIpcMemLazyEnablePeerAccess));
  ASK(cudaIpcOpenMemHandle((void**)&second, letter.second, cudaIpcMemLazyEnablePeerAccess));
  ASK(cudaIpcOpenEventHandle(&event, letter.event));
  ASK(cudaStreamWaitEvent(nullptr, event, 0));
  ASK(cudaEventSynchronize(event));
  cudaPointerAttributes attributes;
  ASK(cudaPointerGetAttributes(&attributes, first));
  std::printf("child: type %d on %d\n", attributes.type, attributes.device);
  cudaMemcpy(values, first, sizeof values, cudaMemcpyDeviceToHost);
  std::printf("child: %d %d\n", values[0], values[63]);
  add<<<1, 64>>>(first, 100);
  add<<<1, 64>>>(second + 1000, 7);
  ASK(cudaDeviceSynchronize());
  ASK(cudaFree(first));
  ASK(cudaIpcCloseMemHandle(first));
  ASK(cudaIpcCloseMemHandle(first));
  ASK(cudaIpcCloseMemHandle(second));
  std::fflush(stdout);
  if (write(to, "x", 1) != 1) _exit(1);
  _exit(0);
}

int main() {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) return 1;
  std::fflush(stdout);
  if (fork() == 0) child(down[0], up[1]);
  int *first, *second, *pinned, *opened = nullptr, values[64];
  cudaMalloc(&first, 64 * sizeof(int)), cudaMalloc(&second, 8 << 20), cudaMallocHost(&pinned, 64);
  cudaMemset(first, 0, 64 * sizeof(int)), cudaMemset(second, 0, 8 << 20);
  cudaEvent_t event, timed;
  ASK(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  ASK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  cudaEventCreate(&timed);
  Letter letter;
  ASK(cudaIpcGetEventHandle(&letter.event, timed));
  ASK(cudaIpcGetEventHandle(&letter.event, event));
  ASK(cudaIpcGetMemHandle(&letter.first, pinned));
  ASK(cudaIpcGetMemHandle(&letter.first, values));
  ASK(cudaIpcGetMemHandle(&letter.first, first));
  ASK(cudaIpcGetMemHandle(&letter.second, second + 500));
  ASK(cudaIpcOpenMemHandle((void**)&opened, letter.first, cudaIpcMemLazyEnablePeerAccess));
  ASK(cudaIpcOpenMemHandle((void**)&opened, letter.first, 0));
  ASK(cudaIpcOpenEventHandle(&timed, letter.event));
  add<<<1, 64>>>(first, 1);
  ASK(cudaEventRecord(event));
  cudaDeviceSynchronize();
  std::fflush(stdout);
  char c;
  int status;
  if (write(down[1], &letter, sizeof letter) != sizeof letter || read(up[0], &c, 1) != 1) return 1;
  wait(&status);
  cudaMemcpy(values, first, sizeof values, cudaMemcpyDeviceToHost);
  std::printf("parent: %d %d\n", values[0], values[63]);
  cudaMemcpy(values, second + 1000, sizeof values, cudaMemcpyDeviceToHost);
  std::printf("parent: %d %d\n", values[0], values[63]);
  ASK(cudaFree(first));
  ASK(cudaFree(second));
}
