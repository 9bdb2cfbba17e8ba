// Libraries of device code: PTX text, fat binaries and cubins that a program loads while it runs, beside those that its
// start-up code registers. A library is a Binary like any other; what differs is that its bytes are copied, since the
// program may free them, and that its kernels are asked for by name.
//
// Both APIs come here: cudaLibrary… (library.cpp) and the driver's cuLibrary… and cuModule….
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

// What callers give a just-in-time compiler: numbers of CUjit_option, which cudaJitOption shares, and a value each.
struct JitOptions {
  const int* options = nullptr;
  void** values = nullptr;
  u32 count = 0;

  // Puts `log` into the caller's buffer for errors, if there is one, as much as fits.
  void tell(const std::string& log) const;
  // Those that change machine code, as words of ptxas.
  std::vector<std::string> ptxas_words() const;
};

// Loads code that starts at `code` and says itself where it ends: a PTX text ends with NUL. It is read now, so that what is
// wrong with it is this call's error: of cudaErrorInvalidKernelImage, InvalidPtx and NoKernelImageForDevice.
ResultOr<Binary*, cudaError_t> load_library(Runtime&, const void* code, const JitOptions&);
// The same from a file; cudaErrorFileNotFound where it cannot be read.
ResultOr<Binary*, cudaError_t> load_library_file(Runtime&, const char* path, const JitOptions&);
// Several images as one, their external symbols resolved among each other.
ResultOr<Binary*, cudaError_t> load_library(Runtime&, std::vector<std::vector<std::byte>> images,
                                            std::string name, const JitOptions&);

// Images as one block of bytes, for cuLinkComplete: load_library() takes it wherever the program has moved it.
std::vector<std::byte> pack_images(const std::vector<std::vector<std::byte>>& images);

// cudaErrorInvalidResourceHandle where the library is none, or unloaded; cudaErrorSymbolNotFound where it has no such
// kernel or variable. A kernel's handle is the same at each call.
ResultOr<Kernel*, cudaError_t> library_kernel(Runtime&, Binary*, const char* name);
// The same of any binary, a program's own code, too; its kernels may be known by a host function already.
ResultOr<Kernel*, cudaError_t> kernel_of(Runtime&, Binary*, const std::string& name);
ResultOr<Placed, cudaError_t> library_variable(Runtime&, Binary*, const char* name);
ResultOr<std::vector<std::string>, cudaError_t> library_kernels(Runtime&,
                                                                Binary*); // in the order of the text
cudaError_t unload_library(Runtime&, Binary*);

// A result through a pointer, as functions of C hand it out, or the error.
template <class T> cudaError_t give(T* out, ResultOr<T, cudaError_t> result) {
  if (!result) return result.error();
  *out = *result;
  return cudaSuccess;
}

} // namespace warplens::runtime
