// Words that streams write and wait for, one by one, in batches, and as nodes of graphs. The first version of these functions
// had to be switched on in the driver; both are the same here.
#include "runtime/stream_memory.h"
#include "driver_api/frame.h"
#include "runtime/graphs/nodes.h"
#include "runtime/stream.h"

namespace warplens::runtime {

struct MemoryNode { // CUDA_BATCH_MEM_OP_NODE_PARAMS
  CUcontext context;
  unsigned count;
  StreamMemoryOperation* operations;
  unsigned flags;
};

namespace {

using Operation = StreamMemoryOperation;

Made memory_work(Runtime& runtime, const Operation* operations, unsigned count) {
  constexpr unsigned most = 256; // of a batch: cuStreamBatchMemOp's documentation
  if (!operations || count == 0 || count > most) return failure(cudaErrorInvalidValue);
  for (unsigned i = 0; i < count; ++i)
    if (cudaError_t error = check_operation(runtime, operations[i]); error != cudaSuccess)
      return failure(std::move(error));
  return Work(MemoryWork{{operations, operations + count}});
}
Made memory_work(Runtime& runtime, const MemoryNode* p) {
  return p && p->flags == 0 ? memory_work(runtime, p->operations, p->count) : failure(cudaErrorInvalidValue);
}

CUresult perform_on(cudaStream_t stream, const Operation* operations, unsigned count) {
  return on_stream(stream, [&] {
    std::vector<Operation> now;
    auto work = [&](Runtime& r) { return memory_work(r, operations, count); };
    cudaError_t error = api_on(
        stream,
        [&](Runtime& r) -> cudaError_t {
          Made made = work(r);
          if (!made) return made.error();
          now = std::get<MemoryWork>(std::move(*made)).operations;
          return cudaSuccess;
        },
        work);
    return error == cudaSuccess ? perform_operations(now) : error;
  });
}

CUresult perform_one(cudaStream_t stream, Operation::Kind kind, CUdeviceptr address, u64 value,
                     unsigned flags) {
  const Operation operation{kind, 0, address, value, flags, 0, 0, 0};
  return perform_on(stream, &operation, 1);
}

} // namespace

extern "C" {

CUresult cuStreamWaitValue32_v2(cudaStream_t stream, CUdeviceptr address, u32 value, unsigned flags) {
  return perform_one(stream, Operation::wait_32, address, value, flags);
}
CUresult cuStreamWaitValue64_v2(cudaStream_t stream, CUdeviceptr address, u64 value, unsigned flags) {
  return perform_one(stream, Operation::wait_64, address, value, flags);
}
CUresult cuStreamWriteValue32_v2(cudaStream_t stream, CUdeviceptr address, u32 value, unsigned flags) {
  return perform_one(stream, Operation::write_32, address, value, flags);
}
CUresult cuStreamWriteValue64_v2(cudaStream_t stream, CUdeviceptr address, u64 value, unsigned flags) {
  return perform_one(stream, Operation::write_64, address, value, flags);
}
CUresult cuStreamBatchMemOp_v2(cudaStream_t stream, unsigned count, const Operation* operations,
                               unsigned flags) {
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : perform_on(stream, operations, count);
}

CUresult cuGraphAddBatchMemOpNode(cudaGraphNode_t* node, cudaGraph_t graph, GraphNode* const* after,
                                  std::size_t count, const MemoryNode* p) {
  return driver(
      [&] { return add_node(node, graph, after, count, [&](Runtime& r) { return memory_work(r, p); }); });
}
CUresult cuGraphBatchMemOpNodeGetParams(cudaGraphNode_t node, MemoryNode* p) {
  return driver([&] {
    return with_work<MemoryWork>(node, [&](MemoryWork& work) {
      return answer(
          p, {current_context(), static_cast<unsigned>(work.operations.size()), work.operations.data(), 0});
    });
  });
}
CUresult cuGraphBatchMemOpNodeSetParams(cudaGraphNode_t node, const MemoryNode* p) {
  return driver([&] { return change_node(node, [&](Runtime& r) { return memory_work(r, p); }); });
}
CUresult cuGraphExecBatchMemOpNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const MemoryNode* p) {
  return driver([&] { return change_copy(exec, node, [&](Runtime& r) { return memory_work(r, p); }); });
}

} // extern "C"
} // namespace warplens::runtime
