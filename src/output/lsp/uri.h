// file: URIs (RFC 8089) and the paths that they stand for.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace warplens::lsp {

// Absolute, without "." and ".."; none where it is no file of this machine: "untitled:1", "git:/a.cu".
std::optional<std::string> path_of(std::string_view uri);
std::string uri_of(std::string_view path);

} // namespace warplens::lsp
