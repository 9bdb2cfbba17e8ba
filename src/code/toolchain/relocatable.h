// Device code of several files that call each other, with clang: what NVIDIA's device linker would add to the program.
//
// In each object clang leaves a call, at start-up, of a function __cudaRegisterLinkedBinary… with a name of its own, which a
// linker of device code is to write. Here they are written in C: each keeps what it is given, and when the last one has been
// called, all of it is registered as one binary of several parts, as nvcc's programs do it. WarpLens's runtime links the PTX
// of the parts when it is first needed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::toolchain {

// Of static device variables and kernels that the host names clang (19) gives host and device code different names: of one of
// them in this PTX, the name in the source as far as it can be told; empty where there is none.
std::string name_that_differs(std::string_view ptx);

// The functions of that kind that the objects call and do not have, each once.
std::vector<std::string> missing_registrations(const std::vector<std::string>& objects);

// Their source, in C.
std::string registration_source(const std::vector<std::string>& functions);

} // namespace warplens::toolchain
