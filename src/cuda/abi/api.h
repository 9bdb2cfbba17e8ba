// The functions of the CUDA Runtime API: CUDA 13's, declared by the text of the header that WarpLens gives to clang, and those
// that this header lacks. runtime/state.h brings it to all files that define one, so that a definition with other parameters
// does not compile. Files that declare functions without parameters (exports.cpp, stubs.cpp) must not see it.
#pragma once
#include "abi/device_prop.h"
#include "abi/types.h"

namespace warplens::runtime {

struct FatbinWrapper; // runtime/module.h

// Default arguments of the text, which are macros in a program.
inline constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachSingle = 4;

#include "cuda/warplens/runtime_api.h"

extern "C" {

// Variants, where the majors differ (exports.def). What CUDA 13 has under the plain name has that name's type, and so has what
// takes a shorter structure.
decltype(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo_v3;
decltype(cudaStreamUpdateCaptureDependencies) cudaStreamUpdateCaptureDependencies_v2;
decltype(cudaFuncGetAttributes) cudaFuncGetAttributes_11, cudaFuncGetAttributes_12;
decltype(cudaGetDeviceProperties) cudaGetDeviceProperties_13;
decltype(cudaGraphAddDependencies) cudaGraphAddDependencies_v2, cudaGraphRemoveDependencies_v2;
decltype(cudaGraphAddNode) cudaGraphAddNode_v2;
decltype(cudaGraphGetEdges) cudaGraphGetEdges_v2;
decltype(cudaGraphNodeGetDependencies) cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependentNodes_v2;
decltype(cudaMemcpyBatchAsync) cudaMemcpyBatchAsync_13, cudaMemcpyBatchAsync_13_ptsz;
decltype(cudaMemcpy3DBatchAsync) cudaMemcpy3DBatchAsync_13, cudaMemcpy3DBatchAsync_13_ptsz;
decltype(cudaCreateTextureObject) cudaCreateTextureObject_11, cudaCreateTextureObject_12;
decltype(cudaGetTextureObjectResourceDesc) cudaGetTextureObjectResourceDesc_11,
    cudaGetTextureObjectResourceDesc_13;
decltype(cudaGetTextureObjectTextureDesc) cudaGetTextureObjectTextureDesc_11,
    cudaGetTextureObjectTextureDesc_12;
decltype(cudaGetSurfaceObjectResourceDesc) cudaGetSurfaceObjectResourceDesc_11,
    cudaGetSurfaceObjectResourceDesc_13;
decltype(cudaRuntimeGetVersion) cudaRuntimeGetVersion_11, cudaRuntimeGetVersion_12, cudaRuntimeGetVersion_13;
decltype(cudaGetKernel) __cudaGetKernel;

// Those of other types that somebody calls.
cudaError_t cudaGetDeviceProperties_11(cudaDeviceProp12*, int);
cudaError_t cudaGetDriverEntryPoint_13(const char*, void**, u64, int*);
cudaError_t cudaStreamGetCaptureInfo_11(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*,
                                        cudaGraph_t*, const cudaGraphNode_t**, std::size_t*);
cudaError_t cudaStreamUpdateCaptureDependencies_11(cudaStream_t, cudaGraphNode_t*, std::size_t, unsigned);
cudaError_t cudaGraphAddDependencies_11(cudaGraph_t, const cudaGraphNode_t*, const cudaGraphNode_t*,
                                        std::size_t);
decltype(cudaGraphAddDependencies_11) cudaGraphRemoveDependencies_11;
cudaError_t cudaGraphExecUpdate_11(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t*,
                                   cudaGraphExecUpdateResult*);
cudaError_t cudaGraphGetEdges_11(cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, std::size_t*);
cudaError_t cudaGraphInstantiate_11(cudaGraphExec_t*, cudaGraph_t, cudaGraphNode_t*, char*, std::size_t);
cudaError_t cudaGraphNodeGetDependencies_11(cudaGraphNode_t, cudaGraphNode_t*, std::size_t*);
decltype(cudaGraphNodeGetDependencies_11) cudaGraphNodeGetDependentNodes_11;
cudaError_t cudaMemcpyBatchAsync_12(void* const*, const void* const*, const std::size_t*, std::size_t,
                                    cudaMemcpyAttributes*, std::size_t*, std::size_t, std::size_t*,
                                    cudaStream_t);
cudaError_t cudaMemcpy3DBatchAsync_12(std::size_t, cudaMemcpy3DBatchOp*, std::size_t*, unsigned long long,
                                      cudaStream_t);
decltype(cudaMemcpyBatchAsync_12) cudaMemcpyBatchAsync_12_ptsz;
decltype(cudaMemcpy3DBatchAsync_12) cudaMemcpy3DBatchAsync_12_ptsz;

// The options are those of the driver's just-in-time compiler.
cudaError_t cudaLibraryLoadData(cudaLibrary_t*, const void*, const int*, void**, unsigned, const int*, void**,
                                unsigned);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t*, const char*, const int*, void**, unsigned, const int*,
                                    void**, unsigned);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t*, unsigned, cudaLibrary_t);

// What compilers call.
void** __cudaRegisterFatBinary(const FatbinWrapper*);
void** __cudaRegisterFatBinary_11(const FatbinWrapper*);
void __cudaUnregisterFatBinary(void**);
char __cudaInitModule(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);

} // extern "C"
} // namespace warplens::runtime
