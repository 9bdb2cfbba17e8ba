// See batch.h.
#include "runtime/batch.h"
#include "runtime/image.h"
#include "runtime/stream.h"

namespace warplens::runtime {
namespace {

bool takes_batches(cudaStream_t stream, NullStream null) {
  return stream != cudaStreamLegacy && (stream != nullptr || null == NullStream::of_thread);
}

// Each entry is for the copies from first[i] on, the first one from the beginning.
bool in_order(const std::size_t* first, std::size_t count, std::size_t of) {
  if (!first || count == 0 || count > of || first[0] != 0) return false;
  for (std::size_t i = 1; i < count; ++i)
    if (first[i] <= first[i - 1] || first[i] >= of) return false;
  return true;
}

bool is_order(int order) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}
bool is_flag(unsigned flags) { return flags <= cudaMemcpyFlagPreferOverlapWithCompute; }

bool valid(const Copies& c) {
  if (!c.to || !c.from || !c.sizes || !c.attributes || !in_order(c.first, c.attribute_count, c.count))
    return false;
  for (std::size_t i = 0; i < c.attribute_count; ++i)
    if (!is_order(c.attributes[i].srcAccessOrder) || !is_flag(c.attributes[i].flags)) return false;
  return true;
}

// Does one after the other until one fails.
template <class One> cudaError_t each(std::size_t count, std::size_t* failed, One&& one) {
  for (std::size_t i = 0; i < count; ++i)
    if (cudaError_t error = one(i); error != cudaSuccess) {
      if (failed) *failed = i;
      return error;
    }
  return cudaSuccess;
}

u64 element_of(const cudaMemcpy3DOperand& operand) { // bytes; 0: the array is none
  if (operand.type == cudaMemcpyOperandTypePointer) return 1;
  return exists(operand.op.array.array) ? operand.op.array.array->element : 0;
}

void take_side(const cudaMemcpy3DOperand& operand, const cudaExtent& extent, u64 element, cudaArray_t& array,
               cudaPos& at, cudaPitchedPtr& pitched) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    array = operand.op.array.array;
    at = {operand.op.array.offset.x, operand.op.array.offset.y, operand.op.array.offset.z};
    return;
  }
  const auto& memory = operand.op.ptr;
  const u64 row = memory.rowLength != 0 ? memory.rowLength : extent.width;
  pitched = {memory.ptr, row * element, row * element,
             memory.layerHeight != 0 ? memory.layerHeight : extent.height};
}

cudaError_t copy_one(const cudaMemcpy3DBatchOp& o, cudaStream_t stream) {
  auto fits = [&](const cudaMemcpy3DOperand& operand) {
    if (operand.type == cudaMemcpyOperandTypeArray) return element_of(operand) != 0;
    const auto& memory = operand.op.ptr;
    return operand.type == cudaMemcpyOperandTypePointer && memory.ptr != nullptr &&
           (memory.rowLength == 0 || memory.rowLength >= o.extent.width) &&
           (memory.layerHeight == 0 || memory.layerHeight >= o.extent.height);
  };
  cudaMemcpy3DParms p{};
  {
    std::lock_guard lock(Runtime::get().mutex);
    if (!fits(o.src) || !fits(o.dst) || !is_order(o.srcAccessOrder) || !is_flag(o.flags) ||
        o.extent.width == 0 || o.extent.height == 0 || o.extent.depth == 0)
      return remember(cudaErrorInvalidValue);
    const u64 element = std::max(element_of(o.src), element_of(o.dst));
    take_side(o.src, o.extent, element, p.srcArray, p.srcPos, p.srcPtr);
    take_side(o.dst, o.extent, element, p.dstArray, p.dstPos, p.dstPtr);
  }
  p.extent = o.extent;
  p.kind = cudaMemcpyDefault;
  return cudaMemcpy3DAsync(&p, stream);
}

} // namespace

cudaError_t copy_batch(const Copies& copies, std::size_t* failed, cudaStream_t stream, NullStream null) {
  if (failed) *failed = SIZE_MAX;
  if (!takes_batches(stream, null) || !valid(copies)) return remember(cudaErrorInvalidValue);
  return each(copies.count, failed, [&](std::size_t i) {
    if (copies.sizes[i] == 0) return remember(cudaErrorInvalidValue);
    return cudaMemcpyAsync(copies.to[i], copies.from[i], copies.sizes[i], cudaMemcpyDefault, stream);
  });
}

