// Patterns of paths in .warplens.toml: "src/**", "*.cu", "third_party". `*` and `?` stay within a folder's name, `**` does
// not; a pattern without a slash is about the name alone, or a folder anywhere on the way; one that names a folder is about
// everything in it.
#pragma once
#include <string_view>

namespace warplens::gates {

// `path`: relative, with '/'.
bool path_matches(std::string_view pattern, std::string_view path);

} // namespace warplens::gates
