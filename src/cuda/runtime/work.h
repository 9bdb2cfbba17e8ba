// A piece of work as a value: what a graph's node does, and what an asynchronous call puts on a stream. perform() does it
// now; a stream that is captured makes a node of it instead (capture.h).
#pragma once
#include "runtime/launch.h"
#include "runtime/stream_memory.h"
#include <functional>
#include <span>
#include <variant>

namespace warplens::runtime {

// Memory of a graph's allocation node. It is there from the time that the node is made, at an address that never changes;
// what the node and whoever frees it change is whether the program may use it.
struct GraphMemory {
  GraphMemory(u64 address, u64 size);
  ~GraphMemory(); // gives it back, unless the program has it still: then it is an ordinary allocation from here on
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  static std::shared_ptr<GraphMemory> find(u64 address); // null: it is none
  static u64 held();                                     // bytes, of all graphs
  static u64 most_held();
  static void forget_most();
  u64 address, size;
  bool live = false;
};

struct KernelWork {
  const void* function = nullptr; // or a handle
  Dim3 grid, block;
  u64 shared = 0;                              // dynamic, bytes
  std::vector<std::byte> parameters;           // as the kernel has them, copied when the work was made
  std::vector<u32> offsets;                    // of each in `parameters`
  std::vector<cudaLaunchAttribute> attributes; // of each kind the last
  std::vector<void*> pointers{};
  u32 device = 0;
  void** arguments(); // one pointer per parameter, into this object
  void set(const cudaLaunchAttribute&);
};
struct CopyWork {
  cudaMemcpy3DParms parameters;
};
struct FillWork {
  cudaMemsetParams parameters;
};
struct HostWork {
  cudaHostNodeParams parameters;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct WaitWork {
  cudaEvent_t event;
};
struct RecordWork {
  cudaEvent_t event;
};
struct AllocateWork {
  cudaMemAllocNodeParams parameters;
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  void* address;
  std::shared_ptr<GraphMemory> memory; // null: an ordinary allocation
};
// What is none of CUDA's own: a library's kernel. Shown to the program as a kernel node.
struct CallWork {
  std::string name;
  std::function<cudaError_t()> body;
};
// Which of its graphs runs, and how often, says the value of a handle when the node's turn comes (conditional.h).
struct ConditionalWork {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type{};
  std::vector<std::shared_ptr<Graph>> bodies;
  std::shared_ptr<std::vector<cudaGraph_t>> handed_out; // what the program was given to fill
};
// Words that the stream writes, or waits for (stream_memory.h).
struct MemoryWork {
  std::vector<StreamMemoryOperation> operations;
};
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, ChildWork, WaitWork,
                          RecordWork, AllocateWork, FreeWork, CallWork, ConditionalWork, MemoryWork>;

// The graphs inside: a child's, or a conditional's bodies.
std::span<std::shared_ptr<Graph>> inner_graphs(Work&);

cudaGraphNodeType type_of(const Work&);

// Makes of work from what the program says; with the runtime's lock held.
using Made = ResultOr<Work, cudaError_t>;
Made kernel_work(Runtime&, const cudaKernelNodeParams*);
Made kernel_work(Runtime&, const LaunchRequest&);
Made copy_work(const cudaMemcpy3DParms*);
Made copy_work(void* to, const void* from, u64 size, cudaMemcpyKind);
// `offset` bytes into a variable, which cudaErrorInvalidSymbol says is none.
Made copy_to_symbol_work(Runtime&, const void* symbol, const void* from, u64 size, u64 offset,
                         cudaMemcpyKind);
Made copy_from_symbol_work(Runtime&, void* to, const void* symbol, u64 size, u64 offset, cudaMemcpyKind);
Made fill_work(const cudaMemsetParams*);
Made host_work(const cudaHostNodeParams*);
Made allocate_work(Runtime&, cudaMemAllocNodeParams*); // fills in the address
Made free_work(Runtime&, void* address);
Made event_work(cudaGraphNodeType, cudaEvent_t);

// Does it now, and takes the runtime's lock where it needs it: a host function runs without. A child graph's work is not
// done here, but one by one (execution.cpp).
cudaError_t perform(Work&);

} // namespace warplens::runtime
