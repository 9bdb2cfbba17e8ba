// Copies and hints in batches: addresses are pointers, and the structures those of the Runtime API.
#include "runtime/batch.h"
#include "driver_api/frame.h"

namespace warplens::runtime {
namespace {

struct Lists { // of copies
  CUdeviceptr *to, *from;
  std::size_t *sizes, count;
};

CUresult copy_all(const Lists& lists, const cudaMemcpyAttributes* attributes, const std::size_t* first,
                  std::size_t kinds, std::size_t* failed, cudaStream_t stream, NullStream null) {
  const Copies copies{reinterpret_cast<void* const*>(lists.to),
                      reinterpret_cast<const void* const*>(lists.from),
                      lists.sizes,
                      lists.count,
                      attributes,
                      first,
                      kinds};
  return on_stream(stream, [&] { return copy_batch(copies, failed, stream, null); });
}

CUresult hint_all(CUdeviceptr* begin, const std::size_t* sizes, std::size_t count, const Destinations* to,
                  u64 flags, cudaStream_t stream) {
  return on_stream(stream, [&] {
    return hint_batch({reinterpret_cast<void* const*>(begin), sizes, count}, to, flags, stream);
  });
}

} // namespace

extern "C" {

using Attributes = cudaMemcpyAttributes;
using Operations = const cudaMemcpy3DBatchOp*;

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, std::size_t* sizes, std::size_t count,
                               Attributes* attributes, std::size_t* first, std::size_t kinds,
                               cudaStream_t stream) {
  return copy_all({to, from, sizes, count}, attributes, first, kinds, nullptr, stream, NullStream::legacy);
}
CUresult cuMemcpy3DBatchAsync_v2(std::size_t count, Operations list, unsigned long long flags,
                                 cudaStream_t stream) {
  return on_stream(stream, [&] {
    return copy_batch({list, count}, flags, nullptr, stream, NullStream::legacy);
  });
}
CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr* to, CUdeviceptr* from, std::size_t* sizes, std::size_t count,
                                    Attributes* attributes, std::size_t* first, std::size_t kinds,
                                    cudaStream_t stream) {
  return copy_all({to, from, sizes, count}, attributes, first, kinds, nullptr, stream, NullStream::of_thread);
}
CUresult cuMemcpy3DBatchAsync_v2_ptsz(std::size_t count, Operations list, unsigned long long flags,
                                      cudaStream_t stream) {
  return on_stream(stream, [&] {
    return copy_batch({list, count}, flags, nullptr, stream, NullStream::of_thread);
  });
}
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, std::size_t* sizes, std::size_t count,
                            Attributes* attributes, std::size_t* first, std::size_t kinds,
                            std::size_t* failed, cudaStream_t stream) {
  return copy_all({to, from, sizes, count}, attributes, first, kinds, failed, stream, NullStream::legacy);
}
CUresult cuMemcpy3DBatchAsync(std::size_t count, Operations list, std::size_t* failed,
                              unsigned long long flags, cudaStream_t stream) {
  return on_stream(stream, [&] {
    return copy_batch({list, count}, flags, failed, stream, NullStream::legacy);
  });
}
CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr* to, CUdeviceptr* from, std::size_t* sizes, std::size_t count,
                                 Attributes* attributes, std::size_t* first, std::size_t kinds,
                                 std::size_t* failed, cudaStream_t stream) {
  return copy_all({to, from, sizes, count}, attributes, first, kinds, failed, stream, NullStream::of_thread);
}
CUresult cuMemcpy3DBatchAsync_ptsz(std::size_t count, Operations list, std::size_t* failed,
                                   unsigned long long flags, cudaStream_t stream) {
  return on_stream(stream, [&] {
    return copy_batch({list, count}, flags, failed, stream, NullStream::of_thread);
  });
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* begin, std::size_t* sizes, std::size_t count,
                                 cudaMemLocation* to, std::size_t* first, std::size_t places,
                                 unsigned long long flags, cudaStream_t stream) {
  const Destinations destinations{to, first, places};
  return hint_all(begin, sizes, count, &destinations, flags, stream);
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* begin, std::size_t* sizes, std::size_t count,
                                unsigned long long flags, cudaStream_t stream) {
  return hint_all(begin, sizes, count, nullptr, flags, stream);
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* begin, std::size_t* sizes, std::size_t count,
                                           cudaMemLocation* to, std::size_t* first, std::size_t places,
                                           unsigned long long flags, cudaStream_t stream) {
  return cuMemPrefetchBatchAsync(begin, sizes, count, to, first, places, flags, stream);
}

} // extern "C"
} // namespace warplens::runtime
