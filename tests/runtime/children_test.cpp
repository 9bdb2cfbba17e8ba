// Kernels that launch kernels, in PTX as nvcc makes it of <<<…>>> in a kernel.
#include "runtime/api.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace warplens::runtime {
namespace {

const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2
(.param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2 (.param .b64 buffer, .param .b64 stream);
.extern .func (.param .b32 error) cudaDeviceSynchronize ();
.visible .global .align 4 .u32 count;
.visible .global .align 4 .b8 order[64];
.visible .entry child(.param .u32 value);

.func start(.reg .b32 %value, .reg .b64 %stream)
{
  .reg .b64 %kernel, %to;
  .reg .b32 %error;
  .reg .pred %none;
  .param .b64 a; .param .align 4 .b8 b[12]; .param .align 4 .b8 c[12]; .param .b32 d; .param .b64 buffer;
  .param .b64 e; .param .b64 f; .param .b32 error;
  mov.u64 %kernel, child;
  st.param.b64 [a], %kernel;
  st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
  st.param.b32 [c], 32; st.param.b32 [c+4], 1; st.param.b32 [c+8], 1;
  st.param.b32 [d], 0;
  call (buffer), __cudaCDP2GetParameterBufferV2, (a, b, c, d);
  ld.param.b64 %to, [buffer];
  setp.eq.s64 %none, %to, 0;
  @%none ret;
  st.u32 [%to], %value;
  st.param.b64 [e], %to;
  st.param.b64 [f], %stream;
  call (error), __cudaCDP2LaunchDeviceV2, (e, f);
  ret;
}

.visible .entry child(.param .u32 value)
{
  .reg .b32 %tid, %value, %at;
  .reg .b64 %to, %stream, %where;
  .reg .pred %other, %one;
  mov.u32 %tid, %tid.x;
  setp.ne.u32 %other, %tid, 0;
  @%other ret;
  ld.param.u32 %value, [value];
  atom.global.add.u32 %at, [count], 1;
  mov.u64 %where, order;
  mul.wide.u32 %to, %at, 4;
  add.u64 %to, %to, %where;
  st.global.u32 [%to], %value;
  setp.ne.u32 %one, %value, 1;
  @%one ret;
  mov.u32 %value, 50;
  mov.u64 %stream, 0;
  call start, (%value, %stream);
  ret;
}

.visible .entry parent()
{
  .reg .b32 %tid, %block, %late;
  .reg .b64 %stream;
  .reg .pred %other;
  mov.u32 %tid, %tid.x;
  setp.ne.u32 %other, %tid, 3;
  @%other ret;
  mov.u32 %block, %ctaid.x;
  add.u32 %late, %block, 100;
  mov.u64 %stream, 3;
  call start, (%late, %stream);
  mov.u64 %stream, 0;
  call start, (%block, %stream);
  ret;
}

.visible .entry waiting()
{
  .param .b32 error;
  call (error), cudaDeviceSynchronize, ();
  ret;
}
)";

class Children : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaSuccess);
  }
  void TearDown() override {
    cudaDeviceReset();
    cudaGetLastError();
  }
  cudaError_t launch(const char* name, u32 blocks) {
    cudaKernel_t kernel = nullptr;
    EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, name), cudaSuccess);
    return cudaLaunchKernel(kernel, {blocks, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr);
  }
  std::vector<u32> order() {
    void *count = nullptr, *order = nullptr;
    std::size_t size = 0;
    u32 known = 0;
    EXPECT_EQ(cudaLibraryGetGlobal(&count, &size, library, "count"), cudaSuccess);
    EXPECT_EQ(cudaLibraryGetGlobal(&order, &size, library, "order"), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(&known, count, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    std::vector<u32> out(known);
    EXPECT_EQ(cudaMemcpy(out.data(), order, known * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }
  cudaLibrary_t library = nullptr;
};

// In the order of blocks, what a child launches before its sibling, and the tail's at the end.
TEST_F(Children, RunAfterTheirParentInOrder) {
  std::size_t before = 0, after = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  EXPECT_EQ(launch("parent", 3), cudaSuccess);
  EXPECT_EQ(order(), (std::vector<u32>{0, 1, 50, 2, 100, 101, 102}));
  EXPECT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before, after); // the buffers of parameters are given back
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Children, CannotBeWaitedFor) {
  EXPECT_EQ(launch("waiting", 1), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

} // namespace
} // namespace warplens::runtime
