// Stand-ins for CUDA's libraries (cuBLAS, …): what a call of one of their functions does here.
//
// The libraries do not run here: they ask the driver for what is not documented. The stand-ins compute the same on the CPU, in
// the order of the program's work, so that it goes on with right numbers; the report says which functions were called, and
// that their kernels are not counted. Sums are made in another order than on a GPU, as they are from one GPU to the next.
#pragma once
#include "runtime/state.h"
#include <functional>

namespace warplens::runtime {

// Memory that a call reads or writes: the device's, or what both sides see.
struct Operand {
  const void* data;
  u64 bytes;
};
// Bytes of steps · step + rest elements; what does not fit in 64 bits is more than any memory has, and so are negative numbers.
u64 extent_bytes(u64 steps, u64 step, u64 rest, u64 element);

// Does `body` as work of the stream: now, or as a node of a graph where the stream is captured. Before it launches that are
// put off are run, and operands that are not whole in the device's memory are told of: cudaErrorIllegalAddress. Memory that
// `body` does not get is cudaErrorMemoryAllocation. Other errors are those of the stream and of `body`. The thread's last
// error stays what it was.
cudaError_t library_call(const char* function, cudaStream_t, std::vector<Operand>,
                         std::function<cudaError_t()> body);

// The same now, whatever streams have to do: of work that a graph or a group does in its turn.
cudaError_t library_work(const char* function, const std::vector<Operand>&,
                         const std::function<cudaError_t()>& body);

// The same check of memory whose addresses are known only when the work is done.
cudaError_t check_operands(const char* function, const std::vector<Operand>&);

// Says what is wrong with what a function found in memory, where a GPU would reach outside of it: cudaErrorIllegalAddress.
cudaError_t refuse_content(const char* function, const std::string& what);

// The same check, then body().
template <class Body>
cudaError_t with_operands(const char* function, const std::vector<Operand>& operands, Body&& body) {
  const cudaError_t error = check_operands(function, operands);
  return error == cudaSuccess ? body() : error;
}

// one(i) for each of a batch, until one fails.
template <class One> cudaError_t each_of_batch(i64 count, One&& one) {
  cudaError_t error = cudaSuccess;
  for (i64 i = 0; error == cudaSuccess && i < count; ++i) error = one(i);
  return error;
}

// A function that the stand-ins do not have: named in the report.
void library_gap(const std::string& function);

// The handles of a library: a new one, `bad` where there is no place for it, `unready` where no device starts; and body(), which
// gives a status, where the handle is one, with the runtime's lock.
template <class T, class Status> Status add_handle(T** out, T handle, Status bad, Status unready) {
  if (!out) return bad;
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  if (runtime.start() != cudaSuccess) return unready;
  *out = of_device<Handles<T>>().add(std::move(handle));
  return Status{};
}
template <class T, class Status, class Body> Status with_handle(T* handle, Status unknown, Body&& body) {
  std::lock_guard lock(Runtime::get().mutex);
  return of_device<Handles<T>>().contains(handle) ? Status{body()} : unknown;
}

} // namespace warplens::runtime
