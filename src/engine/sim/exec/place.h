// Where something is, in words: an op in the source, threads in the grid, an address in memory.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// Where an op is in the source, or in the PTX where that is not known; what else there is to say goes to the notes.
diag::Span place_of(const Code&, const Op&, std::vector<std::string>& notes);
// "at kernel.cu:12", with the calls that the compiler inlined.
std::string text_of_place(const diag::Span&, const std::vector<std::string>& notes);
std::string text_of_place(const Code&, const Op&);

u32 first_thread(const Mask&);
// The part of a mask that belongs to the CTA of its first thread, as if that were the first of the batch.
Mask in_first_cta(const Exec&, const Mask&);
// "warps 0-3, 6 of block (5, 0, 0)"; "threads 4-7 of warp 2 of …" where one warp is not whole. Of the mask's first CTA.
std::string who(const Exec&, const Mask&);

std::string describe_address(const Exec&, u64 address);
// Which parameter the address of an access in the kernel's own code was computed from: "computed from parameter 1, which
// points 4 bytes into allocation 1 (…); offset of the access: 16 bytes". Empty where that is not known.
std::string describe_pointer(const Exec&, const Op&, u64 address);

} // namespace warplens::sim
