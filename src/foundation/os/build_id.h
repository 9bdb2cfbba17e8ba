// The GNU build id: a digest of the linked file that the linker writes into a note (--build-id).
#pragma once
#include <string_view>

namespace warplens::os {

// Names the code that runs: changes whenever the program or library that holds this function is linked anew
// from other code. Empty where the linker left no build id.
std::string_view build_id();

} // namespace warplens::os
