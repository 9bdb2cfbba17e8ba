// Memory that a program maps by itself, words that its streams write and wait for, and copies in batches: the driver API, declared
// here as its manual has it, so that no toolkit is needed. Says what is wrong.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using Address = unsigned long long;
struct Location {
  int type, id;
};
struct Properties { // CUmemAllocationProp
  int type, handle_types;
  Location location;
  void* security;
  unsigned char flags[8];
};
struct Access { // CUmemAccessDesc
  Location location;
  int flags;
};
struct Attributes { // CUmemcpyAttributes
  int order;
  Location from, to;
  unsigned flags;
};
extern "C" {
int cuInit(unsigned);
int cuCtxCreate_v2(void**, unsigned, int);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
int cuMemAddressReserve(Address*, size_t, size_t, Address, unsigned long long);
int cuMemAddressFree(Address, size_t);
int cuMemCreate(unsigned long long*, size_t, const Properties*, unsigned long long);
int cuMemRelease(unsigned long long);
int cuMemMap(Address, size_t, size_t, unsigned long long, unsigned long long);
int cuMemUnmap(Address, size_t);
int cuMemSetAccess(Address, size_t, const Access*, size_t);
int cuMemGetAllocationGranularity(size_t*, const Properties*, int);
int cuMemcpyDtoH_v2(void*, Address, size_t);
int cuMemcpyHtoD_v2(Address, const void*, size_t);
int cuMemGetInfo_v2(size_t*, size_t*);
int cuMemAllocHost_v2(void**, size_t);
int cuMemFreeHost(void*);
int cuPointerGetAttribute(void*, int, Address);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuStreamWriteValue32_v2(void*, Address, unsigned, unsigned);
int cuStreamWaitValue32_v2(void*, Address, unsigned, unsigned);
int cuMemcpyBatchAsync_v2(Address*, Address*, size_t*, size_t, Attributes*, size_t*, size_t, void*);
int cuDeviceGetAttribute(int*, int, int);
}

