// Where in the program an API function was called: for --check memory, which names the place of an allocation.
#pragma once
#include <string>

namespace warplens::runtime {

// The innermost caller outside this library, as "FILE+0xOFFSET", where FILE is the executable or library and OFFSET an address
// in it that addr2line understands; then those that called it, joined by '<': the innermost may be a template of the toolkit's.
// Empty where the stack cannot be followed.
std::string calling_places(int most = 4);

} // namespace warplens::runtime
