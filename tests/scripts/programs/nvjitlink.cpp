// Links PTX to machine code with nvJitLink and launches it, as numba-cuda does: its calls, in its order. Arguments: PTX files.
#include <cstdio>
#include <cuda.h>
#include <fstream>
#include <nvJitLink.h>
#include <sstream>
#include <vector>

int main(int count, char** files) {
  const char* options[] = {"-arch=sm_90"};
  nvJitLinkHandle link;
  if (nvJitLinkCreate(&link, 1, options) != NVJITLINK_SUCCESS) return 1;
  for (int i = 1; i < count; ++i) {
    std::ostringstream text;
    text << std::ifstream(files[i]).rdbuf();
    if (nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, text.str().c_str(), text.str().size() + 1, files[i]))
      return 2;
  }
  if (nvJitLinkComplete(link) != NVJITLINK_SUCCESS) return 3;
  size_t size = 0;
  nvJitLinkGetLinkedCubinSize(link, &size);
  std::vector<char> cubin(size);
  nvJitLinkGetLinkedCubin(link, cubin.data());
  nvJitLinkDestroy(&link);
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr memory;
  void* arguments[] = {&memory};
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context))
    return 4;
  if (int error = cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr))
    return std::printf("load: %d\n", error), 5;
  if (cuModuleGetFunction(&kernel, module, "square_all")) return 6;
  if (cuMemAlloc(&memory, 128 * sizeof(float)) || cuMemsetD32(memory, 0x40400000, 128)) return 7;
  if (cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr)) return 8;
  std::vector<float> result(128);
  cuMemcpyDtoH(result.data(), memory, 128 * sizeof(float));
  for (float x : result)
    if (x != 9) return 9;
  std::puts("every element is 9");
}
