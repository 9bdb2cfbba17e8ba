// See runtime/work.h: each kind of work is made, checked as far as can be before it runs, and done by the function of the API that
// does it at once.
#include "runtime/work.h"
#include "runtime/graphs/conditional.h"
#include "runtime/memory.h"
#include <algorithm>

namespace warplens::runtime {

namespace {

std::map<u64, std::weak_ptr<GraphMemory>>& graph_memory() {
  return of_device<std::map<u64, std::weak_ptr<GraphMemory>>>();
}

bool is_flat(const cudaMemcpy3DParms& p) {
  return !p.srcArray && !p.dstArray && p.extent.height <= 1 && p.extent.depth <= 1 && p.srcPos.y == 0 &&
         p.srcPos.z == 0 && p.dstPos.y == 0 && p.dstPos.z == 0;
}

Box at(const cudaPitchedPtr& pitched, u64 x) { return {static_cast<std::byte*>(pitched.ptr) + x, 0, 0}; }

struct Perform {
  cudaError_t operator()(EmptyWork&) const { return cudaSuccess; }
  cudaError_t operator()(ChildWork&) const { return cudaErrorInvalidValue; }
  cudaError_t operator()(CallWork& work) const { return work.body(); }
  cudaError_t operator()(ConditionalWork& work) const { return perform_conditional(work); }
  cudaError_t operator()(MemoryWork& work) const { return perform_operations(work.operations); }
  cudaError_t operator()(KernelWork& work) const {
    LaunchRequest request{work.function, work.grid,        work.block, {},
                          work.shared,   work.arguments(), nullptr,    false};
    request.device = work.device;
    runtime::apply(request, work.attributes);
    return launch(request);
  }
  cudaError_t operator()(CopyWork& work) const {
    const cudaMemcpy3DParms& p = work.parameters;
    if (!is_flat(p)) return cudaMemcpy3D(&p);
    return api([&](Runtime& r) {
      return copy(r, at(p.dstPtr, p.dstPos.x), at(p.srcPtr, p.srcPos.x), {p.extent.width}, p.kind);
    });
  }
  cudaError_t operator()(FillWork& work) const {
    const cudaMemsetParams& p = work.parameters;
    return api([&](Runtime& r) {
      const std::optional<sim::Allocation> there = r.memory().find(reinterpret_cast<u64>(p.dst));
      const OnDevice turn(r, there ? there->device : r.memory().in_use());
      return fill(r, {static_cast<std::byte*>(p.dst), p.pitch, 0}, {p.width * p.elementSize, p.height},
                  p.value, p.elementSize);
    });
  }
  cudaError_t operator()(HostWork& work) const {
    work.parameters.fn(work.parameters.userData);
    return cudaSuccess;
  }
  cudaError_t operator()(WaitWork& work) const { return cudaStreamWaitEvent(nullptr, work.event, 0); }
  cudaError_t operator()(RecordWork& work) const { return cudaEventRecord(work.event, nullptr); }
  // A graph that is launched again has to have freed what it allocated (CUDA C++ Programming Guide, "Graph Memory Nodes").
  cudaError_t operator()(AllocateWork& work) const {
    return api([&](Runtime&) {
      if (work.memory->live) return cudaErrorInvalidValue;
      work.memory->live = true;
      return cudaSuccess;
    });
  }
  cudaError_t operator()(FreeWork& work) const { return cudaFree(work.address); }
};

struct TypeOf {
  cudaGraphNodeType operator()(const EmptyWork&) const { return cudaGraphNodeTypeEmpty; }
  cudaGraphNodeType operator()(const KernelWork&) const { return cudaGraphNodeTypeKernel; }
  cudaGraphNodeType operator()(const CallWork&) const { return cudaGraphNodeTypeKernel; }
  cudaGraphNodeType operator()(const CopyWork&) const { return cudaGraphNodeTypeMemcpy; }
  cudaGraphNodeType operator()(const FillWork&) const { return cudaGraphNodeTypeMemset; }
  cudaGraphNodeType operator()(const HostWork&) const { return cudaGraphNodeTypeHost; }
  cudaGraphNodeType operator()(const ChildWork&) const { return cudaGraphNodeTypeGraph; }
  cudaGraphNodeType operator()(const WaitWork&) const { return cudaGraphNodeTypeWaitEvent; }
  cudaGraphNodeType operator()(const RecordWork&) const { return cudaGraphNodeTypeEventRecord; }
  cudaGraphNodeType operator()(const AllocateWork&) const { return cudaGraphNodeTypeMemAlloc; }
  cudaGraphNodeType operator()(const FreeWork&) const { return cudaGraphNodeTypeMemFree; }
  cudaGraphNodeType operator()(const ConditionalWork&) const { return cudaGraphNodeTypeConditional; }
  cudaGraphNodeType operator()(const MemoryWork&) const {
    return static_cast<cudaGraphNodeType>(12); // CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: the driver's alone
  }
};

} // namespace

static u64 held_now = 0, held_at_most = 0;

GraphMemory::GraphMemory(u64 where, u64 bytes) : address(where), size(bytes) {
  held_at_most = std::max(held_at_most, held_now += size);
}

u64 GraphMemory::held() { return held_now; }
u64 GraphMemory::most_held() { return held_at_most; }
void GraphMemory::forget_most() { held_at_most = held_now; }

GraphMemory::~GraphMemory() {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  held_now -= size;
  graph_memory().erase(address);
  if (live || !runtime.device || runtime.deferrals.hold(runtime, address)) return;
  runtime.memory().release(address);
}

std::shared_ptr<GraphMemory> GraphMemory::find(u64 address) {
  auto found = graph_memory().find(address);
  return found == graph_memory().end() ? nullptr : found->second.lock();
}

void** KernelWork::arguments() {
  pointers.clear();
  for (u32 offset : offsets) pointers.push_back(parameters.data() + offset);
  return pointers.data();
}

void KernelWork::set(const cudaLaunchAttribute& attribute) {
  std::erase_if(attributes, [&](const cudaLaunchAttribute& known) { return known.id == attribute.id; });
  attributes.push_back(attribute);
}

std::span<std::shared_ptr<Graph>> inner_graphs(Work& work) {
  if (auto* child = std::get_if<ChildWork>(&work)) return {&child->graph, 1};
  if (auto* conditional = std::get_if<ConditionalWork>(&work)) return conditional->bodies;
  return {};
}

cudaGraphNodeType type_of(const Work& work) { return std::visit(TypeOf{}, work); }

cudaError_t perform(Work& work) { return std::visit(Perform{}, work); }

Made kernel_work(Runtime& runtime, const cudaKernelNodeParams* p) {
  if (!p) return failure(cudaErrorInvalidValue);
  Kernel* kernel = runtime.binaries.kernel(p->func);
  if (!kernel) return failure(cudaErrorInvalidDeviceFunction);
  if (cudaError_t error = kernel->resolve(runtime); error != cudaSuccess) return failure(std::move(error));
  KernelWork work{p->func, p->gridDim, p->blockDim, p->sharedMemBytes, {}, {}, {}};
  ResultOr<std::vector<std::byte>, cudaError_t> packed =
      pack_parameters(kernel->info, p->kernelParams, p->extra);
  if (!packed) return failure(packed.error());
  work.parameters = std::move(*packed);
  for (auto [offset, size] : kernel->info.parameters) work.offsets.push_back(offset);
  work.device = runtime.memory().in_use();
  return Work(std::move(work));
}

Made kernel_work(Runtime& runtime, const LaunchRequest& request) {
  const cudaKernelNodeParams parameters{
      const_cast<void*>(request.function),   request.grid,      request.block,
      static_cast<unsigned>(request.shared), request.arguments, nullptr};
  Made work = kernel_work(runtime, &parameters);
  if (!work) return work;
  cudaLaunchAttribute cooperative{cudaLaunchAttributeCooperative, {}, {}};
  cooperative.val.cooperative = 1;
  cudaLaunchAttribute cluster{cudaLaunchAttributeClusterDimension, {}, {}};
  cluster.val.clusterDim = {request.cluster.x, request.cluster.y, request.cluster.z};
  if (request.cooperative) std::get<KernelWork>(*work).set(cooperative);
  if (request.cluster.count() != 1) std::get<KernelWork>(*work).set(cluster);
  return work;
}

Made copy_work(const cudaMemcpy3DParms* p) {
  if (!p || p->kind < cudaMemcpyHostToHost || p->kind > cudaMemcpyDefault)
    return failure(cudaErrorInvalidValue);
  const bool nowhere = (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr);
  if (nowhere && p->extent.width != 0) return failure(cudaErrorInvalidValue);
  return Work(CopyWork{*p});
}

Made copy_work(void* to, const void* from, u64 size, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.dstPtr = {to, size, size, 1};
  p.srcPtr = {const_cast<void*>(from), size, size, 1};
  p.extent = {size, 1, 1};
  p.kind = kind;
  return copy_work(&p);
}

static ResultOr<void*, cudaError_t> within_symbol(Runtime& runtime, const void* symbol, u64 size,
                                                  u64 offset) {
  ResultOr<Placed, cudaError_t> found = find_symbol(runtime, symbol);
  if (!found) return failure(found.error());
  if (offset > found->size || size > found->size - offset) return failure(cudaErrorInvalidValue);
  return reinterpret_cast<void*>(found->address + offset);
}

Made copy_to_symbol_work(Runtime& runtime, const void* symbol, const void* from, u64 size, u64 offset,
                         cudaMemcpyKind kind) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return failure(cudaErrorInvalidMemcpyDirection);
  ResultOr<void*, cudaError_t> to = within_symbol(runtime, symbol, size, offset);
  return to ? copy_work(*to, from, size, kind) : failure(to.error());
}

