// Memory of one process in another, by file descriptors over a socket: pages that the program maps itself, and memory of a pool.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

constexpr int n = 1 << 16;
constexpr auto as_file = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr auto pool_as_file = cudaMemHandleTypePosixFileDescriptor;

static int wrong = 0;
static void expect(int line, long got, long wanted) {
  if (got != wanted) ++wrong, std::printf("line %d: %ld, not %ld\n", line, got, wanted), std::fflush(stdout);
}
#define EXPECT(got, wanted) expect(__LINE__, static_cast<long>(got), static_cast<long>(wanted))
#define MUST(call) EXPECT(call, 0)

__global__ void add(int* data, int what) { data[blockIdx.x * blockDim.x + threadIdx.x] += what; }

// `file`: one to send along, or -1.
static void send(int socket, int file, const void* bytes, std::size_t size) {
  char space[CMSG_SPACE(sizeof(int))] = {};
  iovec content{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &content, message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = space, message.msg_controllen = sizeof space;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
  }
  EXPECT(sendmsg(socket, &message, 0), size);
}
static int receive(int socket, void* bytes, std::size_t size) {
  char space[CMSG_SPACE(sizeof(int))] = {};
  iovec content{bytes, size};
  msghdr message{};
  message.msg_iov = &content, message.msg_iovlen = 1, message.msg_control = space, message.msg_controllen = sizeof space;
  EXPECT(recvmsg(socket, &message, MSG_WAITALL), size);
  int file = -1;
  if (CMSG_FIRSTHDR(&message)) std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  return file;
}

static CUmemAllocationProp properties(CUmemAllocationHandleType type, int device) {
  CUmemAllocationProp out{};
  out.type = CU_MEM_ALLOCATION_TYPE_PINNED, out.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  out.requestedHandleTypes = type;
  return out;
}
static int* map(CUmemGenericAllocationHandle handle, std::size_t size, int device) {
  CUdeviceptr at = 0;
  MUST(cuMemAddressReserve(&at, size, 0, 0, 0));
  MUST(cuMemMap(at, size, 0, handle, 0));
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  MUST(cuMemSetAccess(at, size, &access, 1));
  return reinterpret_cast<int*>(at);
}
static cudaMemPool_t make_pool(cudaMemAllocationHandleType type, int device) {
  cudaMemPoolProps asked{};
  asked.allocType = cudaMemAllocationTypePinned, asked.handleTypes = type;
  asked.location = {cudaMemLocationTypeDevice, device};
  cudaMemPool_t out = nullptr;
  MUST(cudaMemPoolCreate(&out, &asked));
  return out;
}
static void expect_all(const int* data, int wanted) {
  static int host[n];
  MUST(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (host[i] != wanted) return EXPECT(host[i], wanted);
}

struct Told {
  int device;
  std::size_t size;
  cudaMemPoolPtrExportData whole, small;
};

static int child(int socket) {
  Told told{};
  char unused;
  const int pages = receive(socket, &told, sizeof told), file = receive(socket, &unused, 1);
  MUST(cudaSetDevice(told.device));
  CUmemGenericAllocationHandle handle = 0;
  MUST(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(static_cast<std::size_t>(pages)), as_file));
  CUmemAllocationProp asked{};
  MUST(cuMemGetAllocationPropertiesFromHandle(&asked, handle));
  EXPECT(asked.location.id, told.device);
  EXPECT(asked.requestedHandleTypes, as_file);
  int* mapped = map(handle, told.size, told.device);
  MUST(cuMemRelease(handle));
  expect_all(mapped, 1);
  add<<<n / 256, 256>>>(mapped, 10);

  cudaMemPool_t pool = nullptr;
  int *data = nullptr, *small = nullptr;
  MUST(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(static_cast<std::size_t>(file)), pool_as_file, 0));
  EXPECT(cudaMallocFromPoolAsync(&data, 4, pool, nullptr), cudaErrorInvalidValue);
  EXPECT(cudaDeviceSetMemPool(told.device, pool), cudaErrorInvalidValue);
  EXPECT(cudaMemPoolImportPointer(reinterpret_cast<void**>(&data), make_pool(pool_as_file, told.device), &told.whole), cudaErrorInvalidValue);
  MUST(cudaMemPoolImportPointer(reinterpret_cast<void**>(&data), pool, &told.whole));
  MUST(cudaMemPoolImportPointer(reinterpret_cast<void**>(&small), pool, &told.small));
  expect_all(data, 2);
  add<<<n / 256, 256>>>(data, 20);
  add<<<1, 8>>>(small, 5);
  MUST(cudaDeviceSynchronize());
  MUST(cudaFreeAsync(data, nullptr));
  EXPECT(cudaFree(data), cudaErrorInvalidValue);
  MUST(cudaFree(small));
  MUST(cudaMemPoolDestroy(pool));
  cudaGetLastError();
  return wrong != 0;
}

