// Memory whose addresses and pages the program manages by itself: cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess.
//
// All pages lie in one file without a name; a mapping shows a part of it at an address, so that pages may be seen at several.
// What is mapped and may be accessed is registered with the device like host memory that the program registers: kernels and
// copies reach it, mappings in a row as one, and nothing is proved or put off about it (--proofs), since two addresses may
// be one page. Pages that were made to be exported have a file of their own, which is the handle that other processes get. Addresses are outside of the device's own range, of which a program may reserve more than there is.
//
// All of this is used with the runtime's lock held. Sizes and offsets are bytes.
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

inline constexpr u64 mapping_granularity = u64{2} << 20;

struct PhysicalProperties {       // CUmemAllocationProp
  int type = 0, handle_types = 0; // CUmemAllocationHandleType: bits
  cudaMemLocation location{};
  void* win32 = nullptr;
  unsigned char compression = 0, rdma = 0;
  unsigned short usage = 0;
  unsigned char reserved[4]{};
};
static_assert(sizeof(PhysicalProperties) == 32);

// Addresses for `size` bytes, at `wanted` where that is free; `alignment` 0 or a power of two. cudaErrorInvalidValue where
// numbers do not fit the granularity, cudaErrorMemoryAllocation where there are no such addresses.
ResultOr<u64, cudaError_t> reserve_addresses(u64 size, u64 alignment, u64 wanted);
cudaError_t free_addresses(u64 address, u64 size); // a whole reservation in which nothing is mapped

// Pages, as a handle.
ResultOr<u64, cudaError_t> create_physical(Runtime&, u64 size, const PhysicalProperties&);
cudaError_t release_physical(u64 handle); // its pages stay as long as they are mapped
ResultOr<u64, cudaError_t> retain_physical(u64 address);
// A new file descriptor, which the program closes. cudaErrorInvalidValue: the pages were not made for that, or the file is no such one.
ResultOr<int, cudaError_t> export_physical(u64 handle);
ResultOr<u64, cudaError_t> import_physical(int file);
ResultOr<PhysicalProperties, cudaError_t> properties_of_physical(u64 handle);

// Shows the first `size` bytes of the handle's pages at `address`, which the program reserved; nobody may access them yet.
cudaError_t map_physical(u64 address, u64 size, u64 handle);
// The next two are for whole mappings in a row.
cudaError_t unmap_physical(Runtime&, u64 address, u64 size);
cudaError_t set_access(Runtime&, u64 address, u64 size, bool accessible);

struct MappedMemory {
  u64 address = 0, size = 0; // of the mapping
  bool accessible = false;
  PhysicalProperties properties;
};
std::optional<MappedMemory> mapped_memory(u64 address); // that contains the address

bool is_reserved(u64 address);
u64 physical_bytes(); // of all pages that were made in this process

} // namespace warplens::runtime
