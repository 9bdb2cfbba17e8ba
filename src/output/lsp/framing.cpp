#include "lsp/framing.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace warplens::lsp {
namespace {

bool is_content_length(std::string_view name) {
  constexpr std::string_view wanted = "content-length";
  return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// The end of the header in `buffer`, behind its empty line; npos where that has not come.
std::size_t end_of_header(std::string_view buffer) {
  const std::size_t strict = buffer.find("\r\n\r\n"), bare = buffer.find("\n\n");
  if (strict == buffer.npos && bare == buffer.npos) return buffer.npos;
  return strict < bare ? strict + 4 : bare + 2;
}

} // namespace

void MessageReader::read_header() {
  const std::size_t end = end_of_header(std::string_view(buffer_).substr(0, most_header));
  if (end == buffer_.npos) {
    if (buffer_.size() >= most_header)
      refusal_ = fmt::format("a header has no end within {} bytes", most_header);
    return;
  }
  std::optional<std::size_t> length;
  std::string_view header = std::string_view(buffer_).substr(0, end);
  for (std::size_t at; !header.empty(); header.remove_prefix(at)) {
    at = std::min(header.find('\n'), header.size() - 1) + 1;
    const std::string_view line = without_blanks(header.substr(0, at - 1));
    const std::size_t colon = line.find(':');
    if (line.empty()) continue;
    if (colon == line.npos) {
      refusal_ = "a line of a header is not NAME: VALUE";
      return;
    }
    if (!is_content_length(without_blanks(line.substr(0, colon)))) continue;
    const std::string_view digits = without_blanks(line.substr(colon + 1));
    std::size_t value = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || stop != digits.data() + digits.size() || value > most_content ||
        (length && *length != value)) {
      refusal_ = fmt::format("a Content-Length is not one number of at most {} bytes", most_content);
      return;
    }
    length = value;
  }
  if (!length) {
    refusal_ = "a header has no Content-Length";
    return;
  }
  buffer_.erase(0, end);
  length_ = length;
}

std::optional<std::string> MessageReader::next() {
  if (refusal_.empty() && !length_) read_header();
  if (!refusal_.empty() || !length_ || buffer_.size() < *length_) return {};
  std::string out = buffer_.substr(0, *length_);
  buffer_.erase(0, *length_);
  length_.reset();
  return out;
}

std::string framed(std::string_view content) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

} // namespace warplens::lsp
