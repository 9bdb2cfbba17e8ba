// The types of the CUDA Runtime API as its callers lay them out in memory: CUDA 13's, which are compiled from
// the text of the headers that WarpLens gives to clang (cuda/warplens/), with handles that point to objects of
// the runtime. Of the majors 11 and 12 it has what differs: see cudaDeviceProp12.
#pragma once
#include "base/types.h"

namespace warplens::runtime {

#include "cuda/warplens/runtime_enums.h"

struct Array; // image.h
struct MipmappedArray;
struct Stream;     // stream.cpp
struct Event;      // event.cpp
struct Graph;      // graphs/graph.h
struct GraphNode;  // graphs/graph.h
struct GraphExec;  // graphs/graph.h
struct UserObject; // graphs/user_object.cpp
struct Kernel;     // module.h
struct Binary;     // module.h
using cudaArray_t = Array*;
using cudaArray_const_t = const Array*;
using cudaMipmappedArray_t = MipmappedArray*;
using cudaMipmappedArray_const_t = const MipmappedArray*;
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
using cudaStream_t = Stream*;
using cudaEvent_t = Event*;
using cudaGraph_t = Graph*;
using cudaGraphNode_t = GraphNode*;
using cudaGraphExec_t = GraphExec*;
using cudaUserObject_t = UserObject*;
using cudaFunction_t = Kernel*;
using cudaKernel_t = Kernel*;
using cudaLibrary_t = Binary*;
using cudaMemPool_t = void*;
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);
using dim3 = Dim3;

#include "cuda/warplens/runtime_structs.h"

#include "cuda/warplens/batch_structs.h"

#include "cuda/warplens/graph_structs.h"

static_assert(sizeof(cudaMemcpy3DParms) == 160);
static_assert(sizeof(cudaMemcpy3DPeerParms) == 168);
static_assert(sizeof(cudaMemLocation) == 8);
static_assert(sizeof(cudaResourceDesc) == 144); // 64 before CUDA 13, which has room for more kinds
static_assert(sizeof(cudaResourceViewDesc) == 112);
static_assert(sizeof(cudaTextureDesc) == 72);       // 64 in CUDA 11, which ends after the clamps
static_assert(sizeof(cudaPointerAttributes) == 88); // 24 before CUDA 13, without what is reserved
static_assert(sizeof(cudaFuncAttributes) == 144);   // 56 in CUDA 11, which ends before the clusters
static_assert(sizeof(cudaLaunchAttribute) == 72);
static_assert(sizeof(cudaLaunchConfig_t) == 56);
static_assert(sizeof(cudaDeviceProp) == 1008);
static_assert(sizeof(cudaMemAllocNodeParams) == 120);
static_assert(sizeof(cudaGraphNodeParams) == 256);
static_assert(sizeof(cudaMemcpyAttributes) == 24);
static_assert(sizeof(cudaMemcpy3DBatchOp) == 112);

inline const cudaStream_t cudaStreamLegacy = reinterpret_cast<cudaStream_t>(1);
inline const cudaStream_t cudaStreamPerThread = reinterpret_cast<cudaStream_t>(2);

} // namespace warplens::runtime
