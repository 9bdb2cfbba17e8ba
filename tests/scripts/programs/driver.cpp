// A program of the driver API, as the toolkit's cuda.h has it: a kernel's code from PTX, two-dimensional copies, events, a launch
// configuration, and functions that only exist in a library linked with -lcuda.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <vector>

static void check(CUresult error, const char* what) {
  if (error == CUDA_SUCCESS) return;
  const char *name = "?", *text = "?";
  cuGetErrorName(error, &name), cuGetErrorString(error, &text);
  std::printf("%s: %s, %s\n", what, name, text);
  std::exit(1);
}
#define CHECK(call) check(call, #call)

int main(int, char** argv) {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module;
  CUfunction add;
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&add, module, "add"));

  // x is a box of 4 rows of 256 floats, copied into rows of 1024 bytes.
  std::vector<float> x(4 * 300), y(1024, 0.25f), z(1024);
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 256; ++i) x[row * 300 + i] = static_cast<float>(row * 256 + i);
  CUdeviceptr dx, dy, dz, none = 0;
  CHECK(cuMemAlloc(&dx, 4096));
  CHECK(cuMemAlloc(&dy, 4096));
  CHECK(cuMemAlloc(&dz, 4096));
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = x.data(), box.srcPitch = 1200;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE, box.dstDevice = dx, box.dstPitch = 1024;
  box.WidthInBytes = 1024, box.Height = 4;
  CHECK(cuMemcpy2D(&box));
  CHECK(cuMemcpyHtoD(dy, y.data(), 4096));
  CHECK(cuMemsetD32(dz, 0, 1024));

  CUstream stream;
  CUevent start, end;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK(cuEventRecord(start, stream));
  int n = 1024;
  void* arguments[] = {&dx, &dy, &dz, &n, &none, &none};
  CUlaunchConfig config{};
  config.gridDimX = 8, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  CHECK(cuLaunchKernelEx(&config, add, arguments, nullptr));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, start, end));
  CHECK(cuMemcpyDtoH(z.data(), dz, 4096));
  for (int i = 0; i < 1024; ++i)
    if (z[i] != static_cast<float>(i) + 0.25f) return std::printf("z[%d] is %g\n", i, z[i]), 1;
  if (cuGraphicsMapResources(0, nullptr, stream) != CUDA_ERROR_NOT_SUPPORTED) return 2;
  std::printf("right, %d\n", milliseconds >= 0);
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
