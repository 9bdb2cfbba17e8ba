// Checks that the API functions on memory share.
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

// What a pointer that the program passes refers to.
enum class PointerPlace : u8 {
  host,    // memory that CUDA knows nothing about
  device,  // of the device alone
  shared,  // pinned, registered or managed: both sides may use it
  invalid, // in the device's address space, but not [pointer, pointer + size) of one allocation; or NULL
};
PointerPlace place(Runtime&, const void* pointer, u64 size);

// Of the device alone, and of this process: nobody sees what kernels write there but by a call.
bool is_hidden(Runtime&, u64 address);

// From here on nothing is: a library is loaded that reads device memory without a call, as MPI does.
void host_reads_device_memory();

// Memory of another process, which cudaIpcCloseMemHandle gives back and cudaFree does not (ipc.cpp).
bool is_of_other_process(u64 address);
// What cudaMemPoolImportPointer gave, which cudaFree does give back; false: it is no such pointer.
bool free_imported(Runtime&, void* pointer);

// Host memory that the program registered, and has unmapped or protected since, is no longer the device's: a kernel that still
// uses it faults, where a GPU would find the old pages.
void forget_unmapped(Runtime&);

// Whether a copy of this kind may write to / read from such a place.
bool may_write(PointerPlace, cudaMemcpyKind);
bool may_read(PointerPlace, cudaMemcpyKind);

// Rows of `width` bytes, `height` of them in each of `depth` slices; pitches in bytes.
struct Box {
  std::byte* data = nullptr;
  u64 row_pitch = 0, slice_pitch = 0;
};
struct Extent {
  u64 width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};
// The bytes from the box's first to its last; nothing where they would not fit into the address space.
std::optional<u64> span(const Box&, const Extent&);
cudaError_t copy(Runtime&, const Box& to, const Box& from, const Extent&, cudaMemcpyKind);
// With the low `width` bytes of `value`, 1, 2 or 4, over and over. Rows, pitches and addresses are multiples of it.
cudaError_t fill(Runtime&, const Box& to, const Extent&, u32 value, u32 width = 1);

} // namespace warplens::runtime
