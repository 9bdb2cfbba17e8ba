// NCCL's calls, with declarations of its own, since its header is none of the toolkit's. `threads`: one thread is every rank, in groups;
// `processes N [M]`: each rank is a process, on M machines (NCCL_HOSTID says so); `leaves 2 M RANK`: that rank ends before it has come to
// the other. `late N RANK FILE`: one rank; the first writes the id into the file.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
struct ncclComm;
struct ncclUniqueId {
  char internal[128];
};
int ncclGetVersion(int*);
int ncclGetUniqueId(ncclUniqueId*);
int ncclCommInitRank(ncclComm**, int, ncclUniqueId, int);
int ncclCommInitAll(ncclComm**, int, const int*);
int ncclCommSplit(ncclComm*, int, int, ncclComm**, void*);
int ncclCommDestroy(ncclComm*);
int ncclCommCount(const ncclComm*, int*);
int ncclCommUserRank(const ncclComm*, int*);
int ncclCommCuDevice(const ncclComm*, int*);
const char* ncclGetErrorString(int);
const char* ncclGetLastError(ncclComm*);
int ncclRedOpCreatePreMulSum(int*, void*, int, int, ncclComm*);
int ncclRedOpDestroy(int, ncclComm*);
int ncclAllReduce(const void*, void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclReduce(const void*, void*, size_t, int, int, int, ncclComm*, cudaStream_t);
int ncclReduceScatter(const void*, void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclBroadcast(const void*, void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclAllGather(const void*, void*, size_t, int, ncclComm*, cudaStream_t);
int ncclAlltoAll(const void*, void*, size_t, int, ncclComm*, cudaStream_t);
int ncclGather(const void*, void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclScatter(const void*, void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclSend(const void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclRecv(void*, size_t, int, int, ncclComm*, cudaStream_t);
int ncclGroupStart();
int ncclGroupEnd();
}
enum { int32 = 2, float16 = 6, float32 = 7, float64 = 8 };
enum { sum, product, maximum, minimum, average };

#define MUST(call)                                                                                           \
  if (int status = static_cast<int>(call); status != 0) {                                                    \
    std::printf("%s: %d %s\n", #call, status, ncclGetErrorString(status)), std::fflush(stdout);               \
    _exit(9);                                                                                                \
  }

constexpr int n = 1000;

template <class T> __global__ void fill(T* out, int count, int rank) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = T((i % 7 + 1) * (rank + 1));
}

// One rank of several, that are in this process or not.
struct Rank {
  ncclComm* communicator = nullptr;
  cudaStream_t stream = nullptr;
  float *in = nullptr, *out = nullptr;
  __half *small_in = nullptr, *small_out = nullptr;
  int rank = 0;
};

static int wrong = 0;
static void expect(const char* what, const float* out, int count, float (*right)(int i, int rank, int ranks), int rank, int ranks) {
  std::vector<float> host(count);
  cudaMemcpy(host.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i)
    if (host[i] != right(i, rank, ranks)) {
      if (wrong++ < 5) std::printf("%s, rank %d, element %d: %g, not %g\n", what, rank, i, host[i], right(i, rank, ranks));
      return;
    }
}
// A small number as the bytes of a type of NCCL.
static std::uint64_t bits_of(int type, int number) {
  constexpr std::uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48, 0x4a}, e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44, 0x45};
  const float single = static_cast<float>(number);
  const double wide = number;
  std::uint64_t out = 0;
  if (type < 6) return number;
  if (type == 6) return __half_as_ushort(__float2half(single));
  if (type == 10 || type == 11) return (type == 10 ? e4m3 : e5m2)[number];
  if (type == 8) return std::memcpy(&out, &wide, 8), out;
  std::memcpy(&out, &single, 4);
  return type == 9 ? out >> 16 : out;
}

static float value(int i, int rank) { return static_cast<float>((i % 7 + 1) * (rank + 1)); }

static void work(std::vector<Rank>& mine, int ranks) {
  for (Rank& r : mine) {
    int count = 0, rank = -1;
    MUST(ncclCommCount(r.communicator, &count));
    MUST(ncclCommUserRank(r.communicator, &rank));
    if (count != ranks || rank != r.rank) ++wrong;
    int device = -1;
    MUST(ncclCommCuDevice(r.communicator, &device));
    MUST(cudaSetDevice(device));
    MUST(cudaStreamCreate(&r.stream));
    MUST(cudaMalloc(&r.in, n * ranks * sizeof(float)));
    MUST(cudaMalloc(&r.out, n * ranks * sizeof(float)));
    MUST(cudaMalloc(&r.small_in, n * sizeof(__half)));
    MUST(cudaMalloc(&r.small_out, n * sizeof(__half)));
    fill<<<n * ranks / 250, 250, 0, r.stream>>>(r.in, n * ranks, r.rank);
    fill<<<n / 250, 250, 0, r.stream>>>(r.small_in, n, r.rank);
  }
  auto all = [&](const char* name, auto call, auto right, int count) {
    MUST(ncclGroupStart());
    for (Rank& r : mine) MUST(call(r));
    MUST(ncclGroupEnd());
    for (Rank& r : mine) {
      MUST(cudaStreamSynchronize(r.stream));
      expect(name, r.out, count, right, r.rank, ranks);
    }
  };
  all("sum", [](Rank& r) { return ncclAllReduce(r.in, r.out, n, float32, sum, r.communicator, r.stream); },
      [](int i, int, int ranks) { return value(i, 0) * ranks * (ranks + 1) / 2; }, n);
  all("maximum", [](Rank& r) { return ncclAllReduce(r.in, r.out, n, float32, maximum, r.communicator, r.stream); },
      [](int i, int, int ranks) { return value(i, ranks - 1); }, n);
  all("average", [](Rank& r) { return ncclAllReduce(r.in, r.out, n, float32, average, r.communicator, r.stream); },
      [](int i, int, int ranks) { return value(i, 0) * ranks * (ranks + 1) / 2 / ranks; }, n);
  all("integers", [](Rank& r) { return ncclAllReduce(r.in, r.out, n, int32, minimum, r.communicator, r.stream); },
      [](int i, int, int) { return value(i, 0); }, n);
  all("scatter", [](Rank& r) { return ncclReduceScatter(r.in, r.out, n, float32, sum, r.communicator, r.stream); },
      [](int i, int rank, int ranks) { return value(i + n * rank, 0) * ranks * (ranks + 1) / 2; }, n);
  all("gather", [](Rank& r) { return ncclAllGather(r.in, r.out, n, float32, r.communicator, r.stream); },
      [](int i, int, int) { return value(i % n, i / n); }, n * ranks);
  all("broadcast", [](Rank& r) { return ncclBroadcast(r.in, r.out, n, float32, 1, r.communicator, r.stream); },
      [](int i, int, int) { return value(i, 1); }, n);
  all("all to all", [](Rank& r) { return ncclAlltoAll(r.in, r.out, n, float32, r.communicator, r.stream); },
      [](int i, int rank, int) { return value(i % n + n * rank, i / n); }, n * ranks);
  all("scatter from one", [](Rank& r) { return ncclScatter(r.in, r.out, n, float32, 1, r.communicator, r.stream); },
      [](int i, int rank, int) { return value(i + n * rank, 1); }, n);
  // What only the last has: the others keep what they had.
  auto last = [&](const char* name, auto call, auto right, int count) {
    const std::vector<float> zeros(n * ranks);
    for (Rank& r : mine) MUST(cudaMemcpy(r.out, zeros.data(), zeros.size() * sizeof(float), cudaMemcpyHostToDevice));
    MUST(ncclGroupStart());
    for (Rank& r : mine) MUST(call(r));
    MUST(ncclGroupEnd());
    for (Rank& r : mine)
      if (r.rank == ranks - 1)
        expect(name, r.out, count, right, r.rank, ranks);
      else
        expect(name, r.out, count, [](int, int, int) { return 0.0f; }, r.rank, ranks);
  };
  last("gather to one", [&](Rank& r) { return ncclGather(r.in, r.out, n, float32, ranks - 1, r.communicator, r.stream); },
       [](int i, int, int) { return value(i % n, i / n); }, n * ranks);
  last("sum to one", [&](Rank& r) { return ncclReduce(r.in, r.out, n, float32, sum, ranks - 1, r.communicator, r.stream); },
       [](int i, int, int ranks) { return value(i, 0) * ranks * (ranks + 1) / 2; }, n);
  // All types and operators.
  for (int type = 0; type < 12; ++type)
    for (int op = sum; op <= average; ++op) {
      const int size = type < 2 || type > 9 ? 1 : type == 6 || type == 9 ? 2 : type == 4 || type == 5 || type == 8 ? 8 : 4;
      const bool chooses = op == maximum || op == minimum;
      for (Rank& r : mine) {
        const std::uint64_t own = bits_of(type, chooses ? r.rank + 1 : 1);
        MUST(cudaMemcpy(r.out, &own, size, cudaMemcpyHostToDevice));
      }
      MUST(ncclGroupStart());
      for (Rank& r : mine) MUST(ncclAllReduce(r.out, r.out, 1, type, op, r.communicator, r.stream));
      MUST(ncclGroupEnd());
      for (Rank& r : mine) {
        std::uint64_t out = 0;
        MUST(cudaMemcpy(&out, r.out, size, cudaMemcpyDeviceToHost));
        if (out != bits_of(type, op == sum || op == maximum ? ranks : 1) && wrong++ < 5)
          std::printf("type %d, operator %d, rank %d: %llx\n", type, op, r.rank, static_cast<unsigned long long>(out));
      }
    }
  // Everybody to the next, round and round.
  all("ring",
      [ranks](Rank& r) {
        if (int status = ncclSend(r.in, n, float32, (r.rank + 1) % ranks, r.communicator, r.stream)) return status;
        return ncclRecv(r.out, n, float32, (r.rank + ranks - 1) % ranks, r.communicator, r.stream);
      },
      [](int i, int rank, int ranks) { return value(i, (rank + ranks - 1) % ranks); }, n);
  // An operator of each rank's own, which is gone before the group ends.
  all("factor",
      [](Rank& r) {
        int own = -1;
        float factor = static_cast<float>(r.rank + 2);
        if (int status = ncclRedOpCreatePreMulSum(&own, &factor, float32, 1, r.communicator)) return status;
        if (int status = ncclAllReduce(r.in, r.out, n, float32, own, r.communicator, r.stream)) return status;
        return ncclRedOpDestroy(own, r.communicator);
      },
      [](int i, int, int ranks) {
        float out = 0;
        for (int rank = 0; rank < ranks; ++rank) out += value(i, rank) * static_cast<float>(rank + 2);
        return out;
      },
      n);
  // In place, and halves.
  MUST(ncclGroupStart());
  for (Rank& r : mine) MUST(ncclAllReduce(r.small_in, r.small_in, n, float16, sum, r.communicator, r.stream));
  MUST(ncclGroupEnd());
  for (Rank& r : mine) {
    std::vector<__half> host(n);
    cudaMemcpy(host.data(), r.small_in, n * sizeof(__half), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
      if (__half2float(host[i]) != value(i, 0) * ranks * (ranks + 1) / 2) ++wrong, i = n;
  }
  // Even and odd ranks apart, in reverse.
  std::vector<ncclComm*> half(mine.size());
  MUST(ncclGroupStart());
  for (std::size_t i = 0; i < mine.size(); ++i)
    MUST(ncclCommSplit(mine[i].communicator, mine[i].rank % 2, -mine[i].rank, &half[i], nullptr));
  MUST(ncclGroupEnd());
  MUST(ncclGroupStart());
  for (std::size_t i = 0; i < mine.size(); ++i)
    MUST(ncclAllReduce(mine[i].in, mine[i].out, n, float32, sum, half[i], mine[i].stream));
  MUST(ncclGroupEnd());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    int count = 0, rank = -1;
    MUST(ncclCommCount(half[i], &count));
    MUST(ncclCommUserRank(half[i], &rank));
    if (count != (ranks + 1 - mine[i].rank % 2) / 2 || rank != count - 1 - mine[i].rank / 2) ++wrong;
    expect("half", mine[i].out, n,
           [](int i, int rank, int ranks) {
             float out = 0;
             for (int other = rank % 2; other < ranks; other += 2) out += value(i, other);
             return out;
           },
           mine[i].rank, ranks);
    MUST(ncclCommDestroy(half[i]));
  }
  // A graph that runs twice: what each has taken from its neighbour is added up again.
  for (Rank& r : mine) {
    if (mine.size() != 1) break; // one thread captures one stream
    cudaGraph_t graph;
    cudaGraphExec_t run;
    MUST(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal));
    MUST(ncclAllReduce(r.in, r.out, n, float32, sum, r.communicator, r.stream));
    MUST(ncclGroupStart());
    MUST(ncclSend(r.out, n, float32, (r.rank + 1) % ranks, r.communicator, r.stream));
    MUST(ncclRecv(r.in, n, float32, (r.rank + ranks - 1) % ranks, r.communicator, r.stream));
    MUST(ncclGroupEnd());
    MUST(cudaStreamEndCapture(r.stream, &graph));
    MUST(cudaGraphInstantiate(&run, graph, 0));
    expect("before the graph", r.in, n, [](int i, int rank, int) { return value(i, rank); }, r.rank, ranks);
    for (int i = 0; i < 2; ++i) MUST(cudaGraphLaunch(run, r.stream));
    MUST(cudaStreamSynchronize(r.stream));
    expect("graph", r.in, n, [](int i, int, int ranks) { return value(i, 0) * ranks * (ranks + 1) / 2 * ranks; }, r.rank, ranks);
  }
  for (Rank& r : mine) MUST(ncclCommDestroy(r.communicator));
}

static int late(int ranks, int rank, const std::string& file) {
  ncclUniqueId id;
  if (rank == 0) {
    MUST(ncclGetUniqueId(&id));
    std::FILE* out = std::fopen((file + ".part").c_str(), "wb");
    std::fwrite(&id, sizeof id, 1, out), std::fclose(out);
    std::rename((file + ".part").c_str(), file.c_str());
  } else {
    std::FILE* in = std::fopen(file.c_str(), "rb");
    if (in == nullptr || std::fread(&id, sizeof id, 1, in) != 1) return 1;
  }
  ncclComm* communicator;
  float *data, one = 1;
  int status = ncclCommInitRank(&communicator, ranks, id, rank);
  if (status != 0) return std::printf("%d\n", status), 0;
  MUST(cudaMalloc(&data, sizeof one));
  MUST(cudaMemcpy(data, &one, sizeof one, cudaMemcpyDefault));
  status = ncclAllReduce(data, data, 1, float32, sum, communicator, nullptr);
  MUST(cudaMemcpy(&one, data, sizeof one, cudaMemcpyDefault));
  std::printf("%d %g\n", status, one);
  MUST(ncclCommDestroy(communicator));
  return 0;
}

int main(int, char** words) {
  const int ranks = std::atoi(words[2]);
  std::vector<Rank> mine;
  if (std::strcmp(words[1], "late") == 0) return late(ranks, std::atoi(words[3]), words[4]);
  if (std::strcmp(words[1], "threads") == 0) {
    std::vector<ncclComm*> all(ranks);
    MUST(ncclCommInitAll(all.data(), ranks, nullptr));
    for (int rank = 0; rank < ranks; ++rank) {
      mine.push_back({all[rank]}), mine.back().rank = rank;
      int device = -1;
      MUST(ncclCommCuDevice(all[rank], &device));
      if (device != rank) ++wrong;
    }
    work(mine, ranks);
    std::printf("%d ranks, %d wrong\n", ranks, wrong);
    std::printf("%d %d\n", ncclAllReduce(nullptr, nullptr, 1, float32, sum, nullptr, nullptr), ncclGroupEnd());
    if (words[3] == nullptr) return wrong != 0;
    // Sizes that no memory has, what is none of the communicator's, and a stream and memory of another device.
    float* data;
    cudaStream_t stream;
    MUST(ncclCommInitAll(all.data(), 2, nullptr));
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&data, 64));
    std::printf("%d %d\n", ncclAllReduce(data, data, 1, float32, sum, all[0], stream),
                ncclAllReduce(data, data, 1, float32, sum, all[0], nullptr));
    MUST(cudaSetDevice(0));
    MUST(cudaMalloc(&data, 64));
    MUST(ncclCommInitAll(all.data(), 1, nullptr));
    std::printf("%d %d %d %d\n", ncclAllReduce(data, data, ~size_t{0} / 2, float32, sum, all[0], nullptr),
                ncclRecv(data, 1000, float32, 0, all[0], nullptr), ncclRecv(data, 1, float32, 1, all[0], nullptr),
                ncclBroadcast(data, data, 1, 77, 0, all[0], nullptr));
    return wrong != 0;
  }
  auto* id = static_cast<ncclUniqueId*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  volatile int* ready = reinterpret_cast<int*>(id + 1);
  int rank = 0;
  for (int child = 1; child < ranks; ++child)
    if (fork() == 0) {
      rank = child;
      break;
    }
  const int leaver = words[3] != nullptr && words[4] != nullptr ? std::atoi(words[4]) : 1;
  if (leaver == 0) rank ^= 1; // this process stays
  if (words[3] != nullptr) setenv("NCCL_HOSTID", std::to_string(rank % std::atoi(words[3])).c_str(), 1);
  if (rank == 0) {
    MUST(ncclGetUniqueId(id));
    *ready = 1;
  }
  while (*ready == 0) usleep(1000);
  int devices = 1;
  MUST(cudaGetDeviceCount(&devices));
  MUST(cudaSetDevice(rank % devices));
  mine.emplace_back();
  mine[0].rank = rank;
  int status = ncclCommInitRank(&mine[0].communicator, ranks, *id, rank);
  if (std::strcmp(words[1], "leaves") == 0) {
    float* data;
    cudaMalloc(&data, sizeof(float));
    if (rank == leaver) _exit(0);
    if (status == 0) status = ncclAllReduce(data, data, 1, float32, sum, mine[0].communicator, nullptr);
    std::printf("%d %s\n", status, ncclGetErrorString(status));
    return 0;
  }
  MUST(status);
  work(mine, ranks);
  int failed = wrong;
  while (rank == 0 && wait(&status) > 0) failed += status != 0;
  if (rank == 0) std::printf("%d ranks, %d wrong\n", ranks, failed);
  return failed != 0;
}
