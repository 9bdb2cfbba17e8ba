// The structures of the Runtime API are an ABI: sizes and offsets as in the toolkit's own headers. The same
// program is compiled with both and must print the same. Registered where there is a toolkit.
#ifdef WARPLENS_TEST_NVCC
#include "os/captured.h"
#include "os/temp_dir.h"
#include "toolchain/compile.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>

namespace warplens::toolchain {
namespace {

using os::TempDir;

const std::map<std::string, std::vector<std::string>> layouts = {
    {"cudaDeviceProp",
     {"uuid",
      "totalGlobalMem",
      "regsPerBlock",
      "warpSize",
      "memPitch",
      "maxGridSize",
      "totalConstMem",
      "major",
      "textureAlignment",
      "multiProcessorCount",
      "maxTexture1D",
      "maxTexture2DLinear",
      "maxSurfaceCubemapLayered",
      "surfaceAlignment",
      "concurrentKernels",
      "l2CacheSize",
      "maxThreadsPerMultiProcessor",
      "sharedMemPerMultiprocessor",
      "managedMemory",
      "cooperativeLaunch",
      "sharedMemPerBlockOptin",
      "maxBlocksPerMultiProcessor",
      "reservedSharedMemPerBlock",
      "clusterLaunch",
      "hostNumaId",
      "hostNumaMultinodeIpcSupported",
      "reserved"}},
    {"cudaFuncAttributes",
     {"localSizeBytes", "numRegs", "maxDynamicSharedSizeBytes", "nonPortableClusterSizeAllowed"}},
    {"cudaPointerAttributes", {"type", "device", "devicePointer", "hostPointer"}},
    {"cudaMemcpy3DParms", {"srcPos", "srcPtr", "dstArray", "dstPtr", "extent", "kind"}},
    {"cudaMemcpy3DPeerParms", {"srcDevice", "dstArray", "dstDevice", "extent"}},
    {"cudaResourceDesc", {"res", "flags"}},
    {"cudaTextureDesc",
     {"filterMode", "borderColor", "normalizedCoords", "maxAnisotropy", "seamlessCubemap"}},
    {"cudaResourceViewDesc", {"width", "firstMipmapLevel", "lastLayer"}},
    {"cudaKernelNodeParams", {"gridDim", "sharedMemBytes", "extra"}},
    {"cudaMemsetParams", {"pitch", "elementSize", "height"}},
    {"cudaMemPoolProps", {"handleTypes", "location", "maxSize", "reserved"}},
    {"cudaLaunchConfig_t", {"blockDim", "dynamicSmemBytes", "attrs", "numAttrs"}},
    {"cudaLaunchAttribute", {"id", "val"}},
    {"cudaAccessPolicyWindow", {"num_bytes", "hitRatio", "missProp"}},
    {"cudaMemAllocNodeParams", {"accessDescs", "dptr"}},
    {"cudaGraphEdgeData", {"to_port", "type"}},
    {"cudaGraphExecUpdateResultInfo", {"errorNode", "errorFromNode"}},
    {"cudaArraySparseProperties", {"miptailFirstLevel", "flags"}},
    {"cudaIpcMemHandle_t", {}},
    {"float4", {"w"}},
    {"double4", {"w"}},
    {"float3", {"z"}},
    {"short4", {"w"}},
    {"long2", {"y"}},
    {"dim3", {"z"}},
};

std::string program() {
  std::string text = "#include <cuda_runtime.h>\n#include <cstddef>\n#include <cstdio>\nint main() {\n";
  for (const auto& [type, fields] : layouts) {
    text += "  std::printf(\"" + type + " %zu %zu\\n\", sizeof(" + type + "), alignof(" + type + "));\n";
    for (const std::string& field : fields)
      text += "  std::printf(\"  " + field + " %zu\\n\", offsetof(" + type + ", " + field + "));\n";
  }
  return text + "}\n";
}

std::string output_of(const std::vector<std::string>& compile, const std::string& executable) {
  auto compiled = os::run_captured(compile);
  EXPECT_TRUE(compiled && compiled->exit_code == 0)
      << (compiled ? compiled->output : compiled.error().message);
  auto ran = os::run_captured({executable});
  return ran ? ran->output : ran.error().message;
}

TEST(Layout, EqualsTheToolkits) {
  auto folder = TempDir::create();
  std::string source = folder->path() + "/layout.cu", ours = folder->path() + "/ours",
              toolkits = folder->path() + "/toolkits";
  std::ofstream(source) << program();
  auto clang = find_compiler(Compiler::clang, Search::from_environment());
  ASSERT_TRUE(clang);
  EXPECT_EQ(output_of({clang->path, "--driver-mode=g++", "-x", "cuda", "--cuda-host-only",
                       "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-Xclang",
                       "-target-sdk-version=12.3", "-std=c++17", "-w", "-isystem", header_folder(),
                       "-include", "warplens_cuda.h", source, "-o", ours},
                      ours),
            output_of({WARPLENS_TEST_NVCC, "-w", source, "-o", toolkits}, toolkits));
}

} // namespace
} // namespace warplens::toolchain
#endif