cudaError_t copy_batch(std::span<const cudaMemcpy3DBatchOp> operations, u64 flags, std::size_t* failed,
                       cudaStream_t stream, NullStream null) {
  if (failed) *failed = SIZE_MAX;
  if (!takes_batches(stream, null) || flags != 0 || operations.empty() || !operations.data())
    return remember(cudaErrorInvalidValue);
  return each(operations.size(), failed, [&](std::size_t i) { return copy_one(operations[i], stream); });
}

cudaError_t hint_batch(const Ranges& ranges, const Destinations* to, u64 flags, cudaStream_t stream) {
  return api_on(stream, [&](Runtime& r) {
    if (flags != 0 || !ranges.begin || !ranges.sizes || ranges.count == 0) return cudaErrorInvalidValue;
    if (to && (!to->locations || !in_order(to->first, to->count, ranges.count))) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < ranges.count; ++i) {
      std::optional<sim::Allocation> found = r.memory().find(reinterpret_cast<u64>(ranges.begin[i]));
      if (!found || found->kind != sim::AllocationKind::managed || ranges.sizes[i] == 0 ||
          place(r, ranges.begin[i], ranges.sizes[i]) != PointerPlace::shared)
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

extern "C" {

using Attributes = cudaMemcpyAttributes;
using Operations = cudaMemcpy3DBatchOp*;

// CUDA 12's say which copy failed. `null`: what the stream 0 is.
#define WARPLENS_COPIES(suffix, null)                                                                        \
  cudaError_t cudaMemcpyBatchAsync_12##suffix(void* const* to, const void* const* from,                      \
                                              const std::size_t* sizes, std::size_t count,                   \
                                              Attributes* attributes, std::size_t* first, std::size_t kinds, \
                                              std::size_t* failed, cudaStream_t stream) {                    \
    return copy_batch({to, from, sizes, count, attributes, first, kinds}, failed, stream, null);             \
  }                                                                                                          \
  cudaError_t cudaMemcpyBatchAsync_13##suffix(                                                               \
      void* const* to, const void* const* from, const std::size_t* sizes, std::size_t count,                 \
      Attributes* attributes, std::size_t* first, std::size_t kinds, cudaStream_t stream) {                  \
    return copy_batch({to, from, sizes, count, attributes, first, kinds}, nullptr, stream, null);            \
  }                                                                                                          \
  cudaError_t cudaMemcpy3DBatchAsync_12##suffix(std::size_t count, Operations list, std::size_t* failed,     \
                                                unsigned long long flags, cudaStream_t stream) {             \
    return copy_batch({list, count}, flags, failed, stream, null);                                           \
  }                                                                                                          \
  cudaError_t cudaMemcpy3DBatchAsync_13##suffix(std::size_t count, Operations list,                          \
                                                unsigned long long flags, cudaStream_t stream) {             \
    return copy_batch({list, count}, flags, nullptr, stream, null);                                          \
  }
WARPLENS_COPIES(, NullStream::legacy)
WARPLENS_COPIES(_ptsz, NullStream::of_thread)
#undef WARPLENS_COPIES

cudaError_t cudaMemPrefetchBatchAsync(void** begin, std::size_t* sizes, std::size_t count,
                                      cudaMemLocation* to, std::size_t* first, std::size_t places,
                                      unsigned long long flags, cudaStream_t stream) {
  const Destinations destinations{to, first, places};
  return hint_batch({begin, sizes, count}, &destinations, flags, stream);
}
cudaError_t cudaMemDiscardBatchAsync(void** begin, std::size_t* sizes, std::size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  return hint_batch({begin, sizes, count}, nullptr, flags, stream);
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** begin, std::size_t* sizes, std::size_t count,
                                                cudaMemLocation* to, std::size_t* first, std::size_t places,
                                                unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(begin, sizes, count, to, first, places, flags, stream);
}

} // extern "C"
} // namespace warplens::runtime
