// Compiles a kernel with NVRTC for one GPU, as programs do, and launches the machine code.
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

int main() {
  const char* source = "extern \"C\" __global__ void add_one(float* a, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (i < n) a[i] = a[i] + 1;\n"
                       "}\n";
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "add_one.cu", 0, nullptr, nullptr);
  const char* options[] = {"--gpu-architecture=sm_90"};
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) return 1;
  size_t size = 0;
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> cubin(size);
  nvrtcGetCUBIN(program, cubin.data());
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr memory;
  int n = 500;
  void* arguments[] = {&memory, &n};
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context))
    return 2;
  if (cuModuleLoadData(&module, cubin.data()) || cuModuleGetFunction(&kernel, module, "add_one")) return 3;
  if (cuMemAlloc(&memory, n * sizeof(float)) || cuMemsetD32(memory, 0x3f800000, n)) return 4;
  if (cuLaunchKernel(kernel, 4, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr)) return 5;
  std::vector<float> result(n);
  cuMemcpyDtoH(result.data(), memory, n * sizeof(float));
  for (float x : result)
    if (x != 2) return 6;
  std::puts("every element is 2");
}
