// The types of the CUDA Runtime API as its callers lay them out in memory, for the majors 11, 12 and 13.
//
// WarpLens builds without a CUDA toolkit, so the layouts are written here from the public documentation of
// the Runtime API (section "Data types used by CUDA Runtime"); tests compare them with the toolkit's headers
// where it is installed. Names are CUDA's. What differs between majors has the major in its name.
#pragma once
#include "base/types.h"

namespace warplens::runtime {

enum cudaError_t : int {
#define CUDA_ERROR(name, code, text) name = code,
#include "runtime/abi/errors.def"
#undef CUDA_ERROR
};

enum cudaMemcpyKind : int {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType : int {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};

struct Array;  // array.cpp
struct Stream; // stream.h
struct Event;  // event.cpp
struct Kernel; // module.h
using cudaArray_t = Array*;
using cudaStream_t = Stream*;
using cudaEvent_t = Event*;
using cudaKernel_t = Kernel*;
using cudaMemPool_t = void*;
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);

struct cudaExtent {
  std::size_t width, height, depth;
};
struct cudaPos {
  std::size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct cudaChannelFormatDesc {
  int x, y, z, w, f;
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
static_assert(sizeof(cudaMemcpy3DParms) == 160);
struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};
static_assert(sizeof(cudaMemcpy3DPeerParms) == 168);

struct cudaMemLocation {
  int type; // 1 device, 2 host
  int id;
};
static_assert(sizeof(cudaMemLocation) == 8);

struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  // CUDA 13 appends `long reserved[8]`, which is left as the caller set it.
};
static_assert(sizeof(cudaPointerAttributes) == 24);

struct cudaFuncAttributes11 {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout;
};
static_assert(sizeof(cudaFuncAttributes11) == 56);
struct cudaFuncAttributes12 { // and 13
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout;
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
      clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
  int reserved[16];
};
static_assert(sizeof(cudaFuncAttributes12) == 144);

enum cudaLaunchAttributeID : int {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  int padding;
  union {
    char bytes[64];
    int cooperative;
    struct {
      u32 x, y, z;
    } cluster;
  } value;
};
static_assert(sizeof(cudaLaunchAttribute) == 72);
struct cudaLaunchConfig_t {
  Dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  const cudaLaunchAttribute* attrs;
  u32 numAttrs;
};
static_assert(sizeof(cudaLaunchConfig_t) == 56);

enum cudaFuncAttribute : int {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};

inline const cudaStream_t cudaStreamLegacy = reinterpret_cast<cudaStream_t>(1);
inline const cudaStream_t cudaStreamPerThread = reinterpret_cast<cudaStream_t>(2);

} // namespace warplens::runtime
