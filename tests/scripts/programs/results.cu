// Leaves the result of a kernel in each of the places that the first argument lists: what --verify-fix must look at. In the one
// that the second argument names it leaves something else where it is compiled elsewhere, as with a fix that is wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

constexpr int n = 32;
#ifdef WITH_VARIABLE
__managed__ float in_a_variable[n * n];
#endif

__global__ void transpose(const float* in, float* out, float more) {
  __shared__ float tile[n][n];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + more;
}

__global__ void fault() { *static_cast<volatile int*>(nullptr) = 1; }

const char *places, *other;
bool asked(const char* place) { return std::strstr(places, place) != nullptr; }
float more(const char* place) {
  const bool elsewhere = std::strstr(__FILE__, "warplens-tmp-") != nullptr;
  return elsewhere && !std::strcmp(other, place);
}
std::string text(const char* place) { return std::to_string(more(place)) + "\n"; }

void run(float* out, float more) {
  float *in, host[n * n];
  for (int i = 0; i < n * n; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  transpose<<<1, dim3(n, n)>>>(in, out, more);
  cudaDeviceSynchronize();
}

int main(int, char** argv) {
  places = argv[1], other = argv[2];
  float *out, values[1024] = {};
  cudaMalloc(&out, sizeof values);
  run(out, 0);
  if (asked("managed")) {
    cudaMallocManaged(&out, sizeof values);
    run(out, more("managed"));
  }
  if (asked("freed")) {
    cudaMallocManaged(&out, sizeof values);
    run(out, more("freed"));
    cudaFree(out);
  }
  if (asked("pinned")) {
    cudaHostAlloc(reinterpret_cast<void**>(&out), sizeof values, cudaHostAllocMapped);
    run(out, more("pinned"));
  }
  if (asked("registered")) {
    out = static_cast<float*>(aligned_alloc(4096, sizeof values));
    cudaHostRegister(out, sizeof values, cudaHostRegisterMapped);
    run(out, more("registered"));
  }
#ifdef WITH_VARIABLE
  run(in_a_variable, more("variable"));
#endif
  if (asked("write")) {
    values[7] = more("write");
    const int file = open("write.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(file, values, sizeof values) != sizeof values) return 1;
    close(file);
  }
  if (asked("mapped")) {
    values[7] = more("mapped");
    const int file = open("mapped.bin", O_RDWR | O_CREAT, 0644);
    if (ftruncate(file, sizeof values) != 0) return 1;
    std::memcpy(mmap(nullptr, sizeof values, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), values, sizeof values);
  }
  if (asked("stream")) std::ofstream("stream.txt") << getpid() << '\n' << text("stream"); // one line is another each time
  if (asked("append")) {
    FILE* file = std::fopen("append.txt", "a");
    std::fprintf(file, "%s", text("append").c_str());
    std::fclose(file);
  }
  if (asked("rename")) {
    std::ofstream("aside.txt") << text("rename");
    std::rename("aside.txt", "rename.txt");
  }
  if (asked("child")) {
    if (fork() == 0) {
      execl("/bin/sh", "sh", "-c", ("echo '" + text("child") + "' >child.txt").c_str(), nullptr);
      _exit(1);
    }
    wait(nullptr);
  }
  if (asked("folder")) {
    mkdir("folder", 0755);
    std::ofstream("folder/result.txt") << text("folder");
  }
  if (asked("removed")) {
    std::ofstream("removed.txt") << text("removed");
    unlink("removed.txt");
  }
  if (asked("fault")) {
    fault<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  }
  if (asked("stderr")) std::fprintf(stderr, "%s", text("stderr").c_str());
  if (asked("random")) std::printf("%d\n", getpid());
}