static const char kernel[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry number(.param .u64 out, .param .u32 first)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r4, [first];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.u32 %r5, %r1, %r4;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

static int wrong = 0;
#define CHECK(what)                                                                                          \
  do                                                                                                         \
    if (!(what)) ++wrong, printf("wrong: %s, line %d\n", #what, __LINE__);                                   \
  while (0)

static void* number;
static void run(Address out, unsigned first, unsigned blocks) {
  void* arguments[] = {&out, &first};
  CHECK(cuLaunchKernel(number, blocks, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr) == 0);
}
static unsigned word(Address at) {
  unsigned out = 0;
  CHECK(cuMemcpyDtoH_v2(&out, at, 4) == 0);
  return out;
}

static void mapped() {
  const Properties here{1, 0, {1, 0}, nullptr, {}};
  const Access all{{1, 0}, 3};
  size_t page = 0, free_before = 0, free_now = 0, total = 0;
  int supported = 0;
  CHECK(cuDeviceGetAttribute(&supported, 102, 0) == 0 && supported == 1);
  CHECK(cuMemGetAllocationGranularity(&page, &here, 0) == 0 && page != 0);
  CHECK(cuMemGetInfo_v2(&free_before, &total) == 0);
  Address space = 0;
  unsigned long long first = 0, second = 0;
  CHECK(cuMemAddressReserve(&space, total * 2, 0, 0, 0) == 0); // more than there is
  CHECK(cuMemCreate(&first, page, &here, 0) == 0 && cuMemCreate(&second, page, &here, 0) == 0);
  CHECK(cuMemGetInfo_v2(&free_now, &total) == 0 && free_now == free_before - 2 * page);
  CHECK(cuMemMap(space, page, 0, first, 0) == 0 && cuMemMap(space + page, page, 0, second, 0) == 0);
  CHECK(cuMemcpyHtoD_v2(space, &page, 4) == 1); // nobody may access it yet
  CHECK(cuMemSetAccess(space, 2 * page, &all, 1) == 0);
  // A launch and a copy over the border between the two.
  run(space + page - 4096, 0, 8);
  CHECK(word(space + page - 4) == 1023 && word(space + page) == 1024);
  std::vector<unsigned> both(2048);
  CHECK(cuMemcpyDtoH_v2(both.data(), space + page - 4096, 8192) == 0 && both[2047] == 2047);
  CHECK(cuMemcpyDtoH_v2(both.data(), space + 2 * page - 4, 8) == 1); // over the end
  int kind = 0;
  CHECK(cuPointerGetAttribute(&kind, 2, space) == 0 && kind == 2);
  // The same pages at another address: what is written here is there.
  const Address again = space + 8 * page;
  CHECK(cuMemMap(again, page, 0, second, 0) == 0 && cuMemSetAccess(again, page, &all, 1) == 0);
  run(again, 5, 1);
  CHECK(word(space + page) == 5 && word(space + page + 4 * 255) == 260);
  // Pages stay while they are mapped, and change places.
  CHECK(cuMemRelease(first) == 0 && cuMemUnmap(space + page, page) == 0);
  CHECK(cuMemMap(space + 4 * page, page, 0, first, 0) == 1); // the handle is gone
  CHECK(word(space + page - 4) == 1023 && word(again) == 5);
  CHECK(cuMemUnmap(space, 2 * page) == 1); // half of that is not mapped
  CHECK(cuMemAddressFree(space, total * 2) == 1);
  CHECK(cuMemUnmap(space, page) == 0 && cuMemUnmap(again, page) == 0 && cuMemRelease(second) == 0);
  CHECK(cuMemAddressFree(space, total * 2) == 0);
  CHECK(cuMemGetInfo_v2(&free_now, &total) == 0 && free_now == free_before);
}

static void words(void* stream) {
  void* raw = nullptr;
  CHECK(cuMemAllocHost_v2(&raw, 4096) == 0);
  auto flag = static_cast<std::atomic<unsigned>*>(raw);
  const Address at = reinterpret_cast<Address>(raw);
  flag->store(0);
  CHECK(cuStreamWriteValue32_v2(stream, at, 7, 0) == 0 && flag->load() == 7);
  CHECK(cuStreamWaitValue32_v2(stream, at, 7, 0) == 0);
  std::thread other([&] { flag->store(9); }); // somebody else ends the wait
  CHECK(cuStreamWaitValue32_v2(stream, at, 9, 1) == 0);
  other.join();
  CHECK(cuStreamWriteValue32_v2(stream, at + 1, 7, 0) == 1); // not aligned
  if (getenv("WAIT_IN_VAIN")) CHECK(cuStreamWaitValue32_v2(stream, at, 10, 1) == 801);
  CHECK(cuMemFreeHost(raw) == 0);
}

static void batch(void* stream) {
  void* raw = nullptr;
  CHECK(cuMemAllocHost_v2(&raw, 4096) == 0);
  unsigned from[4] = {1, 2, 3, 4}, *to = static_cast<unsigned*>(raw);
  Address dst[2] = {reinterpret_cast<Address>(to), reinterpret_cast<Address>(to + 8)};
  Address src[2] = {reinterpret_cast<Address>(from), reinterpret_cast<Address>(from + 2)};
  size_t sizes[2] = {8, 8}, first[1] = {0};
  Attributes order{1, {0, 0}, {0, 0}, 0};
  CHECK(cuMemcpyBatchAsync_v2(dst, src, sizes, 2, &order, first, 1, stream) == 0);
  CHECK(to[0] == 1 && to[1] == 2 && to[8] == 3 && to[9] == 4);
  CHECK(cuMemcpyBatchAsync_v2(dst, src, sizes, 2, &order, first, 1, nullptr) ==
        1); // not on the legacy stream
  order.order = 0;
  CHECK(cuMemcpyBatchAsync_v2(dst, src, sizes, 2, &order, first, 1, stream) == 1);
  CHECK(cuMemFreeHost(raw) == 0);
}

int main() {
  void *context = nullptr, *module = nullptr, *stream = nullptr;
  CHECK(cuInit(0) == 0 && cuCtxCreate_v2(&context, 0, 0) == 0 && cuModuleLoadData(&module, kernel) == 0);
  CHECK(cuModuleGetFunction(&number, module, "number") == 0 && cuStreamCreate(&stream, 0) == 0);
  mapped();
  words(stream);
  batch(stream);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
