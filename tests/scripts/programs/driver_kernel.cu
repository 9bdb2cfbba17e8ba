// The driver API by WarpLens's own cuda.h: two texts of PTX are linked, and one calls the other.
#include <cstdio>
#include <cuda.h>
#include <vector>

static const char callee[] = R"(.version 7.8
.target sm_75
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
}
)";
static const char caller[] = R"(.version 7.8
.target sm_75
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry twice_all(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r4;
    call (b), twice, (a);
    ld.param.b32 %r5, [b];
  }
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

int main() {
  constexpr unsigned count = 4096;
  CUdevice device;
  CUcontext context;
  CUlinkState link;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr out;
  void* image = nullptr;
  size_t size = 0;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, CU_CTX_SCHED_AUTO, device)) return 1;
  if (cuLinkCreate(0, nullptr, nullptr, &link)) return 2;
  for (const char* text : {caller, callee})
    if (cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(text), text == caller ? sizeof caller : sizeof callee,
                      "", 0, nullptr, nullptr))
      return 3;
  if (cuLinkComplete(link, &image, &size) || cuModuleLoadData(&module, image) || cuLinkDestroy(link)) return 4;
  if (cuModuleGetFunction(&kernel, module, "twice_all") || cuMemAlloc(&out, count * 4)) return 5;
  std::size_t bytes = sizeof out;
  void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &out, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  if (cuLaunchKernel(kernel, count / 256, 1, 1, 256, 1, 1, 0, nullptr, nullptr, packed)) return 6;
  std::vector<unsigned> values(count);
  if (cuMemcpyDtoH(values.data(), out, count * 4)) return 7;
  for (unsigned i = 0; i < count; ++i)
    if (values[i] != 2 * i) return 8;
  std::printf("%u sums, linked\n", count);
  return cuCtxDestroy(context) == CUDA_SUCCESS ? 0 : 9;
}
