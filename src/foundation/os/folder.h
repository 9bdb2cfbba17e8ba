// What is in a folder.
#pragma once
#include <string>
#include <vector>

namespace warplens::os {

// The names in it, without . and .., in no order; none where it cannot be read. Unlike std::filesystem this takes no memory from the C
// library's heap, which is the program's where it runs inside one.
std::vector<std::string> names_in(const std::string& folder);

} // namespace warplens::os
