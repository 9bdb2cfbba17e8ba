// Where something is, in words: an op in the source, threads in the grid, an address in memory.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// Where an op is in the source, and the calls that the compiler inlined, innermost first. Of an op without a source line the one
// place is in the PTX.
struct OpPlace {
  std::vector<diag::Span> spans; // one or more
  bool in_source = true;
};
OpPlace place_of(const Code&, const Op&);
// "at kernel.cu:12, inlined at kernel.cu:30"
std::string text_of_place(const OpPlace&);
inline std::string text_of_place(const Code& code, const Op& op) { return text_of_place(place_of(code, op)); }

u32 first_thread(const Mask&);
// The part of a mask that belongs to the CTA of its first thread, as if that were the first of the batch.
Mask in_first_cta(const Exec&, const Mask&);
// "warps 0-3, 6 of block (5, 0, 0)"; "threads 4-7 of warp 2 of …" where one warp is not whole. Of the mask's first CTA.
std::string who(const Exec&, const Mask&);

// Where in a block's shared memory an address is, in bytes from the first that is the program's own: in machine code some in
// front of it are the system's.
u64 offset_in_shared(const Exec&, u64 address);
// "at offset 0x200 is outside the 512 bytes of shared memory": of those the program's own.
std::string outside_shared(const Exec&, u64 address);

// Memory of the program that no device has.
bool is_host_memory(const Exec&, u64 address);
std::string describe_address(const Exec&, u64 address);
// The parameter that the address of an access in the kernel's own code was computed from, where that is known.
struct PointerParameter {
  u32 parameter = 0; // 1-based
  u64 value = 0;
  std::optional<Allocation> target; // none: it points into no allocation
};
std::optional<PointerParameter> pointer_of(const Exec&, const Op&);
// The same in words, with where the access is: "computed from parameter 1, which points 4 bytes into allocation 1 (…); offset of
// the access: 16 bytes". Empty where that is not known.
std::string describe_pointer(const Exec&, const Op&, u64 address);

} // namespace warplens::sim
