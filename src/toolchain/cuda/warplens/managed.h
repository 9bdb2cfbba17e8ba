// Where the host shadows of __managed__ variables lie (attributes.h says why they have a section of their own).
// The runtime registers each variable that lies in this range with its shadow as its device memory.
#pragma once

#if !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_warplens_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_warplens_managed[] __attribute__((weak, visibility("hidden")));
void __warplensManagedSection(void* begin, void* end) __attribute__((weak)); // only WarpLens's runtime has it
}
// Before clang's own registration of the variables, which is a constructor of default priority.
static __attribute__((constructor(101), used)) void warplens_announce_managed() {
  if (__start_warplens_managed && __warplensManagedSection)
    __warplensManagedSection(__start_warplens_managed, __stop_warplens_managed);
}
#endif