int main() {
  int sockets[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  if (fork() == 0) return child(sockets[1]);
  Told told{};
  MUST(cudaGetDeviceCount(&told.device));
  --told.device;
  MUST(cudaSetDevice(told.device));
  MUST(cudaFree(nullptr));
  for (CUdevice_attribute one : {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES}) {
    int value = 0;
    MUST(cuDeviceGetAttribute(&value, one, told.device));
    EXPECT(value & 1, 1);
  }

  CUmemAllocationProp asked = properties(as_file, told.device);
  CUmemGenericAllocationHandle handle = 0, own = 0;
  int file = -1, pool_file = -1;
  MUST(cuMemGetAllocationGranularity(&told.size, &asked, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  MUST(cuMemCreate(&handle, told.size, &asked, 0));
  MUST(cuMemExportToShareableHandle(&file, handle, as_file, 0));
  int* mapped = map(handle, told.size, told.device);
  MUST(cudaMemset(mapped, 0, told.size));
  add<<<n / 256, 256>>>(mapped, 1);
  // What cannot be handed out, or is no such file.
  asked = properties(CU_MEM_HANDLE_TYPE_NONE, told.device);
  MUST(cuMemCreate(&own, told.size, &asked, 0));
  EXPECT(cuMemExportToShareableHandle(&pool_file, own, as_file, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemImportFromShareableHandle(&own, nullptr, as_file), CUDA_ERROR_INVALID_VALUE);
#ifdef AS_FILES_OF_ONES_OWN // what WarpLens refuses: a file with the same bytes, and one that has become shorter
  std::FILE* copy = std::tmpfile();
  char byte;
  for (off_t at = 0; pread(file, &byte, 1, at) == 1; ++at) std::fputc(byte, copy);
  std::fflush(copy);
  EXPECT(cuMemImportFromShareableHandle(&own, reinterpret_cast<void*>(static_cast<std::size_t>(fileno(copy))), as_file), CUDA_ERROR_INVALID_VALUE);
  EXPECT(ftruncate(file, 0), -1);
#endif

  // The second is not the first of its page.
  cudaMemPool_t pool = make_pool(pool_as_file, told.device);
  int *data = nullptr, *before = nullptr, *small = nullptr;
  MUST(cudaMallocFromPoolAsync(&data, n * sizeof(int), pool, nullptr));
  MUST(cudaMallocFromPoolAsync(&before, 64, pool, nullptr));
  MUST(cudaMallocFromPoolAsync(&small, 64, pool, nullptr));
  MUST(cudaMemset(data, 0, n * sizeof(int)));
  MUST(cudaMemset(small, 0, 64));
  add<<<n / 256, 256>>>(data, 2);
  MUST(cudaMemPoolExportToShareableHandle(&pool_file, pool, pool_as_file, 0));
  MUST(cudaMemPoolExportPointer(&told.whole, data));
  MUST(cudaMemPoolExportPointer(&told.small, small));
  EXPECT(cudaMemPoolExportToShareableHandle(&pool_file, make_pool(cudaMemHandleTypeNone, told.device), pool_as_file, 0), cudaErrorInvalidValue);
  cudaMemPoolPtrExportData unused;
  EXPECT(cudaMemPoolExportPointer(&unused, mapped), cudaErrorInvalidValue);

  send(sockets[0], file, &told, sizeof told);
  send(sockets[0], pool_file, "", 1);
  close(file), close(pool_file);
  int status = 0;
  wait(&status);
  EXPECT(status, 0);
  expect_all(mapped, 11);
  expect_all(data, 22);
  int last = 0;
  MUST(cudaMemcpy(&last, small + 7, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last, 5);
  MUST(cuMemUnmap(reinterpret_cast<CUdeviceptr>(mapped), told.size));
  MUST(cuMemRelease(handle));
  for (int* one : {data, before, small}) MUST(cudaFreeAsync(one, nullptr));
  std::printf("%d wrong\n", wrong);
}
