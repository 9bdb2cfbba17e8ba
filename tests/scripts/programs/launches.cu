// Launches by the number, refused ones, and some of processes that others do not wait for. Arguments: what, how many.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

__global__ void touch(int* p) { p[threadIdx.x] = threadIdx.x; }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? std::atoi(argv[2]) : 1;
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  auto launch = [&] { touch<<<1, 32>>>(p); };
  if (!std::strcmp(what, "many"))
    for (int i = 0; i < count; ++i) launch();
  if (!std::strcmp(what, "told")) // a dot for each that has ended
    for (int i = 0; i < count; ++i) {
      launch();
      if (write(STDOUT_FILENO, ".", 1) != 1) return 1;
    }
  if (!std::strcmp(what, "limited")) {
    rlimit limit{8192, 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < count; ++i) launch();
  }
  if (!std::strcmp(what, "full")) { // the third argument is a file to fill the disk with
    int file = open(argv[3], O_WRONLY | O_CREAT, 0600);
    static char block[4096];
    while (write(file, block, sizeof block) > 0) {
    }
    for (int i = 0; i < count; ++i) launch();
  }
  if (!std::strcmp(what, "unlinked")) { // the folder of WarpLens's own files
    if (std::system("rm -rf \"$TMPDIR\"/warplens-tmp-*") != 0) return 1;
    for (int i = 0; i < count; ++i) launch();
  }
  if (!std::strcmp(what, "refused")) {
    touch<<<0, 32>>>(p);
    touch<<<1, 2048>>>(p);
    touch<<<1, 32, 1 << 20>>>(p);
    touch<<<1, 32, 0, reinterpret_cast<cudaStream_t>(0x1234560)>>>(p);
    cudaLaunchKernel(reinterpret_cast<const void*>(0x10), 1, 1, nullptr, 0, 0);
  }
  if (!std::strcmp(what, "mixed")) {
    launch();
    touch<<<0, 32>>>(p);
  }
  if (!std::strcmp(what, "daemon")) {
    launch();
    if (fork() == 0) {
      setsid();
      sleep(2);
      launch();
      _exit(0);
    }
  }
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