Made copy_from_symbol_work(Runtime& runtime, void* to, const void* symbol, u64 size, u64 offset,
                           cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return failure(cudaErrorInvalidMemcpyDirection);
  ResultOr<void*, cudaError_t> from = within_symbol(runtime, symbol, size, offset);
  return from ? copy_work(to, *from, size, kind) : failure(from.error());
}

Made fill_work(const cudaMemsetParams* p) {
  if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return failure(cudaErrorInvalidValue);
  if (p->width > ~u64{0} / p->elementSize) return failure(cudaErrorInvalidValue);
  return Work(FillWork{*p});
}

Made host_work(const cudaHostNodeParams* p) {
  if (!p || !p->fn) return failure(cudaErrorInvalidValue);
  return Work(HostWork{*p});
}

Made allocate_work(Runtime& runtime, cudaMemAllocNodeParams* p) {
  if (!p || p->bytesize == 0 || p->bytesize > runtime.memory().capacity())
    return failure(cudaErrorInvalidValue);
  Result<u64> address = runtime.memory().allocate(p->bytesize, sim::AllocationKind::device);
  if (!address) return failure(cudaErrorMemoryAllocation);
  p->dptr = reinterpret_cast<void*>(*address);
  auto memory = std::make_shared<GraphMemory>(*address, p->bytesize);
  graph_memory()[*address] = memory;
  return Work(AllocateWork{*p, std::move(memory)});
}

Made free_work(Runtime&, void* address) {
  if (!address) return failure(cudaErrorInvalidValue);
  return Work(FreeWork{address, GraphMemory::find(reinterpret_cast<u64>(address))});
}

Made event_work(cudaGraphNodeType type, cudaEvent_t event) {
  if (!event) return failure(cudaErrorInvalidValue);
  if (type == cudaGraphNodeTypeWaitEvent) return Work(WaitWork{event});
  return Work(RecordWork{event});
}

} // namespace warplens::runtime
