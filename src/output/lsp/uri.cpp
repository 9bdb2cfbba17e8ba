#include "lsp/uri.h"
#include <filesystem>
#include <fmt/format.h>

namespace warplens::lsp {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

std::optional<std::string> path_of(std::string_view uri) {
  if (!uri.starts_with("file://")) return {};
  uri.remove_prefix(7);
  if (uri.starts_with("localhost/")) uri.remove_prefix(9);
  if (!uri.starts_with('/')) return {}; // another machine's
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      out += uri[i];
      continue;
    }
    const int high = i + 2 < uri.size() ? digit(uri[i + 1]) : -1, low = high >= 0 ? digit(uri[i + 2]) : -1;
    if (low < 0 || high * 16 + low == 0) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return std::filesystem::path(out).lexically_normal().string();
}

std::string uri_of(std::string_view path) {
  std::string out = "file://";
  for (char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

} // namespace warplens::lsp
